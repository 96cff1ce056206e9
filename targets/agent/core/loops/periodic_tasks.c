/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Several periodic tasks on one processor, each with a period, a priority and an amount of work of its
 * own. All are due together at first. The first one toggles the pin when it starts and finishes, but
 * beside interrupts, whose handler has the pins.
 *
 * A task must not wait for another one's log: each has its own, which is copied at the end.
 */
#include "../work.h"
#include "loop.h"

#include <stdatomic.h>

#define LEAD_NS 10000000u /* until the first is due all tasks wait */

struct cycle {
    uint64_t number, due, start, finish; /* the periods so far; times by the system's clock, in ns */
    struct ticks started, finished;      /* pin writes of the first task */
};

static struct {
    struct cycle *cycles;
    uint64_t periods; /* after which it ends */
    uint64_t handled; /* that have passed */
    uint64_t done;    /* in which it ran: so many cycles */
} tasks[PERIODIC_MAX];
static _Atomic uint64_t origin; /* when all are due for the first time; 0: not known yet */

static uint32_t task_count(void)
{
    return loop.options->periodic_count;
}

static int32_t priority_of(uint32_t number)
{
    if (loop.options->policy == POLICY_DEADLINE) /* until it has its own policy */
        return PRIORITY_DEFAULT;
    return loop.options->periodic[number].priority;
}

static bool take(struct text *why)
{
    const struct periodic_options *options = loop.options->periodic;
    atomic_store(&origin, 0);
    for (uint32_t i = 0; i < PERIODIC_MAX; i++)
        tasks[i].cycles = NULL;
    for (uint32_t i = 0; i < task_count(); i++) {
        uint64_t count = loop.options->count, periods;
        if (count > CAPACITY_MAX ||
            (periods = count * options[0].period_ns / options[i].period_ns) > CAPACITY_MAX) {
            text_say(why, "count is too large for the shortest period");
            return false;
        }
        tasks[i].periods = periods ? periods : 1;
        tasks[i].handled = tasks[i].done = 0;
        tasks[i].cycles = loop.port->take((size_t)tasks[i].periods * sizeof(struct cycle), why);
        if (!tasks[i].cycles)
            return false;
    }
    return true;
}

/* Two values a cycle: from due to start, and from start to finish. Their numbers go on from one task
 * to the next. */
static void log_cycle(uint32_t task, const struct cycle *cycle, uint64_t before)
{
    uint32_t flags = RECORD_VALUE | RECORD_CLOCK;
    uint64_t number = before + cycle->number;
    if (task == 0 && loop.toggle) {
        log_add(loop.log, number, cycle->started.before, cycle->started.after, RECORD_PART(0));
        log_add(loop.log, number, cycle->finished.before, cycle->finished.after, RECORD_PART(1));
    }
    log_add(loop.log, number, cycle->due, cycle->start, flags | RECORD_PART(2 * task));
    log_add(loop.log, number, cycle->start, cycle->finish, flags | RECORD_PART(2 * task + 1));
}

static void give(void)
{
    uint64_t before = 0;
    loop.summary->handled = 0;
    for (uint32_t i = 0; i < task_count(); i++) {
        if (!tasks[i].cycles)
            continue;
        for (uint64_t k = 0; k < tasks[i].done; k++)
            log_cycle(i, &tasks[i].cycles[k], before);
        before += tasks[i].periods;
        loop.summary->handled += tasks[i].handled;
        loop_without_values(tasks[i].handled - tasks[i].done);
        loop.port->give_back(tasks[i].cycles, (size_t)tasks[i].periods * sizeof(struct cycle));
        tasks[i].cycles = NULL;
    }
}

/* Before a run time that the system keeps to could cut it short. */
static void prepare(uint32_t number)
{
    if (number == 0)
        loop.summary->work_per_ms = work_calibrate(loop.port);
}

/* By whichever task comes first. */
static uint64_t common_origin(void)
{
    uint64_t since = 0, mine = loop.port->inside->clock_ns(VARIANT_MONOTONIC) + LEAD_NS;
    return atomic_compare_exchange_strong(&origin, &since, mine) ? mine : since;
}

static void run_cycle(uint32_t number, uint64_t due, uint64_t iterations)
{
    const struct port_inside *inside = loop.port->inside;
    struct cycle *cycle = &tasks[number].cycles[tasks[number].done++];
    cycle->number = tasks[number].handled;
    cycle->due = due;
    cycle->start = inside->clock_ns(VARIANT_MONOTONIC);
    if (number == 0 && loop.toggle) {
        loop.summary->handled = cycle->number; /* the sequence pins show it */
        loop.toggle(&cycle->started);
    }
    inside->work(iterations);
    if (number == 0 && loop.toggle)
        loop.toggle(&cycle->finished);
    cycle->finish = inside->clock_ns(VARIANT_MONOTONIC);
}

static void body(uint32_t number)
{
    const struct port_inside *inside = loop.port->inside;
    uint64_t period = loop.options->periodic[number].period_ns, due = common_origin();
    uint64_t iterations =
        work_amount(loop.options->periodic[number].work_ns, loop.summary->work_per_ms);
    while (tasks[number].handled < tasks[number].periods) {
        uint64_t now = inside->clock_ns(VARIANT_MONOTONIC);
        uint64_t missed = due <= now ? (now - due) / period + 1 : 0;
        uint64_t left = tasks[number].periods - tasks[number].handled;
        if (missed >= left) {
            tasks[number].handled += left;
            return;
        }
        due += missed * period;
        enum port_event event = inside->sleep_until(due);
        if (event == PORT_FAILED)
            loop_failed();
        if (event != PORT_DUE || loop.summary->failed)
            return;
        tasks[number].handled += missed + 1;
        run_cycle(number, due, iterations);
        due += period;
    }
}

const struct loop_kind periodic_tasks_loop = {
    .variants = VARIANT_BIT(VARIANT_TASK),
    .usual = VARIANT_TASK,
    .given = GIVEN_PERIODIC,
    .needs_pin = true,
    .tasks = task_count,
    .priority = priority_of,
    .take = take,
    .give = give,
    .prepare = prepare,
    .body = body,
};
