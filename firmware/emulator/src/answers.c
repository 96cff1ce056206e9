/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "answers.h"

__extension__ typedef unsigned __int128 wide;

/* One nominal cycle at 16 MHz in ps, times the 10^9 of clock_ppb. */
static const uint64_t cycle_billionths = 62500000000000;

/* The same as Clock.time_ps and Clock.ticks_at_or_after of rig/virtual/clock.py, to the picosecond. */
static uint64_t answers_time_ps(uint64_t cycle, uint64_t clock_ppb)
{
    return (uint64_t)(((wide)cycle * cycle_billionths + clock_ppb - 1) / clock_ppb);
}

static uint64_t answers_cycle_at_or_after(uint64_t time_ps, uint64_t clock_ppb)
{
    return (uint64_t)(((wide)time_ps * clock_ppb + cycle_billionths - 1) / cycle_billionths);
}

bool answers_take(struct answers *answers, uint64_t cycle, struct answer *answer)
{
    if (answers->taken == answers->count)
        return false;
    answer->time_ps =
        answers_time_ps(cycle, answers->clock_ppb) + answers->latency_ps[answers->taken++];
    if (answer->time_ps < answers->free_ps)
        answer->time_ps = answers->free_ps;
    answer->cycle = answers_cycle_at_or_after(answer->time_ps, answers->clock_ppb);
    answer->level = answers->level;
    answers->free_ps = answer->time_ps + answers->apart_ps;
    answers->level ^= 1;
    return true;
}
