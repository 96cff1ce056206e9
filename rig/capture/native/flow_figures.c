/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is kept of decided events: counts, the histogram, extremes, and a few that deserve a line. */
#include "flow_stages.h"

/* The bins of rig/streaming/histogram.py: whole samples up to 255, then 128 bins an octave. */
enum { EXACT_BITS = 8 };

static unsigned bin_of(uint64_t value)
{
    unsigned bits = 64 - (unsigned)__builtin_clzll(value | 1);
    unsigned shift = bits > EXACT_BITS ? bits - EXACT_BITS : 0;

    return (shift << (EXACT_BITS - 1)) + (unsigned)(value >> shift);
}

static unsigned add_latency(struct flow *flow, int64_t event, int64_t stimulus, int64_t response)
{
    struct flow_results *results = &flow->results;
    struct flow_extreme found = {response - stimulus, event, stimulus};
    uint64_t latency = (uint64_t)found.latency_samples;
    unsigned reasons = 0;

    flow->bins[bin_of(latency)]++;
    results->sum_low += latency;
    results->sum_high += results->sum_low < latency;
    if (found.latency_samples > results->maximum.latency_samples) {
        results->maximum = found;
        reasons |= FLOW_IS_MAXIMUM;
    }
    if (results->served++ == 0 || found.latency_samples < results->minimum.latency_samples)
        results->minimum = found;
    if (flow->limit >= 0 && found.latency_samples > flow->limit) {
        results->over_limit++;
        reasons |= FLOW_OVER_LIMIT;
    }
    return reasons;
}

static void note(struct flow *flow, struct flow_notable notable)
{
    if (flow->notable_tail - flow->notable_head == FLOW_NOTABLE_MAX)
        flow->results.notable_lost++;
    else
        flow->notable[flow->notable_tail++ % FLOW_NOTABLE_MAX] = notable;
}

void flow_figures_begin(struct flow *flow, const struct flow_settings *settings)
{
    flow->limit = settings->limit_samples;
    flow->results.maximum.latency_samples = -1;
    flow->results.minimum.latency_samples = -1;
}

void flow_figures_event(struct flow *flow, int64_t event, int kind, int64_t stimulus,
                        int64_t response)
{
    static const uint8_t reason_of[FLOW_CLASSES] = {
        [FLOW_MISSED] = FLOW_IS_MISSED,
        [FLOW_LATE] = FLOW_IS_LATE,
        [FLOW_MERGED] = FLOW_IS_MERGED,
        [FLOW_AMBIGUOUS] = FLOW_IS_AMBIGUOUS};
    unsigned reasons = reason_of[kind];

    flow->results.classes[kind]++;
    if (response >= 0)
        reasons |= add_latency(flow, event, stimulus, response);
    if (reasons != 0)
        note(flow, (struct flow_notable){event, stimulus, response, (uint8_t)kind,
                                         (uint8_t)reasons});
}

void flow_figures_revise(struct flow *flow, int64_t event, int kind, int64_t stimulus,
                         int64_t response)
{
    flow->results.classes[FLOW_MISSED]--;
    flow_figures_event(flow, event, kind, stimulus, response);
}

size_t flow_figures_take(struct flow *flow, struct flow_notable *into, size_t capacity)
{
    size_t taken = 0;

    while (taken < capacity && flow->notable_head != flow->notable_tail)
        into[taken++] = flow->notable[flow->notable_head++ % FLOW_NOTABLE_MAX];
    return taken;
}
