/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Flows under sanitizers: random lines and settings, fed whole and in pieces, must say the same and
 * add up. Blocks are allocations of exactly the size needed; nonsense must be refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flow.h"

enum { ROUNDS = 3000, EDGES_MAX = 4000, CHANNELS = 8 };

struct train {
    uint32_t offset[EDGES_MAX];
    uint8_t code[EDGES_MAX];
    size_t count;
    int64_t samples;
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

/* All lines with a rate of their own, which changes now and then. */
static void fill(struct train *train)
{
    unsigned gap[CHANNELS], level = 0;
    uint32_t at = 0;

    train->count = 0;
    for (unsigned channel = 0; channel < CHANNELS; channel++)
        gap[channel] = 1u << random_below(9);
    for (size_t wanted = random_below(EDGES_MAX); train->count + CHANNELS <= wanted; at++) {
        if (random_below(200) == 0)
            gap[random_below(CHANNELS)] = 1u << random_below(9);
        for (unsigned channel = 0; channel < CHANNELS; channel++) {
            if (random_below(gap[channel]) != 0)
                continue;
            level ^= 1u << channel;
            train->offset[train->count] = at;
            train->code[train->count++] = (uint8_t)(channel | (level >> channel & 1) << 7);
        }
    }
    train->samples = (int64_t)at + random_below(3000);
}

static struct flow_settings random_settings(void)
{
    const int64_t widths[] = {0, 1, 3, 40, 2000}, horizons[] = {0, 10, 500, FLOW_SAMPLE_MAX - 1};
    struct flow_settings settings = {0};

    settings.glitch_samples = widths[random_below(5)];
    settings.horizon_samples = horizons[random_below(4)];
    settings.limit_samples = (int64_t)random_below(50) - 1;
    settings.capacity = 1u << random_below(12);
    settings.active_level = (uint8_t)random_below(2);
    settings.answer_level = (int8_t)((int)random_below(3) - 1);
    settings.stimulus = (uint8_t)random_below(2);
    settings.response = 1 - settings.stimulus;
    settings.pins = (uint8_t)random_below(CHANNELS - 1);
    settings.settle_samples = settings.pins > 0 ? 2 + random_below(200) : 0;
    for (unsigned bit = 0; bit < settings.pins; bit++)
        settings.pin[bit] = (uint8_t)(2 + bit);
    return settings;
}

/* Edges `first` to `last` of the train, as a block of samples [start, end). */
static int feed(struct flow *flow, const struct train *train, size_t first, size_t last,
                int64_t start, int64_t end)
{
    const int64_t begin = INT64_C(1) << 40;
    size_t count = last - first;
    uint32_t *offset = malloc(count * sizeof *offset + (count == 0));
    uint8_t *code = malloc(count + (count == 0));
    int failed;

    for (size_t i = 0; i < count; i++)
        offset[i] = (uint32_t)(train->offset[first + i] - start);
    memcpy(code, train->code + first, count);
    failed = flow_feed(flow, begin + start, begin + end, offset, code, count, 0);
    free(offset);
    free(code);
    return failed;
}

static int feed_pieces(struct flow *flow, const struct train *train, unsigned longest)
{
    size_t first = 0, last = 0;
    int64_t start = 0;

    while (start < train->samples) {
        int64_t end = start + 1 + random_below(longest);

        end = end < train->samples ? end : train->samples;
        while (last < train->count && train->offset[last] < end)
            last++;
        if (feed(flow, train, first, last, start, end) != 0)
            return 0;
        first = last;
        start = end;
    }
    return 1;
}

static int adds_up(const struct flow *flow)
{
    const struct flow_results *results = flow_results(flow);
    const int64_t *classes = results->classes;
    uint64_t served = 0;

    for (size_t bin = 0; bin < FLOW_BINS; bin++)
        served += flow_histogram(flow)[bin];
    return results->decided == results->stimuli && served == (uint64_t)results->served &&
           classes[FLOW_ANSWERED] + classes[FLOW_LATE] + classes[FLOW_MERGED] +
                   classes[FLOW_AMBIGUOUS] ==
               results->served &&
           results->served + classes[FLOW_MISSED] == results->decided &&
           classes[FLOW_ANSWERED] + classes[FLOW_LATE] + results->extras[FLOW_DUPLICATE] +
                   results->extras[FLOW_SPURIOUS] <=
               results->answers;
}

static int same(struct flow *one, struct flow *other)
{
    struct flow_notable mine[FLOW_NOTABLE_MAX] = {0}, others[FLOW_NOTABLE_MAX] = {0};
    size_t count = flow_take_notable(one, mine, FLOW_NOTABLE_MAX);

    if (flow_take_notable(other, others, FLOW_NOTABLE_MAX) != count)
        return 0;
    for (size_t i = 0; i < count; i++)
        if (mine[i].event != others[i].event || mine[i].kind != others[i].kind ||
            mine[i].reasons != others[i].reasons ||
            mine[i].response_sample != others[i].response_sample)
            return 0;
    return !memcmp(flow_results(one), flow_results(other), sizeof *flow_results(one)) &&
           !memcmp(flow_histogram(one), flow_histogram(other), FLOW_BINS * sizeof(uint64_t));
}

/* Damaged in one place: refused, and nothing of it taken. */
static int refuses(struct flow *flow, const struct train *train)
{
    struct flow_results before = *flow_results(flow);
    struct train damaged = *train;
    size_t place;

    if (train->count < 2)
        return 1;
    place = 1 + random_below((unsigned)train->count - 1);
    damaged.offset[place] = damaged.offset[place - 1];
    damaged.code[place] = damaged.code[place - 1];
    return feed(flow, &damaged, 0, damaged.count, 0, train->samples) != 0 &&
           feed(flow, train, 0, train->count, 0, train->offset[train->count - 1]) != 0 &&
           !memcmp(&before, flow_results(flow), sizeof before);
}

static int check(struct train *train)
{
    struct flow_settings settings = random_settings();
    struct flow *whole = flow_new(&settings), *pieces = flow_new(&settings);
    int right = whole != NULL && pieces != NULL;

    fill(train);
    right = right && refuses(whole, train) &&
            feed(whole, train, 0, train->count, 0, train->samples) == 0 &&
            feed_pieces(pieces, train, 1u << random_below(13));
    if (right) {
        flow_finish(whole);
        flow_finish(pieces);
        right = adds_up(whole) && same(whole, pieces) &&
                feed(whole, train, 0, 0, train->samples, train->samples + 1) != 0;
    }
    flow_free(whole);
    flow_free(pieces);
    return right;
}

int main(void)
{
    static struct train train;

    for (int round = 0; round < ROUNDS; round++) {
        if (!check(&train)) {
            printf("round %d is wrong\n", round);
            return 1;
        }
    }
    return 0;
}
