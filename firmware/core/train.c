/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "train.h"

#include "exponential.h"
#include "flash.h"
#include "limits.h"
#include "random.h"

#define RATE_UNIT 0xFFFFFFFFUL

static const uint32_t interval_min_ticks[] FLASH = {
    [PATTERN_PERIODIC] = PERIODIC_MIN_TICKS, [PATTERN_UNIFORM] = UNIFORM_MIN_TICKS,
    [PATTERN_POISSON] = POISSON_MIN_TICKS,   [PATTERN_BURST] = BURST_MIN_TICKS,
    [PATTERN_RAMP] = RAMP_MIN_TICKS,
};

void train_defaults(struct train_settings *settings)
{
    static const struct train_settings defaults FLASH = {
        .pattern = PATTERN_PERIODIC,
        .polarity = POLARITY_POSITIVE,
        .count = 1000,
        .seed = 1,
        .delay_ticks = 16000,
        .width_ticks = 160,
        .period_ticks = 16000,
        .interval_min_ticks = 3200,
        .interval_max_ticks = 28800,
        .interval_mean_ticks = 16000,
        .burst_count = 10,
        .burst_spacing_ticks = 1600,
        .ramp_start_ticks = 160000,
        .ramp_stop_ticks = 1600,
    };
    flash_copy(settings, &defaults, sizeof defaults);
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* From the last pulse of a burst to the first of the next. */
static uint32_t burst_gap_ticks(const struct train_settings *settings)
{
    return settings->period_ticks - (settings->burst_count - 1) * settings->burst_spacing_ticks;
}

uint32_t train_shortest_ticks(const struct train_settings *settings)
{
    switch (settings->pattern) {
    case PATTERN_UNIFORM:
    case PATTERN_POISSON:
        return settings->interval_min_ticks;
    case PATTERN_BURST:
        if (settings->burst_count > 1)
            return smaller(settings->burst_spacing_ticks, burst_gap_ticks(settings));
        return settings->period_ticks;
    case PATTERN_RAMP:
        return smaller(settings->ramp_start_ticks, settings->ramp_stop_ticks);
    default:
        return settings->period_ticks;
    }
}

static enum conflict check_pattern(const struct train_settings *settings)
{
    uint64_t burst_ticks;

    switch (settings->pattern) {
    case PATTERN_UNIFORM:
        return settings->interval_min_ticks > settings->interval_max_ticks ? CONFLICT_ORDER
                                                                           : CONFLICT_NONE;
    case PATTERN_POISSON:
        return settings->interval_min_ticks > settings->interval_mean_ticks ? CONFLICT_ORDER
                                                                            : CONFLICT_NONE;
    case PATTERN_BURST:
        burst_ticks = (uint64_t)(settings->burst_count - 1) * settings->burst_spacing_ticks;
        return burst_ticks + BURST_MIN_TICKS > settings->period_ticks ? CONFLICT_BURST
                                                                      : CONFLICT_NONE;
    default:
        return CONFLICT_NONE;
    }
}

enum conflict train_check(const struct train_settings *settings)
{
    enum conflict conflict = check_pattern(settings);
    if (conflict != CONFLICT_NONE)
        return conflict;

    uint32_t shortest_ticks = train_shortest_ticks(settings);
    uint32_t least_ticks;
    flash_copy(&least_ticks, &interval_min_ticks[settings->pattern], sizeof least_ticks);
    if (shortest_ticks < least_ticks)
        return CONFLICT_INTERVAL;
    if (settings->width_ticks + GAP_MIN_TICKS > shortest_ticks)
        return CONFLICT_WIDTH;
    return CONFLICT_NONE;
}

/* The rate runs linearly in the number of the interval, from the first to the last of count - 1.
 * The division truncates toward zero, so that the rate never passes its end. */
static void begin_ramp(struct train_sequence *sequence, const struct train_settings *settings)
{
    int64_t start = RATE_UNIT / settings->ramp_start_ticks;
    int64_t stop = RATE_UNIT / settings->ramp_stop_ticks;
    uint32_t steps = settings->count > 3 ? settings->count - 2 : 1;

    sequence->rate_q32 = start * (1LL << 32);
    sequence->rate_step_q32 = (stop - start) * (1LL << 32) / (int64_t)steps;
}

void train_begin(struct train_sequence *sequence, const struct train_settings *settings)
{
    *sequence = (struct train_sequence){.pattern = (uint8_t)settings->pattern};
    switch (settings->pattern) {
    case PATTERN_UNIFORM:
        sequence->base_ticks = settings->interval_min_ticks;
        sequence->scale = settings->interval_max_ticks - settings->interval_min_ticks + 1;
        sequence->counter = settings->seed;
        break;
    case PATTERN_POISSON:
        sequence->base_ticks = settings->interval_min_ticks;
        sequence->scale =
            mean_ln2_q5(settings->interval_mean_ticks - settings->interval_min_ticks);
        sequence->counter = settings->seed;
        break;
    case PATTERN_BURST:
        sequence->base_ticks = settings->burst_spacing_ticks;
        sequence->scale = burst_gap_ticks(settings);
        sequence->burst_count = settings->burst_count;
        sequence->counter = settings->burst_count - 1;
        break;
    case PATTERN_RAMP:
        begin_ramp(sequence, settings);
        break;
    default:
        sequence->base_ticks = settings->period_ticks;
        break;
    }
}

static uint32_t next_burst(struct train_sequence *sequence, uint32_t most, uint32_t *times)
{
    if (sequence->counter == 0) {
        sequence->counter = sequence->burst_count - 1;
        return sequence->scale;
    }
    *times = smaller(sequence->counter, most);
    sequence->counter -= *times;
    return sequence->base_ticks;
}

static uint32_t next_ramp(struct train_sequence *sequence)
{
    uint32_t rate = (uint32_t)((uint64_t)sequence->rate_q32 >> 32);
    sequence->rate_q32 += sequence->rate_step_q32;
    return RATE_UNIT / rate;
}

uint32_t train_next(struct train_sequence *sequence, uint32_t most, uint32_t *times)
{
    *times = 1;
    switch (sequence->pattern) {
    case PATTERN_PERIODIC:
        *times = most;
        return sequence->base_ticks;
    case PATTERN_BURST:
        return next_burst(sequence, most, times);
    case PATTERN_RAMP:
        return next_ramp(sequence);
    default:
        break;
    }
    sequence->counter += RANDOM_STEP;
    uint32_t word = random_word(sequence->counter);
    if (sequence->pattern == PATTERN_UNIFORM)
        return sequence->base_ticks + multiply_high(word, sequence->scale);
    return sequence->base_ticks + exponential_ticks(word, sequence->scale);
}
