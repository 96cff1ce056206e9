/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Four times t1 < t2 < t3 < t4 of a wake: the low task wakes, the high one runs, is about to wait
 * again, the low one goes on. So the switch to the high task (cs1), its own time (wait), and the
 * switch back (cs2).
 */
#include "passes.h"
#include "wakes.h"

static void note(const struct wake *wake)
{
    uint32_t flags = wake->went_on ? RECORD_WENT_ON : 0;
    loop_iteration();
    loop_part(wake->woken_by, wake->ran, flags | RECORD_PART(0));
    loop_part(wake->ran, wake->rests, flags | RECORD_PART(1));
    loop_part(wake->rests, wake->back, flags | RECORD_PART(2));
    loop_show();
}

static void body(uint32_t number)
{
    if (loop_variant == VARIANT_TIMER)
        passes_run(number);
    else
        wakes_run(number, note);
}

static void begin(void)
{
    wakes_begin();
    passes_begin();
}

const struct loop_kind preemption_loop = {
    .variants = WAKES_VARIANTS | 1u << VARIANT_TIMER,
    .usual = VARIANT_SEMAPHORE,
    .tasks = wakes_tasks,
    .priority = wakes_priority,
    .given = GIVEN_PAUSE | GIVEN_WAIT | GIVEN_LOW_PRIORITY | GIVEN_TIMEOUT | GIVEN_BUSY |
             GIVEN_TASKS_AS,
    .begin = begin,
    .body = body,
};
