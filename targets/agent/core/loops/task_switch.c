/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From one task to the next of the same priority on one CPU. By yield: each task gives way, the one
 * that has waited longest goes on (Radder, dissertation, Bremen 2015, 5.4.3.2). By
 * mutexes: two tasks that each hold one of three and lock the next one wait for each other in turn.
 * Each switch is timed alone, or so many as a whole, without a reading of the counter in between.
 */
#include "loop.h"

#include "../shared.h"

#include <stdatomic.h>

#define NOBODY UINT32_MAX
#define BUSY_NS UINT64_C(200000000)
#define REST_NS UINT64_C(15000000) /* longer than the twentieth that Linux wants */

static struct {
    _Atomic uint32_t left_by;
    uint64_t left_ticks[CREW_MAX];
    _Atomic bool second_holds;
    uint64_t batch_begun;
    _Atomic uint64_t switches; /* of the batch */
    _Atomic uint64_t rested;   /* so many ticks when a rest ended, or ends */
} WHOLE_PAGES now SHARED;

static uint32_t tasks(void)
{
    if (loop_variant == VARIANT_MUTEX || !loop.options->tasks)
        return 2;
    return loop.options->tasks;
}

static void begin(void)
{
    atomic_store(&now.left_by, NOBODY);
    atomic_store(&now.second_holds, false);
    atomic_store(&now.switches, 0);
    atomic_store(&now.rested, loop_ticks());
}

/*
 * Real-time tasks that switch all the time leave the processor to nobody below, not even to the
 * agent's link, until Linux holds them up for 50 ms of a second, in the middle of a value. So all of
 * them rest now and then, between two values.
 */
static void rest(void)
{
    if (now.switches || !loop.options->priority)
        return;
    uint64_t ticks = loop_ticks();
    int64_t since = (int64_t)(ticks - now.rested);
    if (since > (int64_t)loop_ticks_of(BUSY_NS)) {
        now.rested = ticks + loop_ticks_of(REST_NS);
        since = -1;
    }
    if (since < 0 && loop.port->inside->sleep_for(REST_NS) == PORT_FAILED)
        loop_failed();
}

static void leave(uint32_t number)
{
    loop_be_busy();
    if (!loop.options->batch)
        now.left_ticks[number] = loop_ticks();
    else if (!now.switches)
        now.batch_begun = loop_ticks();
    atomic_store_explicit(&now.left_by, number, memory_order_release);
}

/* One value a batch, from before its first task gives way to behind its last switch. */
static void add_to_batch(bool switched)
{
    if (!switched)
        loop_without_values(1);
    else if (++now.switches == loop.options->batch) {
        now.switches = 0;
        loop_value(now.batch_begun, loop_ticks(), 0);
    }
}

/* A task that finds itself as the last one that left was not switched from. */
static void come_back(uint32_t number)
{
    if (loop.options->batch) {
        uint32_t from = atomic_exchange_explicit(&now.left_by, NOBODY, memory_order_acquire);
        if (!loop_over())
            add_to_batch(from != number && from != NOBODY);
        return;
    }
    uint64_t after = loop_ticks();
    uint32_t from = atomic_exchange_explicit(&now.left_by, NOBODY, memory_order_acquire);
    uint64_t before = from == NOBODY ? UINT64_MAX : now.left_ticks[from];
    if (loop_over())
        return;
    if (from == number || before > after)
        loop_without_values(1);
    else
        loop_value_of(number, before, after, 0);
}

static void by_yield(uint32_t number)
{
    while (!loop_over()) {
        rest();
        leave(number);
        loop.port->inside->yield();
        come_back(number);
    }
}

/* With both at their first mutex before either goes on: else one could lap the other. */
static void by_mutexes(uint32_t number)
{
    const struct port_inside *inside = loop.port->inside;
    uint32_t mine = number;
    inside->lock(mine);
    if (number == 1)
        atomic_store(&now.second_holds, true);
    while (!atomic_load(&now.second_holds) && !inside->stopping())
        inside->yield();
    while (!loop_over()) {
        rest();
        uint32_t next = (mine + 1) % INSIDE_MUTEXES;
        leave(number);
        inside->lock(next);
        come_back(number);
        inside->unlock(mine);
        mine = next;
    }
    inside->unlock(mine);
}

static void body(uint32_t number)
{
    (loop_variant == VARIANT_MUTEX ? by_mutexes : by_yield)(number);
}

const struct loop_kind task_switch_loop = {
    .variants = 1u << VARIANT_YIELD | 1u << VARIANT_MUTEX,
    .usual = VARIANT_YIELD,
    .given = GIVEN_TASKS | GIVEN_BUSY | GIVEN_BATCH | GIVEN_TASKS_AS,
    .tasks = tasks,
    .begin = begin,
    .body = body,
};
