/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pattern engine: settings of a pulse train and the intervals that follow from them. */
#ifndef CORE_TRAIN_H
#define CORE_TRAIN_H

#include <stdint.h>

enum polarity { POLARITY_POSITIVE, POLARITY_NEGATIVE };

#define PATTERN_PARAMETERS_MAX 12 /* of all patterns together */

/* Every member has the same type, so that tables can describe them all. */
struct train_settings {
    uint32_t pattern; /* number in patterns.c */
    uint32_t count;
    uint32_t seed;
    uint32_t delay_ticks;
    uint32_t width_ticks;
    uint32_t polarity;
    uint32_t parameter[PATTERN_PARAMETERS_MAX]; /* of the patterns; which is which is known to patterns.c */
};

/* Why settings that are each in range cannot run together. */
enum conflict {
    CONFLICT_NONE,
    CONFLICT_RUNNING, /* never from train_check: a setter came while a train runs */
    CONFLICT_WIDTH,
    CONFLICT_INTERVAL,
    CONFLICT_ORDER,
    CONFLICT_BURST,
};

struct train_sequence;

/* The next interval from leading edge to leading edge, in ticks; `times` becomes how often it
 * follows, at least once and at most `most` times. */
typedef uint32_t next_interval(struct train_sequence *sequence, uint32_t most, uint32_t *times);

/* The place in a train, with what is needed again and again. */
struct train_sequence {
    next_interval *next;
    uint32_t base_ticks; /* the period, the least interval, or the spacing in a burst */
    uint32_t scale; /* uniform: span; Poisson: mean * ln 2; burst: gap after it, in ticks */
    uint32_t counter; /* uniform, Poisson: of the generator; burst: equal intervals still to come */
    uint32_t burst_count;
    int64_t rate_q32; /* ramp */
    int64_t rate_step_q32;
};

void train_defaults(struct train_settings *settings);

enum conflict train_check(const struct train_settings *settings);

/* Lower bound of the interval between leading edges; for settings that train_check passed. */
uint32_t train_shortest_ticks(const struct train_settings *settings);

/* Begin at interval 0. */
void train_begin(struct train_sequence *sequence, const struct train_settings *settings);

/* As next_interval. In all, at most count - 1 intervals. */
uint32_t train_next(struct train_sequence *sequence, uint32_t most, uint32_t *times);

#endif
