/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From a task of low priority, just before it wakes one of high priority, to that one (Radder,
 * dissertation, Bremen 2015, 5.4.3.2).
 */
#include "wakes.h"

static void note(const struct wake *wake)
{
    loop_value(wake->woken_by, wake->ran, wake->went_on ? RECORD_WENT_ON : 0);
}

static void body(uint32_t number)
{
    wakes_run(number, note);
}

const struct loop_kind task_preemption_loop = {
    .variants = WAKES_VARIANTS,
    .usual = VARIANT_SEMAPHORE,
    .tasks = wakes_tasks,
    .priority = wakes_priority,
    .given = GIVEN_PAUSE | GIVEN_LOW_PRIORITY | GIVEN_BUSY | GIVEN_TASKS_AS,
    .begin = wakes_begin,
    .body = body,
};
