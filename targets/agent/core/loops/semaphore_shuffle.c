/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From a task's request for a semaphore that another one holds to the semaphore, which the other one
 * gives back as soon as it runs (Kar, Porter, Rhealstone, Dr. Dobb's Journal, February 1989).
 *
 * The asking task has the higher priority, so that no task yields: it is released while the low one
 * holds the semaphore, asks, waits, and goes on when the low one gives it back.
 */
#include "loop.h"

#include <stdatomic.h>

enum { ASKER, HOLDER, TASKS };
#define SEMAPHORE 0

static _Atomic bool asked, given_on_request, done, over;

static uint32_t tasks(void)
{
    return TASKS;
}

static int32_t priority(uint32_t number)
{
    return loop.options->priority - (int32_t)number;
}

static void begin(void)
{
    atomic_store(&over, false);
}

static void ask(void)
{
    const struct port_inside *inside = loop.port->inside;
    atomic_store(&asked, true);
    uint64_t before = loop_ticks();
    inside->lock(SEMAPHORE);
    uint64_t after = loop_ticks();
    if (!inside->stopping())
        loop_value(before, after, atomic_load(&given_on_request) ? 0 : RECORD_WENT_ON);
    inside->unlock(SEMAPHORE);
    atomic_store(&done, true);
}

static void be_asker(void)
{
    for (;;) {
        if (!loop.port->inside->await_release(ASKER)) {
            if (!loop.port->inside->stopping())
                loop_failed();
            return;
        }
        if (atomic_load(&over))
            return;
        ask();
    }
}

/* Where the asker did not run at once it has not asked for what is given back. */
static void be_holder(void)
{
    const struct port_inside *inside = loop.port->inside;
    while (!loop_over()) {
        atomic_store(&asked, false);
        atomic_store(&done, false);
        inside->lock(SEMAPHORE);
        if (!inside->release(ASKER)) {
            loop_failed();
            atomic_store(&done, true);
        }
        atomic_store(&given_on_request, atomic_load(&asked));
        inside->unlock(SEMAPHORE);
        while (!atomic_load(&done) && !inside->stopping())
            inside->yield();
    }
    atomic_store(&over, true);
    inside->release(ASKER);
}

static void body(uint32_t number)
{
    (number == ASKER ? be_asker : be_holder)();
}

const struct loop_kind semaphore_shuffle_loop = {
    .variants = VARIANT_BIT(VARIANT_SEMAPHORE) | VARIANT_BIT(VARIANT_MUTEX),
    .usual = VARIANT_SEMAPHORE,
    .levels = TASKS,
    .tasks = tasks,
    .priority = priority,
    .begin = begin,
    .body = body,
};
