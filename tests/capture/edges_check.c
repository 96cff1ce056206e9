/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Edge extraction against an oracle that looks at every channel of every sample. Input and output
 * are allocations of exactly the size needed, so that sanitizers see any step beyond them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "edges.h"

enum { ROUNDS = 4000, SAMPLES_MAX = 4000, EDGES_MAX = SAMPLES_MAX * 16 };

struct expected {
    uint32_t offset[EDGES_MAX];
    uint8_t code[EDGES_MAX];
    size_t count;
};

/* xorshift64, Marsaglia 2003, doi:10.18637/jss.v008.i14 */
static uint64_t random_state = 88172645463325252;

static unsigned random_below(unsigned limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (unsigned)(random_state >> 33) % limit;
}

static uint16_t random_mask(void)
{
    return random_below(3) == 0 ? (uint16_t)random_below(0x10000) : 0xffff;
}

/* Quiet, one line toggling now and then or all the time, or noise on all lines, in turns. */
static void fill(uint8_t *samples, size_t count, size_t unit)
{
    unsigned value = random_below(0x10000), gap = 1;

    for (size_t i = 0; i < count; i++) {
        if (random_below(100) == 0)
            gap = 1u << random_below(9);
        if (gap == 2)
            value = random_below(0x10000);
        else if (random_below(gap) == 0)
            value ^= 1u << random_below((unsigned)unit * 8);
        memcpy(samples + i * unit, (uint8_t[]){(uint8_t)value, (uint8_t)(value >> 8)}, unit);
    }
}

static unsigned sample_at(const uint8_t *samples, size_t i, size_t unit)
{
    return unit == 1 ? samples[i] : samples[2 * i] + 256u * samples[2 * i + 1];
}

static void look(const struct edges_input *input, size_t unit, struct expected *expected)
{
    expected->count = 0;
    for (size_t i = 0; i < input->count; i++) {
        unsigned previous = i == 0 ? input->before : sample_at(input->samples, i - 1, unit);
        unsigned sample = sample_at(input->samples, i, unit);

        for (unsigned channel = 0; channel < 8 * unit; channel++) {
            unsigned bit = 1u << channel;

            if (!(input->mask & bit) || (sample & bit) == (previous & bit))
                continue;
            expected->offset[expected->count] = (uint32_t)i;
            expected->code[expected->count++] = (uint8_t)(channel | (sample & bit ? 0x80 : 0));
        }
    }
}

/* Extracts call by call and compares what each call found. Returns whether all is right. */
static int agrees(int variant, int unit, struct edges_input input, size_t capacity,
                  const struct expected *expected)
{
    struct edges_output output = {malloc(4 * capacity), malloc(capacity), capacity, 0};
    size_t found = 0, done = 1;
    uint32_t before = 0;
    int right = 1;

    while (right && input.count > 0 && done > 0) {
        output.count = 0;
        done = edges_extract(variant, unit, &input, &output);
        for (size_t i = 0; i < output.count; i++)
            output.offset[i] += before;
        right = done <= input.count && output.count <= expected->count - found &&
                !memcmp(output.offset, expected->offset + found, 4 * output.count) &&
                !memcmp(output.code, expected->code + found, output.count);
        found += output.count;
        if (right && done > 0) {
            input.before = (uint16_t)sample_at(input.samples, done - 1, (size_t)unit);
            input.samples += done * (size_t)unit;
            before += (uint32_t)done;
            input.count -= done;
        }
    }
    free(output.offset);
    free(output.code);
    return right && input.count == 0 && found == expected->count;
}

/* One train, all variants. Returns whether all are right. */
static int check(int unit, struct expected *expected)
{
    const size_t capacities[] = {EDGES_CAPACITY_MIN, 17, 520, 1100, 8200, 20000, EDGES_MAX};
    size_t count = random_below(SAMPLES_MAX + 1), offset = random_below(3);
    size_t capacity = capacities[random_below(sizeof capacities / sizeof capacities[0])];
    uint8_t *memory = malloc(offset + count * (size_t)unit);
    struct edges_input input = {memory + offset, count, (uint16_t)random_below(0x10000),
                                random_mask()};
    int right = 1;

    fill(memory + offset, count, (size_t)unit);
    look(&input, (size_t)unit, expected);
    for (int variant = 0; variant < EDGES_VARIANTS && right; variant++) {
        if (!edges_can_run(variant))
            continue;
        right = agrees(variant, unit, input, capacity, expected);
        if (!right)
            printf("variant %d is wrong: %d bytes, %zu samples, mask %x, capacity %zu\n", variant,
                   unit, count, (unsigned)input.mask, capacity);
    }
    free(memory);
    return right;
}

int main(void)
{
    static struct expected expected;

    for (int round = 0; round < ROUNDS; round++)
        if (!check(1 + round % 2, &expected))
            return 1;
    for (int variant = 0; variant < EDGES_VARIANTS; variant++)
        if (edges_can_run(variant))
            printf("%d ", variant);
    return 0;
}
