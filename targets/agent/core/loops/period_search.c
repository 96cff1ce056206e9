/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The shortest period that a periodic task keeps: holds of `count` periods, each hold shorter than the
 * one before until periods are missed, then by halves between the last one kept and the first lost.
 * rig/analysis/model/period_search.py has the same search.
 *
 * A hold is a value from 0 to its period, and one from due to start for each period in which the task
 * ran, with the parts 2n and 2n + 1 of hold n.
 */
#include "../work.h"
#include "loop.h"

#define HOLDS_MAX 64u
#define PART_CLOCK(n) (RECORD_CLOCK | RECORD_PART(n))

static uint64_t iterations;

/* How many of its periods had passed when the task was ready for them. */
static uint64_t missed_in_hold(uint64_t period, uint32_t hold)
{
    const struct port_inside *inside = loop.port->inside;
    uint64_t left = loop.options->count, all = 0;
    loop_part(0, period, PART_CLOCK(2 * hold));
    uint64_t due = inside->clock_ns(VARIANT_MONOTONIC) + period;
    while (left && !inside->stopping() && !loop.summary->failed) {
        uint64_t now = inside->clock_ns(VARIANT_MONOTONIC);
        uint64_t missed = due <= now ? (now - due) / period + 1 : 0;
        missed = missed < left ? missed : left;
        all += missed;
        left -= missed;
        due += missed * period;
        loop.summary->handled += missed;
        if (!left)
            break;
        enum port_event event = inside->sleep_until(due);
        if (event == PORT_FAILED)
            loop_failed();
        if (event != PORT_DUE)
            break;
        loop_iteration();
        left--;
        loop_part(due, inside->clock_ns(VARIANT_MONOTONIC), PART_CLOCK(2 * hold + 1));
        inside->work(iterations);
        due += period;
    }
    loop_without_values(all);
    return all;
}

/* 0: the search is over. */
static uint64_t next_period(uint64_t kept, uint64_t lost)
{
    uint64_t least = loop.options->period_stop_ns, shorter = kept * 7 / 10;
    if (!lost)
        return kept == least ? 0 : shorter > least ? shorter : least;
    uint64_t enough = lost * loop.options->resolution_ppm / 1000000;
    return !kept || kept - lost <= (enough ? enough : 1) ? 0 : lost + (kept - lost) / 2;
}

static void body(uint32_t number)
{
    uint64_t period = loop.options->period_ns, kept = 0, lost = 0;
    (void)number;
    loop.summary->work_per_ms = work_calibrate(loop.port);
    iterations = work_amount(loop.options->work_ns, loop.summary->work_per_ms);
    for (uint32_t hold = 0; period && hold < HOLDS_MAX; hold++) {
        uint64_t missed = missed_in_hold(period, hold);
        if (loop.port->inside->stopping() || loop.summary->failed)
            return;
        *(missed ? &lost : &kept) = period;
        period = next_period(kept, lost);
    }
}

const struct loop_kind period_search_loop = {
    .variants = VARIANT_BIT(VARIANT_TASK),
    .usual = VARIANT_TASK,
    .given = GIVEN_WORK | GIVEN_SEARCH,
    .needs_period = true,
    .body = body,
};
