/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pattern engine: parameters of a pulse train and the intervals that follow from them. */
#ifndef CORE_TRAIN_H
#define CORE_TRAIN_H

#include <stdint.h>

enum pattern { PATTERN_PERIODIC, PATTERN_UNIFORM, PATTERN_POISSON, PATTERN_BURST, PATTERN_RAMP };
enum polarity { POLARITY_POSITIVE, POLARITY_NEGATIVE };

/* All parameters, those of other patterns included. Every member has the same type so that one
 * table can describe them all. */
struct train_settings {
    uint32_t pattern;
    uint32_t count;
    uint32_t seed;
    uint32_t delay_ticks;
    uint32_t width_ticks;
    uint32_t polarity;
    uint32_t period_ticks;
    uint32_t interval_min_ticks;
    uint32_t interval_max_ticks;
    uint32_t interval_mean_ticks;
    uint32_t burst_count;
    uint32_t burst_spacing_ticks;
    uint32_t ramp_start_ticks;
    uint32_t ramp_stop_ticks;
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

/* The place in a train, with what is needed again and again. */
struct train_sequence {
    uint8_t pattern;
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

/* The next interval from leading edge to leading edge, in ticks; `times` becomes how often it
 * follows, at least once and at most `most` times. In all, at most count - 1 intervals. */
uint32_t train_next(struct train_sequence *sequence, uint32_t most, uint32_t *times);

#endif
