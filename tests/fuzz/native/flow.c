/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Live figures: whatever settings and edges come, they are refused or their sums are right, and the
 * same edges in pieces say the same. Blocks are allocations of exactly the size needed, so that
 * sanitizers see any step beyond them.
 *
 * The input: settings, how to cut, the levels before, then three bytes an edge: its distance from
 * the last one, channel and level. */
#include "flow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD = 32, EDGE_BYTES = 3, EDGES_MAX = 8192, CAPACITY_BITS_MAX = 10 };

struct train {
    uint32_t offset[EDGES_MAX];
    uint8_t code[EDGES_MAX];
    size_t count;
    int64_t samples, start;
    uint64_t levels;
};

static uint64_t number(const uint8_t *at, size_t bytes)
{
    uint64_t value = 0;

    while (bytes-- > 0)
        value = value << 8 | at[bytes];
    return value;
}

/* Small values, values near the limits, and some beyond them. */
static int64_t samples_of(const uint8_t *at)
{
    return (int64_t)(number(at, 2) << at[2] % 48) - (at[2] >> 7);
}

static struct flow_settings settings_of(const uint8_t *data)
{
    struct flow_settings settings = {0};

    settings.glitch_samples = samples_of(data);
    settings.settle_samples = samples_of(data + 3);
    settings.horizon_samples = samples_of(data + 6);
    settings.limit_samples = samples_of(data + 9);
    settings.capacity = data[12] & 0x80 ? data[12] : 1u << data[12] % CAPACITY_BITS_MAX;
    settings.stimulus = data[13];
    settings.response = data[14];
    settings.active_level = data[15] & 3;
    settings.answer_level = (int8_t)((data[15] >> 2) % 5 - 2);
    settings.pins = data[16] % (FLOW_PINS_MAX + 2);
    for (unsigned bit = 0; bit < FLOW_PINS_MAX; bit++)
        settings.pin[bit] = (uint8_t)(data[17] + bit * (data[18] % 4 + (data[18] < 128)));
    return settings;
}

/* Edges in order, unless `wild` lets them be anything. */
static void fill(struct train *train, const uint8_t *data, size_t size, int wild)
{
    uint32_t at = 0;

    train->count = 0;
    for (size_t i = 0; i + EDGE_BYTES <= size && train->count < EDGES_MAX; i += EDGE_BYTES) {
        uint32_t distance = (uint32_t)number(data + i, 2);
        size_t n = train->count;

        distance = distance >> 15 ? (distance & 0x7fff) << 4 : distance & 0x3f;
        if (!wild && n > 0 && distance == 0 && (data[i + 2] & 0x7f) <= (train->code[n - 1] & 0x7f))
            distance = 1;
        at += distance;
        train->offset[n] = wild && data[i] == 0xff ? (uint32_t)number(data + i, 3) : at;
        train->code[train->count++] = data[i + 2];
    }
    train->samples = (int64_t)at + 1 + data[-1];
}

/* Edges `first` to `last` as a block of samples [from, to) of the train. */
static int feed(struct flow *flow, const struct train *train, size_t first, size_t last,
                int64_t from, int64_t to)
{
    size_t count = last - first;
    uint32_t *offset = malloc(count * sizeof *offset);
    uint8_t *code = malloc(count);
    int refused;

    for (size_t i = 0; i < count; i++)
        offset[i] = train->offset[first + i] - (uint32_t)from;
    if (count > 0)
        memcpy(code, train->code + first, count);
    refused = flow_feed(flow, train->start + from, train->start + to, offset, code, count,
                        train->levels);
    free(offset);
    free(code);
    return refused;
}

static void require(int condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "%s\n", what);
    abort();
}

/* Pieces of about `step` edges, with empty ones between them. */
static void feed_pieces(struct flow *flow, const struct train *train, size_t step)
{
    size_t first = 0;

    for (int64_t from = 0; from < train->samples;) {
        size_t last = first + step < train->count ? first + step : train->count;
        int64_t to = last == train->count ? train->samples : train->offset[last] + INT64_C(1);

        while (last < train->count && train->offset[last] < to)
            last++;
        require(feed(flow, train, first, last, from, to) == 0, "a piece is refused");
        first = last;
        from = to;
        to = from + (train->samples - from) / 2;
        if (first < train->count && train->offset[first] < to)
            to = train->offset[first];
        require(feed(flow, train, first, first, from, to) == 0, "an empty piece is refused");
        from = to;
    }
}

static void check_sums(const struct flow *flow)
{
    const struct flow_results *results = flow_results(flow);
    const int64_t *classes = results->classes;
    uint64_t served = 0;

    for (size_t bin = 0; bin < FLOW_BINS; bin++)
        served += flow_histogram(flow)[bin];
    require(results->decided == results->stimuli, "a stimulus is not decided");
    require(served == (uint64_t)results->served, "the histogram has another number of latencies");
    require(classes[FLOW_ANSWERED] + classes[FLOW_LATE] + classes[FLOW_MERGED] +
                    classes[FLOW_AMBIGUOUS] ==
                results->served,
            "classes and latencies differ");
    require(results->served + classes[FLOW_MISSED] == results->decided, "a stimulus has no class");
    require(classes[FLOW_ANSWERED] + classes[FLOW_LATE] + results->extras[FLOW_DUPLICATE] +
                    results->extras[FLOW_SPURIOUS] <=
                results->answers,
            "an answer is not accounted for");
}

static void check_same(const struct flow *one, const struct flow *other)
{
    require(!memcmp(flow_results(one), flow_results(other), sizeof *flow_results(one)),
            "pieces say something else");
    require(!memcmp(flow_histogram(one), flow_histogram(other), FLOW_BINS * sizeof(uint64_t)),
            "pieces have another histogram");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct train train;
    struct flow_settings settings;
    struct flow *whole, *pieces;
    struct flow_results before;

    if (size < HEAD)
        return 0;
    settings = settings_of(data);
    train.start = samples_of(data + 19) & (2 * FLOW_SAMPLE_MAX - 1);
    train.levels = number(data + 22, 8);
    fill(&train, data + HEAD, size - HEAD, data[30] & 1);
    whole = flow_new(&settings);
    pieces = flow_new(&settings);
    require((whole == NULL) == (pieces == NULL), "settings are right once and wrong once");
    if (whole != NULL) {
        before = *flow_results(whole);
        if (feed(whole, &train, 0, train.count, 0, train.samples) != 0) {
            require(!memcmp(&before, flow_results(whole), sizeof before), "of a refused block some");
        } else {
            feed_pieces(pieces, &train, 1 + data[30] / 2);
            flow_finish(whole);
            flow_finish(pieces);
            check_sums(whole);
            check_same(whole, pieces);
        }
    }
    flow_free(whole);
    flow_free(pieces);
    return 0;
}
