/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Edge extraction: every variant against an oracle that looks at each channel of each sample, in
 * one piece and in two. Input and output are allocations of exactly the size needed, so that
 * sanitizers see any step beyond them.
 *
 * The input: a byte that chooses unit and alignment, capacity, mask, the sample before, where to
 * cut, then stretches of three bytes: one that tells how long, two of samples. */
#include "edges.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD = 9, STRETCH_BYTES = 3, SAMPLES_MAX = 12288, CHANNELS_MAX = 16 };

struct expected {
    uint32_t *offset;
    uint8_t *code;
    size_t count;
};

static unsigned sample_at(const uint8_t *samples, size_t i, size_t unit)
{
    return unit == 1 ? samples[i] : samples[2 * i] + 256u * samples[2 * i + 1];
}

static unsigned word(const uint8_t *at)
{
    return at[0] + 256u * at[1];
}

/* A level held for up to 4096 samples, or two levels in turns for up to 64. */
static size_t stretch_length(uint8_t choice)
{
    return choice < 128 ? (size_t)1 << choice % 13 : choice % 64u + 1;
}

static size_t fill(uint8_t *samples, const uint8_t *data, size_t size, size_t unit)
{
    size_t count = 0;

    for (size_t at = 0; at + STRETCH_BYTES <= size; at += STRETCH_BYTES) {
        size_t length = stretch_length(data[at]);

        for (size_t i = 0; i < length && count < SAMPLES_MAX; i++) {
            unsigned value = data[at] < 128 ? word(data + at + 1) : data[at + 1 + i % 2] * 257u;

            samples[count * unit] = (uint8_t)value;
            if (unit == 2)
                samples[count * 2 + 1] = (uint8_t)(value >> 8);
            count++;
        }
    }
    return count;
}

static void look(const struct edges_input *input, size_t unit, struct expected *expected)
{
    for (size_t i = 0; i < input->count; i++) {
        unsigned previous = i == 0 ? input->before : sample_at(input->samples, i - 1, unit);
        unsigned sample = sample_at(input->samples, i, unit);

        for (unsigned channel = 0; channel < 8 * unit; channel++) {
            unsigned bit = 1u << channel;

            if (!(input->mask & bit) || (sample & bit) == (previous & bit))
                continue;
            expected->offset[expected->count] = (uint32_t)i;
            expected->code[expected->count++] = (uint8_t)(channel | (sample & bit ? 128 : 0));
        }
    }
}

static void fail(const char *what, int variant)
{
    fprintf(stderr, "variant %d: %s\n", variant, what);
    abort();
}

/* Extracts call by call; edges are compared from number `found` on, offsets less `base`. */
static size_t extract(int variant, size_t unit, struct edges_input input, size_t capacity,
                      const struct expected *expected, size_t found, uint32_t base)
{
    struct edges_output output = {malloc(4 * capacity), malloc(capacity), capacity, 0};

    while (input.count > 0) {
        size_t done;

        output.count = 0;
        done = edges_extract(variant, (int)unit, &input, &output);
        if (done == 0 || done > input.count)
            fail("no progress, or too much of it", variant);
        if (output.count > capacity || output.count > expected->count - found)
            fail("more edges than there are", variant);
        for (size_t i = 0; i < output.count; i++, found++)
            if (output.offset[i] + base != expected->offset[found] ||
                output.code[i] != expected->code[found])
                fail("another edge", variant);
        input.before = (uint16_t)sample_at(input.samples, done - 1, unit);
        input.samples += done * unit;
        input.count -= done;
        base += (uint32_t)done;
    }
    free(output.offset);
    free(output.code);
    return found;
}

/* The first `cut` samples, then the rest, each in memory of its own. */
static void check(int variant, size_t unit, struct edges_input input, size_t capacity, size_t cut,
                  const struct expected *expected)
{
    struct edges_input rest = input;
    uint8_t *memory = malloc((input.count - cut) * unit);
    size_t found;

    rest.count = input.count - cut;
    if (rest.count > 0)
        memcpy(memory, input.samples + cut * unit, rest.count * unit);
    rest.samples = memory;
    if (cut > 0)
        rest.before = (uint16_t)sample_at(input.samples, cut - 1, unit);
    input.count = cut;
    found = extract(variant, unit, input, capacity, expected, 0, 0);
    found = extract(variant, unit, rest, capacity, expected, found, (uint32_t)cut);
    if (found != expected->count)
        fail("edges are missing", variant);
    free(memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t samples[2 * SAMPLES_MAX];
    static uint32_t offset[SAMPLES_MAX * CHANNELS_MAX];
    static uint8_t code[SAMPLES_MAX * CHANNELS_MAX];
    struct expected expected = {offset, code, 0};
    size_t unit, shift, count, capacity, cut;
    struct edges_input input;
    uint8_t *memory;

    if (size < HEAD)
        return 0;
    unit = 1 + data[0] % 2;
    shift = data[0] / 2 % 34;
    capacity = EDGES_CAPACITY_MIN + word(data + 1) % 3000;
    count = fill(samples, data + HEAD, size - HEAD, unit);
    cut = word(data + 7) % (count + 1);
    memory = malloc(shift + count * unit);
    if (count > 0)
        memcpy(memory + shift, samples, count * unit);
    input = (struct edges_input){memory + shift, count, (uint16_t)word(data + 3),
                                 (uint16_t)word(data + 5)};
    look(&input, unit, &expected);
    for (int variant = 0; variant < EDGES_VARIANTS; variant++)
        if (edges_can_run(variant)) {
            check(variant, unit, input, capacity, count, &expected);
            check(variant, unit, input, capacity, cut, &expected);
        }
    free(memory);
    return 0;
}
