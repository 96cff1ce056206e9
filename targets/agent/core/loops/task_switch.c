/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From one task to the next of the same priority on one CPU. By yield: each task gives way, the one
 * that has waited longest goes on (Radder, dissertation, Bremen 2015, 5.4.3.2). By
 * mutexes: two tasks that each hold one of three and lock the next one wait for each other in turn.
 */
#include "loop.h"

#include <stdatomic.h>

#define NOBODY UINT32_MAX

static _Atomic uint32_t left_by;
static uint64_t left_ticks[CREW_MAX];
static _Atomic bool second_holds;

static uint32_t tasks(void)
{
    if (loop_variant == VARIANT_MUTEX || !loop.options->tasks)
        return 2;
    return loop.options->tasks;
}

static void begin(void)
{
    atomic_store(&left_by, NOBODY);
    atomic_store(&second_holds, false);
}

static void leave(uint32_t number)
{
    left_ticks[number] = loop_ticks();
    atomic_store_explicit(&left_by, number, memory_order_release);
}

/* A task that finds itself as the last one that left was not switched from. */
static void come_back(uint32_t number)
{
    uint64_t after = loop_ticks();
    uint32_t from = atomic_exchange_explicit(&left_by, NOBODY, memory_order_acquire);
    uint64_t before = from == NOBODY ? UINT64_MAX : left_ticks[from];
    if (loop_over())
        return;
    if (from == number || before > after)
        loop_without_values(1);
    else
        loop_value(before, after, 0);
}

static void by_yield(uint32_t number)
{
    while (!loop_over()) {
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
        atomic_store(&second_holds, true);
    while (!atomic_load(&second_holds) && !inside->stopping())
        inside->yield();
    while (!loop_over()) {
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
    .given = GIVEN_TASKS,
    .tasks = tasks,
    .begin = begin,
    .body = body,
};
