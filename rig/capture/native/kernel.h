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

/* Samples looked at together: one bit each in a word of 64 bits. Stretches come in batches, so that
 * a processor need not guess for each of them whether it has an edge: where lines change every
 * hundred samples it would guess wrong half of the time, and that takes longer than all else. */
enum { STRETCH = 64, BATCH = 16 };

/* Bytes. Processors' own prefetching stops at page borders, so one line in each kilobyte is asked for
 * a page ahead, into the second-level cache: that looks the page up and starts the processor's own
 * prefetching there. Asking for every line takes the place of its requests: measured on Zen 4, that
 * reads quiet lines at 0.8 of the speed of no request, this at 1.05 and dense ones faster, too.
 * Asking for what lies beyond the buffer is harmless. */
enum { AHEAD = 4096, ASK_EACH = 1024, CACHE_LINE = 64 };

/* A stretch with this many changes or more is worth working out for all of its samples at once, by
 * the variants that can. */
enum { DENSE = 6 };

/* A batch is looked at as a whole first if the one before had no more busy stretches than this. */
enum { NEARLY_QUIET = 1 };

/* Edges that a stretch can have. A variant may write the edges of eight channels of a sample as
 * eight, whatever their number: they stay within that sample's share of this room. */
#define STRETCH_EDGES(unit) (STRETCH * 8 * (unit))

typedef size_t edges_kernel(const struct edges_input *input, struct edges_output *output);

/* Whether one of the samples at `now`, a stretch or a batch of them, differs, under the mask, from
 * the one before them; `now` is not the first sample. */
typedef int edges_stirs(const uint8_t *now, uint16_t mask, size_t samples);

/* Bit n is set if sample n of the stretch at `now` differs, under the mask, from the one before. */
typedef uint64_t edges_changed(const uint8_t *now, uint16_t mask);

/* Writes the edges at the samples whose bit is set in `changed`, which is not 0. */
typedef void edges_put(struct edges_output *out, const uint8_t *now, uint32_t offset, uint16_t mask,
                       uint64_t changed);

EDGES_INLINE void edges_ask_ahead(const uint8_t *now, size_t bytes)
{
    enum { TO_READ = 0, SECOND_LEVEL = 2 };

    for (size_t at = AHEAD; at < AHEAD + bytes; at += ASK_EACH)
        __builtin_prefetch((const void *)((uintptr_t)now + at), TO_READ, SECOND_LEVEL);
}

EDGES_INLINE unsigned edges_sample(const uint8_t *at, size_t unit)
{
    return unit == 1 ? at[0] : (unsigned)(at[0] | at[1] << 8);
}

EDGES_INLINE void edges_put_sample(struct edges_output *out, uint32_t offset, unsigned difference,
                                   unsigned level)
{
    do {
        unsigned channel = (unsigned)__builtin_ctz(difference);

        out->offset[out->count] = offset;
        out->code[out->count] = (uint8_t)(channel | (level >> channel & 1) << 7);
        out->count++;
        difference &= difference - 1;
    } while (difference != 0);
}

/* The plain way to write a stretch. */
EDGES_INLINE void edges_put_each(struct edges_output *out, const uint8_t *now, uint32_t offset,
                                 uint16_t mask, uint64_t changed, size_t unit)
{
    do {
        size_t n = (size_t)__builtin_ctzll(changed);
        unsigned sample = edges_sample(now + n * unit, unit);
        unsigned previous = edges_sample(now + n * unit - unit, unit);

        edges_put_sample(out, offset + (uint32_t)n, (sample ^ previous) & mask, sample);
        changed &= changed - 1;
    } while (changed != 0);
}

/* The same by twos, whether there are two or not, so that there is less to guess for the processor:
 * what is written behind the last edge is written over or never read. Where a sample has several
 * edges, which is rare, the plain way does it. */
EDGES_INLINE void edges_put_twos(struct edges_output *out, const uint8_t *now, uint32_t offset,
                                  uint16_t mask, uint64_t changed, size_t unit)
{
    uint64_t left = changed;
    size_t count = out->count;
    unsigned several = 0;

    do {
        for (unsigned i = 0; i < 2; i++) {
            size_t n = (size_t)__builtin_ctzll(left | UINT64_C(1) << (STRETCH - 1));
            unsigned sample = edges_sample(now + n * unit, unit);
            unsigned previous = edges_sample(now + n * unit - unit, unit);
            unsigned difference = (sample ^ previous) & mask;
            unsigned channel = (unsigned)__builtin_ctz(difference | 0x10000);

            several |= difference & (difference - 1);
            out->offset[count] = offset + (uint32_t)n;
            out->code[count] = (uint8_t)(channel | (sample >> channel & 1) << 7);
            count += left != 0;
            left &= left - 1;
        }
    } while (left != 0);
    if (several != 0)
        edges_put_each(out, now, offset, mask, changed, unit);
    else
        out->count = count;
}

EDGES_INLINE void edges_put_twos_8(struct edges_output *out, const uint8_t *now, uint32_t offset,
                                    uint16_t mask, uint64_t changed)
{
    edges_put_twos(out, now, offset, mask, changed, 1);
}

EDGES_INLINE void edges_put_twos_16(struct edges_output *out, const uint8_t *now, uint32_t offset,
                                     uint16_t mask, uint64_t changed)
{
    edges_put_twos(out, now, offset, mask, changed, 2);
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
        edges_put_sample(out, (uint32_t)at, difference, sample);
    }
    return at;
}

/* The edges of the batch at `now`. Returns how many of its stretches have any; BATCH + 1, and nothing
 * is done, if there is no room for as many edges as they could have. */
EDGES_INLINE unsigned edges_batch(struct edges_output *out, const uint8_t *now, uint32_t offset,
                                  uint16_t mask, size_t unit, edges_stirs *stirs,
                                  edges_changed *changed_of, edges_put *put)
{
    unsigned busy[BATCH], count = 0;

    for (unsigned n = 0; n < BATCH; n++) {
        busy[count] = n * STRETCH;
        count += stirs(now + n * STRETCH * unit, mask, STRETCH) != 0;
    }
    if (out->capacity - out->count < count * STRETCH_EDGES(unit))
        return BATCH + 1;
    for (unsigned i = 0; i < count; i++) {
        const uint8_t *at = now + busy[i] * unit;

        put(out, at, offset + busy[i], mask, changed_of(at, mask));
    }
    return count;
}

/* The same where most stretches of the batch before had an edge: not worth listing them first. */
EDGES_INLINE unsigned edges_busy_batch(struct edges_output *out, const uint8_t *now,
                                       uint32_t offset, uint16_t mask, size_t unit,
                                       int skip_quiet, edges_changed *changed_of,
                                       edges_put *put)
{
    unsigned count = 0;

    if (out->capacity - out->count < BATCH * STRETCH_EDGES(unit))
        return BATCH + 1;
    for (unsigned n = 0; n < BATCH; n++, now += STRETCH * unit, offset += STRETCH) {
        uint64_t changed = changed_of(now, mask);

        if (skip_quiet && changed == 0)
            continue;
        put(out, now, offset, mask, changed);
        count += changed != 0;
    }
    return count;
}

/* What is left behind the last batch, or all if the output has no room for a batch's edges. */
EDGES_INLINE size_t edges_rest(const struct edges_input *in, struct edges_output *out, size_t at,
                               size_t unit, edges_changed *changed_of, edges_put *put)
{
    for (; in->count - at >= STRETCH; at += STRETCH) {
        const uint8_t *now = in->samples + at * unit;
        uint64_t changed = changed_of(now, in->mask);

        if (changed == 0)
            continue;
        if (out->capacity - out->count < STRETCH_EDGES(unit))
            break;
        put(out, now, (uint32_t)at, in->mask, changed);
    }
    return edges_step(in, out, at, in->count, unit);
}

/* Samples to look at one by one: the first, and those up to a border of the cache's lines, since a
 * vector that lies in two lines is read twice. */
EDGES_INLINE size_t edges_unaligned(const struct edges_input *in, size_t unit)
{
    size_t bytes = (size_t)(-(uintptr_t)(in->samples + unit) & (CACHE_LINE - 1));
    size_t samples = 1 + bytes / unit;

    return samples < in->count ? samples : in->count;
}

/* `write_all_from`: so many busy stretches in a batch, BATCH at most, let the next batch be written
 * stretch by stretch at once; with less than BATCH `put` takes a stretch without changes, too. */
EDGES_INLINE size_t edges_run(const struct edges_input *input, struct edges_output *output,
                              size_t unit, unsigned write_all_from, edges_stirs *stirs,
                              edges_changed *changed_of, edges_put *put)
{
    /* Copies: the bytes written could otherwise be these structures, for all the compiler knows. */
    struct edges_input in = *input;
    struct edges_output out = *output;
    const size_t batch = STRETCH * BATCH;
    unsigned busy = 0;
    size_t at, first;

    if (in.count > EDGES_SAMPLES_MAX)
        in.count = EDGES_SAMPLES_MAX;
    if (unit == 1)
        in.mask &= 0xff; /* `before` may have more bits */
    first = edges_unaligned(&in, unit);
    at = edges_step(&in, &out, 0, first, unit);
    while (at > 0 && in.count - at >= batch) {
        const uint8_t *now = in.samples + at * unit;

        edges_ask_ahead(now, batch * unit);
        if (busy >= write_all_from)
            busy = edges_busy_batch(&out, now, (uint32_t)at, in.mask, unit,
                                    write_all_from == BATCH, changed_of, put);
        else if (busy > NEARLY_QUIET || stirs(now, in.mask, batch))
            busy = edges_batch(&out, now, (uint32_t)at, in.mask, unit, stirs, changed_of, put);
        if (busy > BATCH)
            break;
        at += batch;
    }
    /* To come back with an empty output is faster than to fill this one to its end. */
    if (at > 0 && (at <= first || in.count - at < batch))
        at = edges_rest(&in, &out, at, unit, changed_of, put);
    output->count = out.count;
    return at;
}

extern edges_kernel edges_portable_8, edges_portable_16;
#if EDGES_X86
extern edges_kernel edges_sse2_8, edges_sse2_16;
extern edges_kernel edges_avx2_8, edges_avx2_16;
extern edges_kernel edges_avx512_8, edges_avx512_16;
#endif

#endif
