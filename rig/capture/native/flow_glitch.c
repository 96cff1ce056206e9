/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The glitch filter: rig/analysis/glitch.py, edge by edge. */
#include "flow_stages.h"

enum { END_OF_LIST = FLOW_CHANNELS };

static void append(struct flow_glitch *glitch, unsigned channel)
{
    unsigned last = glitch->previous[END_OF_LIST];

    glitch->next[last] = (uint8_t)channel;
    glitch->previous[channel] = (uint8_t)last;
    glitch->next[channel] = END_OF_LIST;
    glitch->previous[END_OF_LIST] = (uint8_t)channel;
    glitch->waits[channel] = 1;
}

static void take_out(struct flow_glitch *glitch, unsigned channel)
{
    unsigned before = glitch->previous[channel], behind = glitch->next[channel];

    glitch->next[before] = (uint8_t)behind;
    glitch->previous[behind] = (uint8_t)before;
    glitch->waits[channel] = 0;
}

/* Hands on the waiting edges that none at `now` or later can remove. */
static void hand_on(struct flow *flow, int64_t now)
{
    struct flow_glitch *glitch = &flow->glitch;
    unsigned channel = glitch->next[END_OF_LIST];

    while (channel != END_OF_LIST && now - glitch->index[channel] >= glitch->width) {
        take_out(glitch, channel);
        flow_observer_edge(flow, glitch->index[channel], channel, glitch->level[channel]);
        channel = glitch->next[END_OF_LIST];
    }
}

void flow_glitch_begin(struct flow *flow, const struct flow_settings *settings)
{
    struct flow_glitch *glitch = &flow->glitch;

    glitch->width = settings->glitch_samples;
    glitch->next[END_OF_LIST] = glitch->previous[END_OF_LIST] = END_OF_LIST;
}

void flow_glitch_edge(struct flow *flow, int64_t index, unsigned channel, unsigned level)
{
    struct flow_glitch *glitch = &flow->glitch;

    hand_on(flow, index);
    if (glitch->waits[channel]) { /* so it is nearer than a width: a short pulse ends here */
        take_out(glitch, channel);
        flow->results.removed[channel]++;
    } else {
        append(glitch, channel);
    }
    glitch->index[channel] = index;
    glitch->level[channel] = (uint8_t)level;
}

int64_t flow_glitch_end(struct flow *flow, int64_t end)
{
    const struct flow_glitch *glitch = &flow->glitch;

    hand_on(flow, end);
    if (glitch->next[END_OF_LIST] != END_OF_LIST)
        return glitch->index[glitch->next[END_OF_LIST]];
    return end;
}

void flow_glitch_finish(struct flow *flow)
{
    hand_on(flow, 2 * FLOW_SAMPLE_MAX);
}
