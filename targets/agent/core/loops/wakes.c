/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "wakes.h"

#include "../shared.h"

#include <stdatomic.h>

static struct {
    struct wake wake;
    _Atomic bool went_on, over;
    _Atomic uint64_t rested; /* wakes that the high task is done with */
} WHOLE_PAGES now SHARED;

uint32_t wakes_tasks(void)
{
    return WAKES_TASKS;
}

int32_t wakes_priority(uint32_t number)
{
    return number == WAKES_HIGH ? loop.options->priority : loop_priority_below();
}

void wakes_begin(void)
{
    atomic_store(&now.went_on, false);
    atomic_store(&now.over, false);
    atomic_store(&now.rested, 0);
}

static void high(void)
{
    uint64_t wait = loop_ticks_of(loop.options->wait_ns);
    for (;;) {
        uint64_t ran;
        bool woken = loop.port->inside->wait(&ran);
        if (!woken && !loop.port->inside->stopping())
            loop_failed();
        if (!woken || atomic_load(&now.over))
            return;
        now.wake.ran = ran;
        now.wake.went_on = atomic_load_explicit(&now.went_on, memory_order_relaxed);
        now.wake.rests = loop_spin(ran, wait);
        atomic_fetch_add_explicit(&now.rested, 1, memory_order_release);
    }
}

/* At ordinary priority, or where woken tasks do not preempt, the high one needs to be let. */
static void low(void (*note)(const struct wake *wake))
{
    const struct port_inside *inside = loop.port->inside;
    uint64_t wakes = 0;
    while (!loop_over()) {
        uint64_t pause_ns = loop.options->pause_ns;
        enum port_event event = pause_ns ? inside->sleep_for(pause_ns) : PORT_DUE;
        if (event == PORT_FAILED)
            loop_failed();
        if (event != PORT_DUE)
            break;
        loop_be_busy();
        atomic_store_explicit(&now.went_on, false, memory_order_relaxed);
        now.wake.woken_by = loop_ticks();
        if (!inside->wake()) {
            loop_failed();
            break;
        }
        uint64_t back = loop_ticks();
        atomic_store_explicit(&now.went_on, true, memory_order_relaxed);
        wakes++;
        while (atomic_load_explicit(&now.rested, memory_order_acquire) != wakes) {
            if (loop.summary->failed || inside->stopping())
                return;
            inside->yield();
            back = loop_ticks();
        }
        if (back < now.wake.rests) /* it ran between this reading and the look */
            back = loop_ticks();
        now.wake.back = back;
        note(&now.wake);
    }
    atomic_store(&now.over, true);
    inside->wake();
}

void wakes_run(uint32_t number, void (*note)(const struct wake *wake))
{
    if (number == WAKES_HIGH)
        high();
    else
        low(note);
}
