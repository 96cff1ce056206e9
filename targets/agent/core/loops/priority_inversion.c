/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How long a task of high priority waits for a mutex that one of low priority holds, while a task of
 * middle priority is busy (Sha, Rajkumar, Lehoczky, IEEE Transactions on Computers 39, 1990).
 *
 * The low task takes the mutex, releases the other two and works for section_ns before it gives the
 * mutex back; the high one asks for it at once. The middle one is busy for work_ns: with no protocol
 * the high one waits for it, too.
 */
#include "loop.h"

#include <stdatomic.h>

enum { HIGH, MIDDLE, LOW, TASKS };
#define MUTEX 0

static uint64_t released, work, section; /* ticks */
static _Atomic uint32_t finished;        /* of the two that are released each time */
static _Atomic bool over;

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
    work = loop_ticks_of(loop.options->work_ns);
    section = loop_ticks_of(loop.options->section_ns);
    atomic_store(&over, false);
}

static void take_the_mutex(void)
{
    const struct port_inside *inside = loop.port->inside;
    inside->lock(MUTEX);
    loop_value(released, loop_ticks(), 0);
    inside->unlock(MUTEX);
}

/* The first time it takes longer: a library may have to take memory for it. */
static void try_the_mutex(void)
{
    loop.port->inside->lock(MUTEX);
    loop.port->inside->unlock(MUTEX);
}

static void be_released(uint32_t number)
{
    if (number == HIGH)
        try_the_mutex();
    for (;;) {
        if (!loop.port->inside->await_release(number)) {
            if (!loop.port->inside->stopping())
                loop_failed();
            return;
        }
        if (atomic_load(&over))
            return;
        if (number == HIGH)
            take_the_mutex();
        else
            loop_spin(loop_ticks(), work);
        atomic_fetch_add(&finished, 1);
    }
}

/* False: no more of it, the mutex is given back all the same. */
static bool hold_the_mutex(void)
{
    const struct port_inside *inside = loop.port->inside;
    inside->lock(MUTEX);
    released = loop_ticks();
    bool good = inside->release(HIGH) && inside->release(MIDDLE);
    if (good)
        loop_spin(loop_ticks(), section);
    inside->unlock(MUTEX);
    return good;
}

static bool both_finished(void)
{
    while (atomic_load(&finished) < 2) {
        if (loop.summary->failed || loop.port->inside->stopping())
            return false;
        loop.port->inside->yield();
    }
    return true;
}

/* The rest leaves half of the time to others, as real-time throttling would else enforce. */
static void be_low(void)
{
    const struct port_inside *inside = loop.port->inside;
    while (!loop_over()) {
        atomic_store(&finished, 0);
        if (!hold_the_mutex())
            loop_failed();
        else if (both_finished() &&
                 inside->sleep_for(loop.options->work_ns + loop.options->section_ns) == PORT_FAILED)
            loop_failed();
    }
    atomic_store(&over, true);
    inside->release(HIGH);
    inside->release(MIDDLE);
}

static void body(uint32_t number)
{
    if (number == LOW)
        be_low();
    else
        be_released(number);
}

const struct loop_kind priority_inversion_loop = {
    .variants = VARIANT_BIT(VARIANT_NONE) | VARIANT_BIT(VARIANT_INHERITANCE) |
                VARIANT_BIT(VARIANT_CEILING),
    .usual = VARIANT_NONE,
    .given = GIVEN_WORK | GIVEN_SECTION,
    .levels = TASKS,
    .tasks = tasks,
    .priority = priority,
    .begin = begin,
    .body = body,
};
