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

/* The difference of four vectors; returns whether there is any. */
EDGES_INLINE int differences(__m128i *vector, const uint8_t *now, __m128i mask, size_t unit)
{
    __m128i any = _mm_setzero_si128();

    for (size_t i = 0; i < 4; i++) {
        vector[i] = difference(now + VECTOR_BYTES * i, mask, unit);
        any = _mm_or_si128(any, vector[i]);
    }
    return _mm_movemask_epi8(_mm_cmpeq_epi8(any, _mm_setzero_si128())) != 0xffff;
}

static inline uint64_t changed_8(const uint8_t *now, uint16_t mask)
{
    const __m128i zero = _mm_setzero_si128();
    __m128i vector[4];
    uint64_t same = 0;

    if (!differences(vector, now, _mm_set1_epi8((char)mask), 1))
        return 0;
    for (size_t i = 0; i < 4; i++) {
        unsigned bits = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(vector[i], zero));

        same |= (uint64_t)bits << VECTOR_BYTES * i;
    }
    return ~same;
}

/* 32 samples of two bytes: the comparisons of two vectors, narrowed, make one mask. */
static inline uint64_t changed_half(const uint8_t *now, uint16_t mask)
{
    const __m128i zero = _mm_setzero_si128();
    __m128i vector[4];
    uint32_t same = 0;

    if (!differences(vector, now, _mm_set1_epi16((short)mask), 2))
        return 0;
    for (size_t i = 0; i < 4; i += 2) {
        __m128i first = _mm_cmpeq_epi16(vector[i], zero);
        __m128i second = _mm_cmpeq_epi16(vector[i + 1], zero);

        same |= (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(first, second)) << 8 * i;
    }
    return (uint32_t)~same;
}

static inline uint64_t changed_16(const uint8_t *now, uint16_t mask)
{
    return changed_half(now, mask) | changed_half(now + STRETCH, mask) << 32;
}

size_t edges_sse2_8(const struct edges_input *input, struct edges_output *output)
{
    return edges_run(input, output, 1, changed_8, edges_put_each_8);
}

size_t edges_sse2_16(const struct edges_input *input, struct edges_output *output)
{
    return edges_run(input, output, 2, changed_16, edges_put_each_16);
}

#endif
