/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The variant for x86-64 processors with AVX-512 and its instructions on bytes (Ice Lake, Zen 4 and
 * later): a stretch of bytes at a time, all of its edges brought together by one instruction. */
#include "kernel.h"

#if EDGES_X86

#include <immintrin.h>

/* On each function and not on the command line, so that nothing else in the library needs it. */
#define TARGET                                                                                     \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi2,avx512bitalg,bmi,bmi2,popcnt")))

enum { VECTOR_BYTES = 64, GROUP = 16 };

/* From so many busy stretches in a batch on, the next batch is written stretch by stretch without
 * looking for quiet ones first: a quiet one costs less than a wrong guess. */
enum { WRITE_ALL_FROM = 4 };

TARGET static inline __m512i load(const uint8_t *at)
{
    return _mm512_loadu_si512(at);
}

TARGET static inline __m256i load_half(const uint8_t *at)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)at);
}

TARGET static inline __m512i difference(const uint8_t *now, __m512i mask, size_t unit)
{
    return _mm512_and_si512(_mm512_xor_si512(load(now), load(now - unit)), mask);
}

/* In halves of a register: on Zen 4 that reads quiet lines 20 % faster than whole ones. The same by
 * the intrinsic for three operands is slower: the compiler then loads the batch out of order. */
EDGES_INLINE TARGET int any(const uint8_t *now, size_t bytes, __m256i before, __m256i mask)
{
    enum { HALF_BYTES = VECTOR_BYTES / 2 };
    __m256i low = _mm256_setzero_si256(), high = low;

    for (size_t i = 0; i < bytes; i += VECTOR_BYTES) {
        low = _mm256_or_si256(low, _mm256_xor_si256(load_half(now + i), before));
        high = _mm256_or_si256(high, _mm256_xor_si256(load_half(now + i + HALF_BYTES), before));
    }
    return !_mm256_testz_si256(_mm256_or_si256(low, high), mask);
}

EDGES_INLINE TARGET int stirs_8(const uint8_t *now, uint16_t mask, size_t samples)
{
    return any(now, samples, _mm256_set1_epi8((char)now[-1]), _mm256_set1_epi8((char)mask));
}

EDGES_INLINE TARGET int stirs_16(const uint8_t *now, uint16_t mask, size_t samples)
{
    __m256i before = _mm256_set1_epi16((short)edges_sample(now - 2, 2));

    return any(now, 2 * samples, before, _mm256_set1_epi16((short)mask));
}

TARGET static inline uint64_t changed_8(const uint8_t *now, uint16_t mask)
{
    __m512i masks = _mm512_set1_epi8((char)mask);

    return _mm512_test_epi8_mask(_mm512_xor_si512(load(now), load(now - 1)), masks);
}

TARGET static inline uint64_t changed_16(const uint8_t *now, uint16_t mask)
{
    __m512i masks = _mm512_set1_epi16((short)mask);
    const uint8_t *later = now + VECTOR_BYTES;

    return _mm512_test_epi16_mask(_mm512_xor_si512(load(now), load(now - 2)), masks) |
           (uint64_t)_mm512_test_epi16_mask(_mm512_xor_si512(load(later), load(later - 2)), masks)
               << 32;
}

/* Edges of the changed samples, one after the other, with all channels of a sample at once. */
EDGES_INLINE TARGET void put_each(struct edges_output *out, const uint8_t *now, uint32_t offset,
                                  uint16_t mask, uint64_t changed, size_t unit)
{
    const __m128i channels = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);

    for (; changed != 0; changed &= changed - 1) {
        size_t n = (size_t)__builtin_ctzll(changed);
        unsigned sample = edges_sample(now + n * unit, unit);
        unsigned difference = (sample ^ edges_sample(now + n * unit - unit, unit)) & mask;
        __m128i codes = _mm_mask_add_epi8(channels, (__mmask16)sample, channels, _mm_set1_epi8(-128));
        uint32_t at = offset + (uint32_t)n;

        codes = _mm_maskz_compress_epi8((__mmask16)difference, codes);
        if (unit == 1) {
            _mm256_storeu_si256((void *)(out->offset + out->count), _mm256_set1_epi32((int)at));
            _mm_storel_epi64((void *)(out->code + out->count), codes);
        } else {
            _mm512_storeu_si512(out->offset + out->count, _mm512_set1_epi32((int)at));
            _mm_storeu_si128((void *)(out->code + out->count), codes);
        }
        out->count += (size_t)__builtin_popcount(difference);
    }
}

/* The offsets of the set bits of `changed`. More are written than there are, within the stretch's
 * room. */
EDGES_INLINE TARGET void put_offsets(uint32_t *to, uint32_t offset, uint64_t changed, size_t count)
{
    const __m512i numbers = _mm512_set_epi8(
        63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42, 41,
        40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18,
        17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    __m512i list = _mm512_maskz_compress_epi8(changed, numbers);
    __m512i base = _mm512_set1_epi32((int)offset);

    _mm512_storeu_si512(
        to, _mm512_add_epi32(base, _mm512_cvtepu8_epi32(_mm512_castsi512_si128(list))));
    if (count <= GROUP)
        return;
    _mm512_storeu_si512(to + GROUP, _mm512_add_epi32(base, _mm512_cvtepu8_epi32(
                                        _mm512_extracti32x4_epi32(list, 1))));
    if (count <= 2 * GROUP)
        return;
    _mm512_storeu_si512(to + 2 * GROUP, _mm512_add_epi32(base, _mm512_cvtepu8_epi32(
                                            _mm512_extracti32x4_epi32(list, 2))));
    _mm512_storeu_si512(to + 3 * GROUP, _mm512_add_epi32(base, _mm512_cvtepu8_epi32(
                                            _mm512_extracti32x4_epi32(list, 3))));
}

/* In an item with one bit set, the number of that bit is the number of bits below it. */
TARGET static inline void put_8(struct edges_output *out, const uint8_t *now, uint32_t offset,
                                uint16_t mask, uint64_t changed)
{
    __m512i change = difference(now, _mm512_set1_epi8((char)mask), 1);
    __m512i below = _mm512_add_epi8(change, _mm512_set1_epi8(-1));
    __m512i code = _mm512_popcnt_epi8(below);
    size_t count = (size_t)__builtin_popcountll(changed);

    if (_mm512_test_epi8_mask(change, below) != 0) {
        put_each(out, now, offset, mask, changed, 1);
        return;
    }
    code = _mm512_mask_add_epi8(code, _mm512_test_epi8_mask(load(now), change), code,
                               _mm512_set1_epi8(-128));
    _mm512_storeu_si512(out->code + out->count, _mm512_maskz_compress_epi8(changed, code));
    put_offsets(out->offset + out->count, offset, changed, count);
    out->count += count;
}

/* The codes of 32 samples, a byte each; `several` becomes true if one changed on two channels. */
EDGES_INLINE TARGET __m256i codes_16(const uint8_t *now, __m512i masks, __mmask32 *several)
{
    __m512i change = difference(now, masks, 2);
    __m512i below = _mm512_add_epi16(change, _mm512_set1_epi16(-1));
    __m512i code = _mm512_popcnt_epi16(below);

    *several |= _mm512_test_epi16_mask(change, below);
    code = _mm512_mask_add_epi16(code, _mm512_test_epi16_mask(load(now), change), code,
                                 _mm512_set1_epi16(128));
    return _mm512_cvtepi16_epi8(code);
}

TARGET static inline void put_16(struct edges_output *out, const uint8_t *now, uint32_t offset,
                                 uint16_t mask, uint64_t changed)
{
    const __m512i masks = _mm512_set1_epi16((short)mask);
    __mmask32 several = 0;
    __m256i low = codes_16(now, masks, &several);
    __m256i high = codes_16(now + VECTOR_BYTES, masks, &several);
    __m512i code = _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
    size_t count = (size_t)__builtin_popcountll(changed);

    if (several != 0) {
        put_each(out, now, offset, mask, changed, 2);
        return;
    }
    _mm512_storeu_si512(out->code + out->count, _mm512_maskz_compress_epi8(changed, code));
    put_offsets(out->offset + out->count, offset, changed, count);
    out->count += count;
}

TARGET size_t edges_avx512_8(const struct edges_input *input, struct edges_output *output)
{
    return edges_run(input, output, 1, WRITE_ALL_FROM, stirs_8, changed_8, put_8);
}

TARGET size_t edges_avx512_16(const struct edges_input *input, struct edges_output *output)
{
    return edges_run(input, output, 2, WRITE_ALL_FROM, stirs_16, changed_16, put_16);
}

#endif
