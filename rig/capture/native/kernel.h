/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What all variants share: they differ in how they find and write the changes of one stretch. */
#ifndef RIG_KERNEL_H
#define RIG_KERNEL_H

#include <string.h>

#include "edges.h"

/* With EDGES_PORTABLE_ONLY the library is built as for other processors. */
#if defined(__x86_64__) && !defined(EDGES_PORTABLE_ONLY)
#define EDGES_X86 1
#else
#define EDGES_X86 0
#endif

/* The loop is written once and compiled for each variant and unit; only when it is inlined do
 * `unit` and the functions it is given become constants. */
#define EDGES_INLINE static inline __attribute__((always_inline))

/* Samples looked at together: one bit each in a word of 64 bits. */
enum { STRETCH = 64 };

/* Bytes. Processors' own prefetching stops at page borders and lags behind a loop that stumbles
 * over edges; asking two kilobytes ahead gains 10 % on quiet lines, 20 % at an edge in 100 samples.
 * Asking for what lies beyond the buffer is harmless. */
enum { AHEAD = 2048, CACHE_LINE = 64 };

/* Edges that a stretch can have. A variant may write the edges of eight channels of a sample as
 * eight, whatever their number: they stay within that sample's share of this room. */
#define STRETCH_EDGES(unit) (STRETCH * 8 * (unit))

typedef size_t edges_kernel(const struct edges_input *input, struct edges_output *output);

/* Bit n is set if sample n of the stretch at `now` differs, under the mask, from the one before;
 * `now` is not the first sample. */
typedef uint64_t edges_changed(const uint8_t *now, uint16_t mask);

/* Writes the edges at the samples whose bit is set in `changed`, which is not 0. */
typedef void edges_put(struct edges_output *out, const uint8_t *now, int64_t index, uint16_t mask,
                       uint64_t changed);

EDGES_INLINE unsigned edges_sample(const uint8_t *at, size_t unit)
{
    return unit == 1 ? at[0] : (unsigned)(at[0] | at[1] << 8);
}

EDGES_INLINE void edges_put_sample(struct edges_output *out, int64_t index, unsigned difference,
                                   unsigned level)
{
    do {
        unsigned channel = (unsigned)__builtin_ctz(difference);

        out->index[out->count] = index;
        out->channel[out->count] = (uint8_t)channel;
        out->level[out->count] = level >> channel & 1;
        out->count++;
        difference &= difference - 1;
    } while (difference != 0);
}

/* The plain way to write a stretch. */
EDGES_INLINE void edges_put_each(struct edges_output *out, const uint8_t *now, int64_t index,
                                 uint16_t mask, uint64_t changed, size_t unit)
{
    do {
        size_t n = (size_t)__builtin_ctzll(changed);
        unsigned sample = edges_sample(now + n * unit, unit);
        unsigned previous = edges_sample(now + n * unit - unit, unit);

        edges_put_sample(out, index + (int64_t)n, (sample ^ previous) & mask, sample);
        changed &= changed - 1;
    } while (changed != 0);
}

EDGES_INLINE void edges_put_each_8(struct edges_output *out, const uint8_t *now, int64_t index,
                                   uint16_t mask, uint64_t changed)
{
    edges_put_each(out, now, index, mask, changed, 1);
}

EDGES_INLINE void edges_put_each_16(struct edges_output *out, const uint8_t *now, int64_t index,
                                    uint16_t mask, uint64_t changed)
{
    edges_put_each(out, now, index, mask, changed, 2);
}

/* Sample by sample from `at` to `end`, as far as there is room: where the sample before is not in
 * memory, less than a stretch is left, or the output is nearly full. Returns where it stopped. */
EDGES_INLINE size_t edges_step(const struct edges_input *in, struct edges_output *out, size_t at,
                               size_t end, size_t unit)
{
    for (; at < end; at++) {
        const uint8_t *now = in->samples + at * unit;
        unsigned sample = edges_sample(now, unit);
        unsigned previous = at == 0 ? in->before : edges_sample(now - unit, unit);
        unsigned difference = (sample ^ previous) & in->mask;

        if (difference == 0)
            continue;
        if (out->capacity - out->count < (size_t)__builtin_popcount(difference))
            break;
        edges_put_sample(out, in->start_sample + (int64_t)at, difference, sample);
    }
    return at;
}

EDGES_INLINE size_t edges_run(const struct edges_input *input, struct edges_output *output,
                              size_t unit, edges_changed *changed_of, edges_put *put)
{
    /* Copies: the bytes written could otherwise be these structures, for all the compiler knows. */
    struct edges_input in = *input;
    struct edges_output out = *output;
    size_t at;

    if (unit == 1)
        in.mask &= 0xff; /* `before` may have more bits */
    at = edges_step(&in, &out, 0, in.count > 0, unit);
    while (at > 0 && in.count - at >= STRETCH) {
        const uint8_t *now = in.samples + at * unit;
        uint64_t changed = changed_of(now, in.mask);
        size_t end = at + STRETCH;

        for (size_t line = 0; line < STRETCH * unit; line += CACHE_LINE)
            __builtin_prefetch((const void *)((uintptr_t)now + AHEAD + line));
        if (changed == 0) {
            at = end;
        } else if (out.capacity - out.count >= STRETCH_EDGES(unit)) {
            put(&out, now, in.start_sample + (int64_t)at, in.mask, changed);
            at = end;
        } else {
            at = edges_step(&in, &out, at, end, unit);
            if (at < end)
                break;
        }
    }
    if (at > 0 && in.count - at < STRETCH)
        at = edges_step(&in, &out, at, in.count, unit);
    output->count = out.count;
    return at;
}

extern edges_kernel edges_portable_8, edges_portable_16;
#if EDGES_X86
extern edges_kernel edges_sse2_8, edges_sse2_16;
extern edges_kernel edges_avx2_8, edges_avx2_16;
#endif

#endif
