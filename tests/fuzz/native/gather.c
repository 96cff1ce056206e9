/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Edges gathered in the driver's callback: whatever packets come, and whenever what was gathered is
 * taken, each packet is gathered whole or handed to Python, and what is taken is what an oracle
 * sees that looks at each channel of each sample. Packets are allocations of exactly their size, so
 * that sanitizers see any step beyond them.
 *
 * The input: variant, unit, mask, then six bytes a step: what to do, and with what. */
#include "gather.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "edges.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD = 4, STEP = 6, LENGTH_MAX = 1 << 15, STEPS_MAX = 64, LOGIC = 10004 };
/* Extraction comes back before its output is full: a batch of samples may have so many edges. */
enum { SPARE = 1 << 14 };

struct oracle {
    int unit; /* 0: not gathering */
    uint16_t mask, before, after;
    int64_t start, end;
    size_t count;
    uint32_t offset[GATHER_CAPACITY];
    uint8_t code[GATHER_CAPACITY];
};

static struct oracle oracle;
static unsigned handed_over;

static void fail(const char *what)
{
    fprintf(stderr, "gather: %s\n", what);
    abort();
}

static void check(int holds, const char *what)
{
    if (!holds)
        fail(what);
}

static void python(const void *device, const struct sr_datafeed_packet *packet, void *data)
{
    (void)device, (void)packet;
    check(data == NULL, "Python gets another's data");
    handed_over++;
}

static unsigned word(const uint8_t *at)
{
    return at[0] + 256u * at[1];
}

static unsigned sample_at(const uint8_t *samples, size_t i)
{
    return oracle.unit == 1 ? samples[i] : word(samples + 2 * i);
}

/* Edges of a packet behind those that wait; their number, also of those that find no room. */
static size_t look(const uint8_t *samples, size_t count)
{
    size_t found = oracle.count;
    unsigned before = oracle.after;

    for (size_t i = 0; i < count; i++) {
        unsigned sample = sample_at(samples, i) & oracle.mask;

        for (unsigned channel = 0; channel < 16; channel++) {
            unsigned bit = 1u << channel;

            if ((sample & bit) == (before & bit))
                continue;
            if (found < GATHER_CAPACITY) {
                oracle.offset[found] = (uint32_t)(oracle.end - oracle.start + (int64_t)i);
                oracle.code[found] = (uint8_t)(channel | (sample & bit ? 128 : 0));
            }
            found++;
        }
        before = sample;
    }
    return found - oracle.count;
}

static void fill(uint8_t *bytes, size_t length, const uint8_t *step)
{
    unsigned every = step[3] % 16u + 1;

    for (size_t i = 0; i < length; i++)
        bytes[i] = i / every % 2 ? step[4] : step[5];
}

static void send(struct gather *gather, const uint8_t *step)
{
    size_t length = word(step + 1) % (LENGTH_MAX + 1u);
    uint8_t *bytes = malloc(length);
    struct sr_datafeed_logic logic = {length, (uint16_t)(step[0] & 8 ? step[3] % 4 : oracle.unit),
                                      bytes};
    struct sr_datafeed_packet packet = {step[0] & 16 ? step[3] : LOGIC, &logic};
    int plain = oracle.unit != 0 && packet.type == LOGIC && logic.unitsize == oracle.unit &&
                length > 0 && length % (size_t)oracle.unit == 0;
    unsigned before = handed_over;
    size_t samples = plain ? length / (size_t)oracle.unit : 0, found;

    fill(bytes, length, step);
    found = look(bytes, samples);
    gather_packet(NULL, &packet, gather);
    if (handed_over != before) {
        check(handed_over == before + 1, "Python gets a packet twice");
        check(!plain || oracle.count > GATHER_EDGES_MAX ||
                  oracle.count + found + SPARE > GATHER_CAPACITY,
              "a plain packet goes to Python though there is room");
    } else {
        check(plain, "a packet that is not plain is gathered");
        check(oracle.count + found <= GATHER_CAPACITY, "more edges than there is room for");
        oracle.count += found;
        oracle.end += (int64_t)samples;
        oracle.after = (uint16_t)(sample_at(bytes, samples - 1) & oracle.mask);
    }
    free(bytes);
}

static void forget(void)
{
    oracle.start = oracle.end;
    oracle.before = oracle.after;
    oracle.count = 0;
}

static void take(struct gather *gather, int end)
{
    uint32_t *offset = malloc(oracle.count * sizeof *offset);
    uint8_t *code = malloc(oracle.count);
    struct gathered taken;

    check(gather_take(gather, end, &taken, offset, code) == (oracle.end > oracle.start),
          "there is something, or nothing");
    check(taken.start_sample == oracle.start && taken.end_sample == oracle.end, "other samples");
    check(taken.levels_before == oracle.before && taken.levels_after == oracle.after,
          "other levels");
    check(taken.count == oracle.count, "another number of edges");
    for (size_t i = 0; i < oracle.count; i++)
        check(offset[i] == oracle.offset[i] && code[i] == oracle.code[i], "another edge");
    free(offset);
    free(code);
    forget();
    if (end)
        oracle.unit = 0;
}

static void begin(struct gather *gather, const uint8_t *step)
{
    take(gather, 1);
    oracle.unit = 1 + step[1] % 2;
    oracle.end = (int64_t)word(step + 2) << step[4] % 32;
    oracle.after = (uint16_t)(word(step + 4) & oracle.mask & (oracle.unit == 1 ? 0xff : 0xffff));
    forget();
    gather_begin(gather, oracle.unit, oracle.end, oracle.after);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct gather *gather;
    int variant;

    if (size < HEAD)
        return 0;
    variant = data[0] % (EDGES_VARIANTS + 1);
    oracle = (struct oracle){.mask = (uint16_t)word(data + 2)};
    gather = gather_new(variant, oracle.mask, python);
    check((gather != NULL) == edges_can_run(variant), "a variant that cannot run");
    if (gather == NULL)
        return 0;
    if (data[1] & 1)
        begin(gather, (const uint8_t[]){0, data[1] >> 1, 0, 0, 0, 0});
    for (size_t at = HEAD, steps = 0; at + STEP <= size && steps < STEPS_MAX; at += STEP, steps++) {
        const uint8_t *step = data + at;

        if (step[0] % 8 == 0)
            begin(gather, step);
        else if (step[0] % 8 == 1)
            take(gather, step[1] & 1);
        else
            send(gather, step);
    }
    take(gather, 0);
    gather_free(gather);
    return 0;
}
