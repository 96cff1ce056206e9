/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "flow_stages.h"

#define EXPORT __attribute__((visibility("default")))

static int is_time(int64_t samples)
{
    return samples >= 0 && samples < FLOW_SAMPLE_MAX;
}

/* Every signal has a channel of its own. */
static int channels_right(const struct flow_settings *settings)
{
    uint8_t taken[FLOW_LEVELS] = {0};

    if (settings->stimulus >= FLOW_LEVELS || settings->response >= FLOW_LEVELS ||
        settings->pins > FLOW_PINS_MAX)
        return 0;
    taken[settings->stimulus]++;
    if (taken[settings->response]++ != 0)
        return 0;
    for (unsigned bit = 0; bit < settings->pins; bit++)
        if (settings->pin[bit] >= FLOW_LEVELS || taken[settings->pin[bit]]++ != 0)
            return 0;
    return settings->active_level <= 1 && settings->answer_level >= -1 &&
           settings->answer_level <= 1;
}

static int settings_right(const struct flow_settings *settings)
{
    uint32_t capacity = settings->capacity;

    return is_time(settings->glitch_samples) && is_time(settings->settle_samples) &&
           is_time(settings->horizon_samples) &&
           settings->limit_samples >= -1 && capacity > 0 && capacity <= FLOW_CAPACITY_MAX &&
           (capacity & (capacity - 1)) == 0 && channels_right(settings);
}

/* In order of (offset, channel), no two alike, and all within the block. */
static int edges_right(const uint32_t *offset, const uint8_t *code, size_t count, int64_t samples)
{
    int wrong = 0;

    if (count == 0)
        return 1;
    for (size_t i = 1; i < count; i++) {
        uint64_t before = (uint64_t)offset[i - 1] << 7 | (code[i - 1] & 0x7f);

        wrong |= ((uint64_t)offset[i] << 7 | (code[i] & 0x7f)) <= before;
    }
    return !wrong && offset[count - 1] < samples;
}

EXPORT int flow_interface(void)
{
    return FLOW_INTERFACE;
}

EXPORT struct flow *flow_new(const struct flow_settings *settings)
{
    struct flow *flow;

    if (!settings_right(settings))
        return NULL;
    flow = calloc(1, sizeof *flow);
    if (flow == NULL)
        return NULL;
    flow->end = -1;
    flow_glitch_begin(flow, settings);
    flow_figures_begin(flow, settings);
    if (!flow_observer_begin(flow, settings) || !flow_pairing_begin(flow, settings)) {
        flow_free(flow);
        return NULL;
    }
    return flow;
}

EXPORT void flow_free(struct flow *flow)
{
    if (flow == NULL)
        return;
    free(flow->observer.held);
    flow_pairing_free(flow);
    free(flow);
}

EXPORT int flow_feed(struct flow *flow, int64_t start, int64_t end, const uint32_t *offset,
                     const uint8_t *code, size_t count, uint64_t levels_before)
{
    int64_t certain = end;

    if (flow->finished || start < 0 || end < start || end >= FLOW_SAMPLE_MAX ||
        (flow->end >= 0 && start != flow->end) || !edges_right(offset, code, count, end - start))
        return -1;
    if (flow->end < 0)
        flow_observer_levels(flow, levels_before);
    flow->end = end;
    if (flow->glitch.width == 0) {
        for (size_t i = 0; i < count; i++)
            flow_observer_edge(flow, start + offset[i], code[i] & 0x7f, code[i] >> 7);
    } else {
        for (size_t i = 0; i < count; i++)
            flow_glitch_edge(flow, start + offset[i], code[i] & 0x7f, code[i] >> 7);
        certain = flow_glitch_end(flow, end);
    }
    flow_observer_end(flow, certain);
    return 0;
}

EXPORT void flow_finish(struct flow *flow)
{
    if (flow->finished)
        return;
    flow->finished = 1;
    flow_glitch_finish(flow);
    flow_observer_finish(flow);
    flow_pairing_finish(flow);
}

EXPORT const struct flow_results *flow_results(const struct flow *flow)
{
    return &flow->results;
}

EXPORT const uint64_t *flow_histogram(const struct flow *flow)
{
    return flow->bins;
}

EXPORT size_t flow_take_notable(struct flow *flow, struct flow_notable *into, size_t capacity)
{
    return flow_figures_take(flow, into, capacity);
}
