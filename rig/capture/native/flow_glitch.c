/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The glitch filter: rig/analysis/glitch.py, edge by edge. */
#include "flow_stages.h"

enum { NOWHERE = -1 };

static struct flow_waiting *at(struct flow_glitch *glitch, int64_t place)
{
    return &glitch->waiting[(uint64_t)place % FLOW_WAITING];
}

/* Hands on the waiting edges that none at `now` or later can remove. */
static void hand_on(struct flow *flow, int64_t now)
{
    struct flow_glitch *glitch = &flow->glitch;

    while (glitch->head != glitch->tail) {
        struct flow_waiting edge = *at(glitch, glitch->head);

        if (!edge.removed && now - edge.index < glitch->width)
            break;
        glitch->head++;
        if (!edge.removed)
            flow_observer_edge(flow, edge.index, edge.channel, edge.level);
    }
}

/* Closes the gaps that removed edges left: at most one edge of a channel remains. */
static void close_gaps(struct flow_glitch *glitch)
{
    int64_t to = glitch->head;

    for (int64_t from = glitch->head; from != glitch->tail; from++) {
        struct flow_waiting edge = *at(glitch, from);

        if (edge.removed)
            continue;
        glitch->place[edge.channel] = to;
        *at(glitch, to++) = edge;
    }
    glitch->tail = to;
}

void flow_glitch_begin(struct flow *flow, const struct flow_settings *settings)
{
    flow->glitch.width = settings->glitch_samples;
    for (unsigned channel = 0; channel < FLOW_CHANNELS; channel++)
        flow->glitch.place[channel] = NOWHERE;
}

void flow_glitch_edge(struct flow *flow, int64_t index, unsigned channel, unsigned level)
{
    struct flow_glitch *glitch = &flow->glitch;

    hand_on(flow, index);
    if (glitch->place[channel] >= glitch->head) { /* nearer than a width: a short pulse */
        at(glitch, glitch->place[channel])->removed = 1;
        glitch->place[channel] = NOWHERE;
        flow->results.removed[channel]++;
        return;
    }
    if (glitch->tail - glitch->head == FLOW_WAITING)
        close_gaps(glitch);
    glitch->place[channel] = glitch->tail;
    *at(glitch, glitch->tail++) =
        (struct flow_waiting){index, (uint8_t)channel, (uint8_t)level, 0};
}

int64_t flow_glitch_end(struct flow *flow, int64_t end)
{
    struct flow_glitch *glitch = &flow->glitch;

    hand_on(flow, end);
    return glitch->head == glitch->tail ? end : at(glitch, glitch->head)->index;
}

void flow_glitch_finish(struct flow *flow)
{
    hand_on(flow, 2 * FLOW_SAMPLE_MAX);
}
