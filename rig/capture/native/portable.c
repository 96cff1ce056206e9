/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The variant for every processor: eight bytes at a time in ordinary registers. */
#include "kernel.h"

enum { WORD_BYTES = 8 };

#define EACH_BYTE UINT64_C(0x0101010101010101)
#define EACH_HALF UINT64_C(0x0001000100010001)

/* Eight bytes, the first one lowest whatever the byte order of the processor. */
static inline uint64_t load(const uint8_t *at)
{
    uint64_t word;

    memcpy(&word, at, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

EDGES_INLINE uint64_t difference(const uint8_t *now, uint64_t mask, size_t unit)
{
    return (load(now) ^ load(now - unit)) & mask;
}

EDGES_INLINE int any(const uint8_t *now, size_t bytes, uint64_t before, uint64_t mask)
{
    uint64_t different = 0;

    for (size_t line = 0; line < bytes; line += CACHE_LINE) {
        for (size_t i = line; i < line + CACHE_LINE; i += WORD_BYTES)
            different |= load(now + i) ^ before;
    }
    return (different & mask) != 0;
}

/* One bit for each byte that is not 0: its top bit is raised, without carry into the next byte,
 * and a product brings the eight bits together. */
static inline uint64_t bytes_set(uint64_t word)
{
    const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
    uint64_t top = (((word & low) + low) | word) & ~low;

    return (top >> 7) * UINT64_C(0x0102040810204080) >> 56;
}

/* The same for the four halves of two bytes. */
static inline uint64_t halves_set(uint64_t word)
{
    const uint64_t low = UINT64_C(0x7fff7fff7fff7fff);
    uint64_t top = (((word & low) + low) | word) & ~low;

    return (top >> 15) * UINT64_C(0x0001000200040008) >> 48 & 0xf;
}

EDGES_INLINE int stirs_8(const uint8_t *now, uint16_t mask, size_t samples)
{
    return any(now, samples, EACH_BYTE * now[-1], EACH_BYTE * (mask & 0xff));
}

EDGES_INLINE int stirs_16(const uint8_t *now, uint16_t mask, size_t samples)
{
    return any(now, 2 * samples, EACH_HALF * edges_sample(now - 2, 2), EACH_HALF * mask);
}

static inline uint64_t changed_8(const uint8_t *now, uint16_t mask)
{
    uint64_t changed = 0;

    for (size_t i = 0; i < STRETCH; i += WORD_BYTES)
        changed |= bytes_set(difference(now + i, EACH_BYTE * (mask & 0xff), 1)) << i;
    return changed;
}

static inline uint64_t changed_16(const uint8_t *now, uint16_t mask)
{
    uint64_t changed = 0;

    for (size_t i = 0; i < STRETCH; i += WORD_BYTES / 2)
        changed |= halves_set(difference(now + 2 * i, EACH_HALF * mask, 2)) << i;
    return changed;
}

size_t edges_portable_8(const struct edges_input *input, struct edges_output *output)
{
    return edges_run(input, output, 1, BATCH, stirs_8, changed_8, edges_put_twos_8);
}

size_t edges_portable_16(const struct edges_input *input, struct edges_output *output)
{
    return edges_run(input, output, 2, BATCH, stirs_16, changed_16, edges_put_twos_16);
}
