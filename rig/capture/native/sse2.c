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

EDGES_INLINE int stirs(const uint8_t *now, __m128i before, __m128i mask, size_t unit)
{
    __m128i any = _mm_setzero_si128();

    for (size_t i = 0; i < STRETCH * unit; i += VECTOR_BYTES) {
        __m128i sample = _mm_loadu_si128((const __m128i *)(const void *)(now + i));

        any = _mm_or_si128(any, _mm_xor_si128(sample, before));
    }
    any = _mm_cmpeq_epi8(_mm_and_si128(any, mask), _mm_setzero_si128());
    return _mm_movemask_epi8(any) != 0xffff;
}

static inline int stirs_8(const uint8_t *now, uint16_t mask)
{
    return stirs(now, _mm_set1_epi8((char)now[-1]), _mm_set1_epi8((char)mask), 1);
}

static inline int stirs_16(const uint8_t *now, uint16_t mask)
{
    return stirs(now, _mm_set1_epi16((short)edges_sample(now - 2, 2)), _mm_set1_epi16((short)mask),
                 2);
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
