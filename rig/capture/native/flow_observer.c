/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What edges mean: rig/analysis/observation.py, edge by edge. */
#include <stdlib.h>

#include "flow_stages.h"

enum role { ROLE_NONE, ROLE_STIMULUS, ROLE_RESPONSE, ROLE_PIN };

static void hand_on_first(struct flow *flow)
{
    struct flow_observer *observer = &flow->observer;
    int64_t held = observer->held[observer->head++ & observer->mask];

    if (held & 1)
        flow_pairing_answer(flow, held >> 1, observer->pin_levels);
    else
        flow_pairing_stimulus(flow, held >> 1);
}

static void hold(struct flow *flow, int64_t held)
{
    struct flow_observer *observer = &flow->observer;
    size_t at;

    if (observer->tail - observer->head > observer->mask) {
        flow->results.forced++;
        hand_on_first(flow);
    }
    at = observer->tail++;
    /* A stimulus counts as before an answer of the same sample, whatever their channels. */
    if (at != observer->head && observer->held[(at - 1) & observer->mask] > held) {
        observer->held[at & observer->mask] = observer->held[(at - 1) & observer->mask];
        at--;
    }
    observer->held[at & observer->mask] = held;
}

/* Hands on what is more than the settling time before `now`; the pins show all edges before it. */
static void hand_on(struct flow *flow, int64_t now)
{
    struct flow_observer *observer = &flow->observer;

    while (observer->head != observer->tail &&
           now - (observer->held[observer->head & observer->mask] >> 1) > observer->settle)
        hand_on_first(flow);
}

int flow_observer_begin(struct flow *flow, const struct flow_settings *settings)
{
    struct flow_observer *observer = &flow->observer;
    int64_t size = 1;

    while (size < 2 * (settings->settle_samples + 1) && size < FLOW_HELD_MAX)
        size *= 2;
    observer->mask = (size_t)size - 1;
    observer->held = malloc((size_t)size * sizeof *observer->held);
    observer->settle = settings->settle_samples;
    observer->active_level = settings->active_level;
    observer->answer_level = settings->answer_level;
    observer->role[settings->stimulus] = ROLE_STIMULUS;
    observer->role[settings->response] = ROLE_RESPONSE;
    for (unsigned bit = 0; bit < settings->pins; bit++)
        observer->role[settings->pin[bit]] = (uint8_t)(ROLE_PIN + bit);
    return observer->held != NULL;
}

void flow_observer_levels(struct flow *flow, uint64_t levels)
{
    struct flow_observer *observer = &flow->observer;

    for (unsigned channel = 0; channel < FLOW_LEVELS; channel++)
        if (observer->role[channel] >= ROLE_PIN)
            observer->pin_levels |= (levels >> channel & 1) << (observer->role[channel] - ROLE_PIN);
}

void flow_observer_edge(struct flow *flow, int64_t index, unsigned channel, unsigned level)
{
    struct flow_observer *observer = &flow->observer;
    unsigned role = observer->role[channel];

    hand_on(flow, index);
    if (role >= ROLE_PIN)
        observer->pin_levels ^= UINT64_C(1) << (role - ROLE_PIN);
    else if (role == ROLE_STIMULUS && level == observer->active_level)
        hold(flow, index * 2);
    else if (role == ROLE_RESPONSE &&
             (observer->answer_level < 0 || level == (unsigned)observer->answer_level))
        hold(flow, index * 2 + 1);
}

void flow_observer_end(struct flow *flow, int64_t end)
{
    hand_on(flow, end);
    flow_pairing_expire(flow, end - flow->observer.settle);
}

void flow_observer_finish(struct flow *flow)
{
    hand_on(flow, 2 * FLOW_SAMPLE_MAX);
}
