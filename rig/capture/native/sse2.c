/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The variant for every x86-64 processor: 16 bytes at a time. */
#include "kernel.h"

#if EDGES_X86

#include <emmintrin.h>

enum { VECTOR_BYTES = 16 };

EDGES_INLINE __m128i difference(const uint8_t *now, __m128i mask, size_t unit)
{
    __m128i sample = _mm_loadu_si128((const __m128i *)(const void *)now);
    __m128i previous = _mm_loadu_si128((const __m128i *)(const void *)(now - unit));

    return _mm_and_si128(_mm_xor_si128(sample, previous), mask);
}

EDGES_INLINE __m128i xor(const uint8_t *now, __m128i before)
{
    return _mm_xor_si128(_mm_loadu_si128((const __m128i *)(const void *)now), before);
}

/* Two sums, so that they need not wait for each other. */
EDGES_INLINE int any(const uint8_t *now, size_t bytes, __m128i before, __m128i mask)
{
    __m128i even = _mm_setzero_si128(), odd = even;

    for (size_t line = 0; line < bytes; line += CACHE_LINE) {
        for (size_t i = line; i < line + CACHE_LINE; i += 2 * VECTOR_BYTES) {
            even = _mm_or_si128(even, xor(now + i, before));
            odd = _mm_or_si128(odd, xor(now + i + VECTOR_BYTES, before));
        }
    }
    even = _mm_and_si128(_mm_or_si128(even, odd), mask);
    return _mm_movemask_epi8(_mm_cmpeq_epi8(even, _mm_setzero_si128())) != 0xffff;
}

EDGES_INLINE int stirs_8(const uint8_t *now, uint16_t mask, size_t samples)
{
    return any(now, samples, _mm_set1_epi8((char)now[-1]), _mm_set1_epi8((char)mask));
}

EDGES_INLINE int stirs_16(const uint8_t *now, uint16_t mask, size_t samples)
{
    __m128i before = _mm_set1_epi16((short)edges_sample(now - 2, 2));

    return any(now, 2 * samples, before, _mm_set1_epi16((short)mask));
}

static inline uint64_t changed_8(const uint8_t *now, uint16_t mask)
{
    const __m128i zero = _mm_setzero_si128(), masks = _mm_set1_epi8((char)mask);
    uint64_t same = 0;

    for (size_t i = 0; i < 4; i++) {
        __m128i vector = difference(now + VECTOR_BYTES * i, masks, 1);

        same |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(vector, zero))
                << VECTOR_BYTES * i;
    }
    return ~same;
}

/* Two vectors of comparisons, narrowed, make one mask. */
static inline uint64_t changed_16(const uint8_t *now, uint16_t mask)
{
    const __m128i zero = _mm_setzero_si128(), masks = _mm_set1_epi16((short)mask);
    uint64_t same = 0;

    for (size_t i = 0; i < 4; i++) {
        const uint8_t *at = now + 2 * VECTOR_BYTES * i;
        __m128i first = _mm_cmpeq_epi16(difference(at, masks, 2), zero);
        __m128i second = _mm_cmpeq_epi16(difference(at + VECTOR_BYTES, masks, 2), zero);

        same |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_packs_epi16(first, second))
                << VECTOR_BYTES * i;
    }
    return ~same;
}

/* `bits` in each item of `unit` bytes where `changed` has one of the bits `of`. */
EDGES_INLINE __m128i where(__m128i changed, int of, int bits, size_t unit)
{
    const __m128i zero = _mm_setzero_si128();

    if (unit == 1)
        return _mm_andnot_si128(
            _mm_cmpeq_epi8(_mm_and_si128(changed, _mm_set1_epi8((char)of)), zero),
            _mm_set1_epi8((char)bits));
    return _mm_andnot_si128(_mm_cmpeq_epi16(_mm_and_si128(changed, _mm_set1_epi16((short)of)), zero),
                            _mm_set1_epi16((short)bits));
}

/* For items that have at most one bit set, their codes: the number of the bit, and the level. */
EDGES_INLINE __m128i codes(__m128i sample, __m128i changed, size_t unit)
{
    __m128i low = _mm_or_si128(where(changed, 0xaaaa, 1, unit), where(changed, 0xcccc, 2, unit));
    __m128i high = where(changed, 0xf0f0, 4, unit);
    __m128i rose = where(_mm_and_si128(sample, changed), 0xffff, 0x80, unit);

    if (unit == 2)
        high = _mm_or_si128(high, where(changed, 0xff00, 8, unit));
    return _mm_or_si128(_mm_or_si128(low, high), rose);
}

/* The bits beyond the lowest one of each item, all together. */
EDGES_INLINE __m128i further_bits(__m128i changed, size_t unit)
{
    if (unit == 1)
        return _mm_and_si128(changed, _mm_add_epi8(changed, _mm_set1_epi8(-1)));
    return _mm_and_si128(changed, _mm_add_epi16(changed, _mm_set1_epi16(-1)));
}

/* The code of the change at each of a stretch's samples, if none changed on two channels at once
 * (returns whether so). */
EDGES_INLINE int singles(const uint8_t *now, uint16_t mask, uint8_t *code, size_t unit)
{
    const __m128i masks = unit == 1 ? _mm_set1_epi8((char)mask) : _mm_set1_epi16((short)mask);
    __m128i further = _mm_setzero_si128();

    for (size_t n = 0; n < STRETCH; n += VECTOR_BYTES) {
        const uint8_t *at = now + n * unit;
        __m128i changed = difference(at, masks, unit), both;

        further = _mm_or_si128(further, further_bits(changed, unit));
        both = codes(_mm_loadu_si128((const __m128i *)(const void *)at), changed, unit);
        if (unit == 2) {
            at += VECTOR_BYTES;
            changed = difference(at, masks, unit);
            further = _mm_or_si128(further, further_bits(changed, unit));
            both = _mm_packus_epi16(
                both, codes(_mm_loadu_si128((const __m128i *)(const void *)at), changed, unit));
        }
        _mm_store_si128((__m128i *)(void *)(code + n), both);
    }
    return _mm_movemask_epi8(_mm_cmpeq_epi8(further, _mm_setzero_si128())) == 0xffff;
}

/* The chosen ones of a stretch's codes, by fours as edges_put_twos does by twos. */
static inline void put_singles(struct edges_output *out, uint32_t offset, uint64_t changed,
                               const uint8_t *code)
{
    size_t count = out->count;

    do {
#pragma GCC unroll 4
        for (unsigned i = 0; i < 4; i++) {
            size_t n = (size_t)__builtin_ctzll(changed | UINT64_C(1) << (STRETCH - 1));

            out->offset[count] = offset + (uint32_t)n;
            out->code[count] = code[n];
            count += changed != 0;
            changed &= changed - 1;
        }
    } while (changed != 0);
    out->count = count;
}

/* Counting bits is no instruction of this processor's family: whether there are enough is found
 * sooner. */
static inline int is_dense(uint64_t changed)
{
    for (unsigned i = 1; i < DENSE; i++)
        changed &= changed - 1;
    return changed != 0;
}

EDGES_INLINE void put(struct edges_output *out, const uint8_t *now, uint32_t offset, uint16_t mask,
                      uint64_t changed, size_t unit)
{
    _Alignas(VECTOR_BYTES) uint8_t code[STRETCH];

    if (is_dense(changed) && singles(now, mask, code, unit))
        put_singles(out, offset, changed, code);
    else
        edges_put_twos(out, now, offset, mask, changed, unit);
}

static inline void put_8(struct edges_output *out, const uint8_t *now, uint32_t offset,
                         uint16_t mask, uint64_t changed)
{
    put(out, now, offset, mask, changed, 1);
}

static inline void put_16(struct edges_output *out, const uint8_t *now, uint32_t offset,
                          uint16_t mask, uint64_t changed)
{
    put(out, now, offset, mask, changed, 2);
}

size_t edges_sse2_8(const struct edges_input *input, struct edges_output *output)
{
    return edges_run(input, output, 1, BATCH, stirs_8, changed_8, put_8);
}

size_t edges_sse2_16(const struct edges_input *input, struct edges_output *output)
{
    return edges_run(input, output, 2, BATCH, stirs_16, changed_16, put_16);
}

#endif
