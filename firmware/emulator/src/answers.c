/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "answers.h"

static const uint64_t ps_per_s = 1000000000000, ppb = 1000000000;

/* Ticks * cycle_billionths / (rate * clock_ppb) are ps: both sides without what they have in common,
 * so that they stay small. At 16 MHz a cycle has 62,500 ps and the rate is 1. */
void answers_open(struct answers *answers, uint32_t clock_hz)
{
    uint64_t common = ps_per_s, rest = clock_hz;

    while (rest != 0) {
        const uint64_t left = common % rest;
        common = rest;
        rest = left;
    }
    answers->rate = clock_hz / common;
    answers->cycle_billionths = (wide)(ps_per_s / common) * ppb;
}

/* The same as VirtualClock.time_ps and ticks_at_or_after of rig/virtual/clock.py, to the picosecond. */
static uint64_t answers_time_ps(const struct answers *answers, uint64_t cycle)
{
    const uint64_t clock = answers->rate * answers->clock_ppb;

    return (uint64_t)(((wide)cycle * answers->cycle_billionths + clock - 1) / clock);
}

static uint64_t answers_cycle_at_or_after(const struct answers *answers, uint64_t time_ps)
{
    const wide scaled = (wide)time_ps * (answers->rate * answers->clock_ppb);

    return (uint64_t)((scaled + answers->cycle_billionths - 1) / answers->cycle_billionths);
}

bool answers_take(struct answers *answers, uint64_t cycle, struct answer *answer)
{
    if (answers->taken == answers->count)
        return false;
    answer->time_ps =
        answers_time_ps(answers, cycle) + answers->latency_ps[answers->taken++];
    if (answer->time_ps < answers->free_ps)
        answer->time_ps = answers->free_ps;
    answer->cycle = answers_cycle_at_or_after(answers, answer->time_ps);
    answer->level = answers->level;
    answers->free_ps = answer->time_ps + answers->apart_ps;
    answers->level ^= 1;
    return true;
}
