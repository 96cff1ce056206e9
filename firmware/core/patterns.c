/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patterns.h"

#include "exponential.h"
#include "flash.h"
#include "limits.h"
#include "random.h"

#define RATE_UNIT 0xFFFFFFFFUL

/* --- parameters: a pattern has some of them ---------------------------------------------------- */

enum parameter {
    PERIOD,
    INTERVAL_MIN,
    INTERVAL_MAX,
    INTERVAL_MEAN,
    BURST_COUNT,
    BURST_SPACING,
    RAMP_START,
    RAMP_STOP,
    PARAMETERS
};

_Static_assert(PARAMETERS <= PATTERN_PARAMETERS_MAX, "train.h has room for them");

#define OF(index) OFFSET(parameter[index])

const struct setting pattern_settings[] FLASH = {
    {"SOURce:PERiod", KIND_TIME, OF(PERIOD), PERIODIC_MIN_TICKS, INTERVAL_MAX_TICKS},
    {"SOURce:INTerval:MINimum", KIND_TIME, OF(INTERVAL_MIN), UNIFORM_MIN_TICKS, INTERVAL_MAX_TICKS},
    {"SOURce:INTerval:MAXimum", KIND_TIME, OF(INTERVAL_MAX), UNIFORM_MIN_TICKS, INTERVAL_MAX_TICKS},
    {"SOURce:INTerval:MEAN", KIND_TIME, OF(INTERVAL_MEAN), POISSON_MIN_TICKS, INTERVAL_MAX_TICKS},
    {"SOURce:BURSt:COUNt", KIND_INTEGER, OF(BURST_COUNT), 1, COUNT_MAX},
    {"SOURce:BURSt:SPACing", KIND_TIME, OF(BURST_SPACING), BURST_MIN_TICKS, INTERVAL_MAX_TICKS},
    {"SOURce:RAMP:STARt", KIND_TIME, OF(RAMP_START), RAMP_MIN_TICKS, RAMP_INTERVAL_MAX_TICKS},
    {"SOURce:RAMP:STOP", KIND_TIME, OF(RAMP_STOP), RAMP_MIN_TICKS, RAMP_INTERVAL_MAX_TICKS},
    {"", 0, 0, 0, 0},
};

void pattern_defaults(struct train_settings *settings)
{
    static const uint32_t defaults[PARAMETERS] FLASH = {
        [PERIOD] = 16000,        [INTERVAL_MIN] = 3200,  [INTERVAL_MAX] = 28800,
        [INTERVAL_MEAN] = 16000, [BURST_COUNT] = 10,     [BURST_SPACING] = 1600,
        [RAMP_START] = 160000,   [RAMP_STOP] = 1600,
    };
    flash_copy(settings->parameter, defaults, sizeof defaults);
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static enum conflict check_nothing(const struct train_settings *settings)
{
    (void)settings;
    return CONFLICT_NONE;
}

/* --- periodic ---------------------------------------------------------------------------------- */

static uint32_t period(const struct train_settings *settings)
{
    return settings->parameter[PERIOD];
}

static void begin_periodic(struct train_sequence *sequence, const struct train_settings *settings)
{
    sequence->base_ticks = period(settings);
}

static uint32_t next_periodic(struct train_sequence *sequence, uint32_t most, uint32_t *times)
{
    *times = most;
    return sequence->base_ticks;
}

/* --- uniform and Poisson ----------------------------------------------------------------------- */

static enum conflict check_uniform(const struct train_settings *settings)
{
    const uint32_t *p = settings->parameter;
    return p[INTERVAL_MIN] > p[INTERVAL_MAX] ? CONFLICT_ORDER : CONFLICT_NONE;
}

static enum conflict check_poisson(const struct train_settings *settings)
{
    const uint32_t *p = settings->parameter;
    return p[INTERVAL_MIN] > p[INTERVAL_MEAN] ? CONFLICT_ORDER : CONFLICT_NONE;
}

static uint32_t interval_min(const struct train_settings *settings)
{
    return settings->parameter[INTERVAL_MIN];
}

static void begin_uniform(struct train_sequence *sequence, const struct train_settings *settings)
{
    const uint32_t *p = settings->parameter;
    sequence->base_ticks = p[INTERVAL_MIN];
    sequence->scale = p[INTERVAL_MAX] - p[INTERVAL_MIN] + 1;
    sequence->counter = settings->seed;
}

static void begin_poisson(struct train_sequence *sequence, const struct train_settings *settings)
{
    const uint32_t *p = settings->parameter;
    sequence->base_ticks = p[INTERVAL_MIN];
    sequence->scale = mean_ln2_q5(p[INTERVAL_MEAN] - p[INTERVAL_MIN]);
    sequence->counter = settings->seed;
}

static uint32_t next_word(struct train_sequence *sequence)
{
    sequence->counter += RANDOM_STEP;
    return random_word(sequence->counter);
}

static uint32_t next_uniform(struct train_sequence *sequence, uint32_t most, uint32_t *times)
{
    (void)most;
    *times = 1;
    return sequence->base_ticks + multiply_high(next_word(sequence), sequence->scale);
}

static uint32_t next_poisson(struct train_sequence *sequence, uint32_t most, uint32_t *times)
{
    (void)most;
    *times = 1;
    return sequence->base_ticks + exponential_ticks(next_word(sequence), sequence->scale);
}

/* --- burst ------------------------------------------------------------------------------------- */

static enum conflict check_burst(const struct train_settings *settings)
{
    const uint32_t *p = settings->parameter;
    uint64_t burst_ticks = (uint64_t)(p[BURST_COUNT] - 1) * p[BURST_SPACING];
    return burst_ticks + BURST_MIN_TICKS > p[PERIOD] ? CONFLICT_BURST : CONFLICT_NONE;
}

/* From the last pulse of a burst to the first of the next. */
static uint32_t burst_gap_ticks(const struct train_settings *settings)
{
    const uint32_t *p = settings->parameter;
    return p[PERIOD] - (p[BURST_COUNT] - 1) * p[BURST_SPACING];
}

static uint32_t shortest_burst(const struct train_settings *settings)
{
    if (settings->parameter[BURST_COUNT] > 1)
        return smaller(settings->parameter[BURST_SPACING], burst_gap_ticks(settings));
    return period(settings);
}

static void begin_burst(struct train_sequence *sequence, const struct train_settings *settings)
{
    sequence->base_ticks = settings->parameter[BURST_SPACING];
    sequence->scale = burst_gap_ticks(settings);
    sequence->burst_count = settings->parameter[BURST_COUNT];
    sequence->counter = sequence->burst_count - 1;
}

static uint32_t next_burst(struct train_sequence *sequence, uint32_t most, uint32_t *times)
{
    if (sequence->counter == 0) {
        sequence->counter = sequence->burst_count - 1;
        *times = 1;
        return sequence->scale;
    }
    *times = smaller(sequence->counter, most);
    sequence->counter -= *times;
    return sequence->base_ticks;
}

/* --- ramp -------------------------------------------------------------------------------------- */

static uint32_t shortest_ramp(const struct train_settings *settings)
{
    return smaller(settings->parameter[RAMP_START], settings->parameter[RAMP_STOP]);
}

/* The rate runs linearly in the number of the interval, from the first to the last of count - 1.
 * The division truncates toward zero, so that the rate never passes its end. */
static void begin_ramp(struct train_sequence *sequence, const struct train_settings *settings)
{
    int64_t start = RATE_UNIT / settings->parameter[RAMP_START];
    int64_t stop = RATE_UNIT / settings->parameter[RAMP_STOP];
    uint32_t steps = settings->count > 3 ? settings->count - 2 : 1;

    sequence->rate_q32 = start * (1LL << 32);
    sequence->rate_step_q32 = (stop - start) * (1LL << 32) / (int64_t)steps;
}

static uint32_t next_ramp(struct train_sequence *sequence, uint32_t most, uint32_t *times)
{
    uint32_t rate = (uint32_t)((uint64_t)sequence->rate_q32 >> 32);
    (void)most;
    *times = 1;
    sequence->rate_q32 += sequence->rate_step_q32;
    return RATE_UNIT / rate;
}

/* --- all of them ------------------------------------------------------------------------------- */

const struct pattern pattern_table[] FLASH = {
    {"PERiodic", PERIODIC_MIN_TICKS, INTERVAL_MAX_TICKS, check_nothing, period, begin_periodic,
     next_periodic},
    {"UNIForm", UNIFORM_MIN_TICKS, INTERVAL_MAX_TICKS, check_uniform, interval_min, begin_uniform,
     next_uniform},
    {"POISson", POISSON_MIN_TICKS, INTERVAL_MAX_TICKS, check_poisson, interval_min, begin_poisson,
     next_poisson},
    {"BURSt", BURST_MIN_TICKS, INTERVAL_MAX_TICKS, check_burst, shortest_burst, begin_burst,
     next_burst},
    {"RAMP", RAMP_MIN_TICKS, RAMP_INTERVAL_MAX_TICKS, check_nothing, shortest_ramp, begin_ramp,
     next_ramp},
    {"", 0, 0, NULL, NULL, NULL, NULL},
};

bool pattern_load(uint32_t number, struct pattern *pattern)
{
    flash_copy(pattern, &pattern_table[number], sizeof *pattern);
    return pattern->name[0] != '\0';
}
