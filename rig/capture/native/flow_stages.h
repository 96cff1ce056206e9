/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The stages of a flow. Each hands to the next what it has decided, in order of time:
 * glitch filter -> observer -> pairing -> figures. */
#ifndef RIG_FLOW_STAGES_H
#define RIG_FLOW_STAGES_H

#include "flow.h"

/* Keeps of each channel its last edge, if that one may stay: later edges of the channel that are
 * a width or more away leave it, and a nearer one removes it and itself. Two edges of a channel that
 * may both stay are a width apart, so at most one of a channel waits, and what is decided never
 * waits for what is not. Removed ones leave gaps in the ring, which are closed when it is full. */
enum { FLOW_WAITING = 2 * FLOW_CHANNELS };

struct flow_waiting {
    int64_t index;
    uint8_t channel, level, removed;
};

struct flow_glitch {
    int64_t width;
    int64_t head, tail; /* positions in the ring count up for ever */
    int64_t place[FLOW_CHANNELS]; /* of the edge that waits; below `head` if none does */
    struct flow_waiting waiting[FLOW_WAITING]; /* in order of (index, channel) */
};

/* Holds stimuli and answers back until `settle` samples are over. At most one of each is in a
 * sample, so the settings bound how many these are. If that is more than FLOW_HELD_MAX, as of a file
 * with a time step far below what lines can do, a full ring gives up its oldest before its time. */
enum { FLOW_HELD_MAX = 1 << 16 };

struct flow_observer {
    int64_t settle;
    uint8_t role[FLOW_CHANNELS]; /* enum role, or ROLE_PIN + bit */
    uint8_t active_level;
    int8_t answer_level;
    uint64_t pin_levels;
    int64_t *held; /* index << 1 | is an answer */
    size_t mask, head, tail;
};

struct flow_pairing {
    int64_t horizon;
    uint64_t mask; /* of all rings: their size - 1 */
    int64_t *stimulus; /* sample, by event; decided ones stay until they are overwritten */
    uint8_t *kind; /* of decided events; of others by the early reading, up to `early` */
    int64_t *by_answer; /* number of the answer that the early reading has for them */
    int64_t early; /* first event that the early reading has not decided */
    struct flow_answer *answer; /* undecided */
    uint64_t answer_head, answer_tail;
    struct flow_run *run; /* merged interrupts before the undecided answers, rising */
    uint64_t run_head, run_tail;
    uint64_t pin_mask; /* 0: by order alone */
    uint64_t pins_last;
    int64_t counted; /* handler count of the last answer */
    int64_t highest, surplus;
    int64_t merged; /* m of the answers decided last */
    int64_t marked; /* merged interrupts handed out so far by the early reading, */
    int64_t late_marked; /* and by the late one */
    int64_t least; /* m of the last anchor */
    int64_t last_own; /* sample of the last answer that was paired */
    /* To find anchors by: the last stimulus and the one before it, the last answer, -1 without; the
     * last answer of a stimulus of its own: stimuli before it, its deficit, and the points since. */
    int64_t last_stimulus, second_stimulus, last_response;
    int64_t own_before, own_deficit;
    int64_t score;
};

struct flow_answer {
    int64_t number; /* from 0 */
    int64_t sample;
    int64_t count; /* handler count less the surplus */
    int64_t anchor; /* with this m it is an anchor; -1: with none */
};

/* The undecided answers before `end` and after the run before it have this m. */
struct flow_run {
    uint64_t end;
    int64_t merged;
};

struct flow {
    struct flow_results results;
    struct flow_glitch glitch;
    struct flow_observer observer;
    struct flow_pairing pairing;
    int64_t limit;
    int64_t end; /* of the samples seen; -1 before the first block */
    int finished;
    uint64_t notable_head, notable_tail;
    struct flow_notable notable[FLOW_NOTABLE_MAX];
    uint64_t bins[FLOW_BINS];
};

void flow_glitch_begin(struct flow *flow, const struct flow_settings *settings);
void flow_glitch_edge(struct flow *flow, int64_t index, unsigned channel, unsigned level);
/* No edge comes before `end`. Returns before which sample none comes out any more. */
int64_t flow_glitch_end(struct flow *flow, int64_t end);
void flow_glitch_finish(struct flow *flow);

/* Returns 0 without memory; the same below. */
int flow_observer_begin(struct flow *flow, const struct flow_settings *settings);
void flow_observer_levels(struct flow *flow, uint64_t levels);
void flow_observer_edge(struct flow *flow, int64_t index, unsigned channel, unsigned level);
/* No edge comes before `end`: hands on what is settled by then. */
void flow_observer_end(struct flow *flow, int64_t end);
void flow_observer_finish(struct flow *flow);

int flow_pairing_begin(struct flow *flow, const struct flow_settings *settings);
void flow_pairing_free(struct flow *flow);
void flow_pairing_stimulus(struct flow *flow, int64_t sample);
void flow_pairing_answer(struct flow *flow, int64_t sample, uint64_t pins);
/* Neither a stimulus nor an answer comes before `now`. */
void flow_pairing_expire(struct flow *flow, int64_t now);
void flow_pairing_finish(struct flow *flow);

void flow_figures_begin(struct flow *flow, const struct flow_settings *settings);
/* A stimulus is decided; `response` is -1 if nothing answered it. */
void flow_figures_event(struct flow *flow, int64_t event, int kind, int64_t stimulus,
                        int64_t response);
/* One that was decided as missed has been answered after all. */
void flow_figures_revise(struct flow *flow, int64_t event, int kind, int64_t stimulus,
                         int64_t response);
size_t flow_figures_take(struct flow *flow, struct flow_notable *into, size_t capacity);

#endif
