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
        edges_ask_ahead(now + line);
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

size_t edges_sse2_8(const struct edges_input *input, struct edges_output *output)
{
    return edges_run(input, output, 1, stirs_8, changed_8, edges_put_twos_8);
}

size_t edges_sse2_16(const struct edges_input *input, struct edges_output *output)
{
    return edges_run(input, output, 2, stirs_16, changed_16, edges_put_twos_16);
}

#endif
