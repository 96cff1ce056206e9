/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The variant for x86-64 processors with AVX2: 32 bytes at a time, edges written by eights. */
#include "kernel.h"

#if EDGES_X86

#include <immintrin.h>

/* On each function and not on the command line, so that nothing else in the library needs AVX2. */
#define TARGET __attribute__((target("avx2,bmi,popcnt")))

enum { VECTOR_BYTES = 32, HALF = STRETCH / 2, GROUP = 8 };

/* For a byte: the numbers of its set bits, lowest first, a byte each. */
static uint64_t set_bits[256];

__attribute__((constructor)) static void fill_set_bits(void)
{
    for (unsigned byte = 0; byte < 256; byte++) {
        unsigned rank = 0;

        for (unsigned bit = 0; bit < 8; bit++)
            if (byte >> bit & 1)
                set_bits[byte] |= (uint64_t)bit << 8 * rank++;
    }
}

TARGET static inline __m256i load(const uint8_t *at)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)at);
}

TARGET static inline void store(void *at, __m256i vector)
{
    _mm256_storeu_si256(at, vector);
}

TARGET static inline __m128i load_eight(const void *at)
{
    return _mm_loadl_epi64(at);
}

TARGET static inline __m256i difference(const uint8_t *now, __m256i mask, size_t unit)
{
    return _mm256_and_si256(_mm256_xor_si256(load(now), load(now - unit)), mask);
}

/* Two vectors of 16-bit numbers up to 255, as one of bytes. The packing works on each half of the
 * vectors for itself, so the quarters must be put in order. */
TARGET static inline __m256i narrow(__m256i low, __m256i high)
{
    return _mm256_permute4x64_epi64(_mm256_packus_epi16(low, high), 0xd8);
}

EDGES_INLINE TARGET int any(const uint8_t *now, size_t bytes, __m256i before, __m256i mask)
{
    __m256i low = _mm256_setzero_si256(), high = low;

    for (size_t i = 0; i < bytes; i += CACHE_LINE) {
        low = _mm256_or_si256(low, _mm256_xor_si256(load(now + i), before));
        high = _mm256_or_si256(high, _mm256_xor_si256(load(now + i + VECTOR_BYTES), before));
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
    const __m256i zero = _mm256_setzero_si256(), masks = _mm256_set1_epi8((char)mask);
    __m256i low = difference(now, masks, 1), high = difference(now + VECTOR_BYTES, masks, 1);

    return ~((uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, zero)) |
             (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, zero)) << 32);
}

/* One bit for each of 32 samples of two bytes that is 0. */
TARGET static inline uint32_t zeros(__m256i low, __m256i high)
{
    const __m256i zero = _mm256_setzero_si256();
    __m256i same_low = _mm256_srli_epi16(_mm256_cmpeq_epi16(low, zero), 8);
    __m256i same_high = _mm256_srli_epi16(_mm256_cmpeq_epi16(high, zero), 8);

    return (uint32_t)_mm256_movemask_epi8(narrow(same_low, same_high));
}

TARGET static inline uint64_t changed_16(const uint8_t *now, uint16_t mask)
{
    const __m256i masks = _mm256_set1_epi16((short)mask);
    __m256i a = difference(now, masks, 2), b = difference(now + VECTOR_BYTES, masks, 2);
    __m256i c = difference(now + 2 * VECTOR_BYTES, masks, 2);
    __m256i d = difference(now + 3 * VECTOR_BYTES, masks, 2);

    return ~(zeros(a, b) | (uint64_t)zeros(c, d) << 32);
}

TARGET static inline void put_eight(struct edges_output *out, __m256i offset, __m128i code)
{
    store(out->offset + out->count, offset);
    _mm_storel_epi64((void *)(out->code + out->count), code);
}

/* Edges of one sample on eight channels from `channel` on, however many, without a branch. */
TARGET static inline void put_byte(struct edges_output *out, uint32_t offset, uint8_t difference,
                                   uint8_t sample, char channel)
{
    const __m128i bit = _mm_set_epi8(0, 0, 0, 0, 0, 0, 0, 0, -128, 64, 32, 16, 8, 4, 2, 1);
    __m128i bits = load_eight(&set_bits[difference]);
    __m128i low = _mm_andnot_si128(_mm_set1_epi8((char)sample), _mm_shuffle_epi8(bit, bits));
    __m128i level = _mm_and_si128(_mm_cmpeq_epi8(low, _mm_setzero_si128()), _mm_set1_epi8(-128));
    __m128i code = _mm_or_si128(_mm_add_epi8(bits, _mm_set1_epi8(channel)), level);

    put_eight(out, _mm256_set1_epi32((int)offset), code);
    out->count += (size_t)__builtin_popcount(difference);
}

EDGES_INLINE TARGET void put_each(struct edges_output *out, const uint8_t *now, uint32_t offset,
                                  uint16_t mask, uint64_t changed, size_t unit)
{
    for (; changed != 0; changed &= changed - 1) {
        size_t n = (size_t)__builtin_ctzll(changed);
        unsigned sample = edges_sample(now + n * unit, unit);
        unsigned difference = (sample ^ edges_sample(now + n * unit - unit, unit)) & mask;
        uint32_t at = offset + (uint32_t)n;

        put_byte(out, at, (uint8_t)difference, (uint8_t)sample, 0);
        if (unit == 2)
            put_byte(out, at, (uint8_t)(difference >> 8), (uint8_t)(sample >> 8), 8);
    }
}

/* For bytes that have at most one bit set: its number, counted from `n`; 0 if none is. */
TARGET static inline __m256i numbers(__m256i one_bit, char n)
{
    const __m256i nibble = _mm256_set1_epi8(15);
    __m128i low = _mm_setr_epi8(0, n, (char)(n + 1), 0, (char)(n + 2), 0, 0, 0, (char)(n + 3), 0, 0,
                                0, 0, 0, 0, 0);
    __m128i high = _mm_setr_epi8(0, (char)(n + 4), (char)(n + 5), 0, (char)(n + 6), 0, 0, 0,
                                 (char)(n + 7), 0, 0, 0, 0, 0, 0, 0);
    __m256i high_half = _mm256_and_si256(_mm256_srli_epi16(one_bit, 4), nibble);

    return _mm256_or_si256(_mm256_shuffle_epi8(_mm256_broadcastsi128_si256(low),
                                               _mm256_and_si256(one_bit, nibble)),
                           _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(high), high_half));
}

/* The level bit of a code, where the byte is 0: set unless the line fell. */
TARGET static inline __m256i high_unless(__m256i fell)
{
    return _mm256_and_si256(_mm256_cmpeq_epi8(fell, _mm256_setzero_si256()),
                            _mm256_set1_epi8(-128));
}

/* The code of the change at each of 32 samples, if none changed on two channels at once (returns
 * whether so). */
TARGET static inline int singles_8(const uint8_t *now, uint16_t mask, uint8_t *code)
{
    __m256i changed = difference(now, _mm256_set1_epi8((char)mask), 1);
    __m256i fell = _mm256_andnot_si256(load(now), changed);

    store(code, _mm256_or_si256(numbers(changed, 0), high_unless(fell)));
    return _mm256_testz_si256(changed, _mm256_add_epi8(changed, _mm256_set1_epi8(-1)));
}

TARGET static inline int singles_16(const uint8_t *now, uint16_t mask, uint8_t *code)
{
    const __m256i masks = _mm256_set1_epi16((short)mask), byte = _mm256_set1_epi16(0xff);
    const __m256i ones = _mm256_set1_epi16(1);
    __m256i a = difference(now, masks, 2), b = difference(now + VECTOR_BYTES, masks, 2);
    __m256i low = narrow(_mm256_and_si256(a, byte), _mm256_and_si256(b, byte));
    __m256i high = narrow(_mm256_srli_epi16(a, 8), _mm256_srli_epi16(b, 8));
    __m256i fell = narrow(_mm256_min_epu16(_mm256_andnot_si256(load(now), a), ones),
                          _mm256_min_epu16(_mm256_andnot_si256(load(now + VECTOR_BYTES), b), ones));
    __m256i channel = _mm256_or_si256(numbers(low, 0), numbers(high, 8));

    store(code, _mm256_or_si256(channel, high_unless(fell)));
    return _mm256_testz_si256(a, _mm256_sub_epi16(a, ones)) &
           _mm256_testz_si256(b, _mm256_sub_epi16(b, ones));
}

/* The chosen ones of a stretch's codes, eight samples at a time: the list of the changed samples'
 * numbers brings them together. */
TARGET static inline void put_singles(struct edges_output *out, uint32_t offset, uint64_t changed,
                                      const uint8_t *code)
{
    uint32_t *offsets = out->offset + out->count;
    uint8_t *codes = out->code + out->count;
    __m256i at = _mm256_set1_epi32((int)offset);
    size_t count = 0;

#pragma GCC unroll 8
    for (size_t n = 0; n < STRETCH; n += GROUP) {
        const uint8_t group = (uint8_t)(changed >> n);
        __m128i list = load_eight(&set_bits[group]);

        store(offsets + count, _mm256_add_epi32(at, _mm256_cvtepu8_epi32(list)));
        _mm_storel_epi64((void *)(codes + count), _mm_shuffle_epi8(load_eight(code + n), list));
        count += (size_t)__builtin_popcount(group);
        at = _mm256_add_epi32(at, _mm256_set1_epi32(GROUP));
    }
    out->count += count;
}

TARGET static inline void put_8(struct edges_output *out, const uint8_t *now, uint32_t offset,
                                uint16_t mask, uint64_t changed)
{
    uint8_t code[STRETCH];

    if (__builtin_popcountll(changed) < DENSE)
        edges_put_twos(out, now, offset, mask, changed, 1);
    else if (singles_8(now, mask, code) & singles_8(now + HALF, mask, code + HALF))
        put_singles(out, offset, changed, code);
    else
        put_each(out, now, offset, mask, changed, 1);
}

TARGET static inline void put_16(struct edges_output *out, const uint8_t *now, uint32_t offset,
                                 uint16_t mask, uint64_t changed)
{
    uint8_t code[STRETCH];

    if (__builtin_popcountll(changed) < DENSE)
        edges_put_twos(out, now, offset, mask, changed, 2);
    else if (singles_16(now, mask, code) & singles_16(now + 2 * HALF, mask, code + HALF))
        put_singles(out, offset, changed, code);
    else
        put_each(out, now, offset, mask, changed, 2);
}

TARGET size_t edges_avx2_8(const struct edges_input *input, struct edges_output *output)
{
    return edges_run(input, output, 1, BATCH, stirs_8, changed_8, put_8);
}

TARGET size_t edges_avx2_16(const struct edges_input *input, struct edges_output *output)
{
    return edges_run(input, output, 2, BATCH, stirs_16, changed_16, put_16);
}

#endif
