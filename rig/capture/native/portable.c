/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The variant for every processor: eight bytes at a time in ordinary registers. */
#include "kernel.h"

enum { WORDS = 8, WORD_BYTES = 8 };

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

/* The differences of WORDS words from the samples before them; returns whether there is any. */
EDGES_INLINE uint64_t differences(uint64_t *difference, const uint8_t *now, uint64_t mask,
                                  size_t unit)
{
    uint64_t any = 0;

    for (size_t i = 0; i < WORDS; i++) {
        difference[i] = (load(now + WORD_BYTES * i) ^ load(now + WORD_BYTES * i - unit)) & mask;
        any |= difference[i];
    }
    return any;
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

static inline uint64_t changed_8(const uint8_t *now, uint16_t mask)
{
    const uint64_t masks = UINT64_C(0x0101010101010101) * (mask & 0xff);
    uint64_t difference[WORDS], changed = 0;

    if (differences(difference, now, masks, 1) != 0)
        for (size_t i = 0; i < WORDS; i++)
            changed |= bytes_set(difference[i]) << 8 * i;
    return changed;
}

static inline uint64_t changed_16(const uint8_t *now, uint16_t mask)
{
    const uint64_t masks = UINT64_C(0x0001000100010001) * mask;
    uint64_t difference[WORDS], changed = 0;

    for (size_t part = 0; part < 2; part++)
        if (differences(difference, now + WORDS * WORD_BYTES * part, masks, 2) != 0)
            for (size_t i = 0; i < WORDS; i++)
                changed |= halves_set(difference[i]) << (32 * part + 4 * i);
    return changed;
}

size_t edges_portable_8(const struct edges_input *input, struct edges_output *output)
{
    return edges_run(input, output, 1, changed_8, edges_put_each_8);
}

size_t edges_portable_16(const struct edges_input *input, struct edges_output *output)
{
    return edges_run(input, output, 2, changed_16, edges_put_each_16);
}
