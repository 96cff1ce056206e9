/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes.h"

#include "../shared.h"

#include <stdatomic.h>

static struct {
    _Atomic uint64_t ran, rests;
    _Atomic uint64_t made; /* passes of the high task, counted behind its readings */
    _Atomic bool over;
} WHOLE_PAGES pass SHARED;

void passes_begin(void)
{
    atomic_store(&pass.made, 0);
    atomic_store(&pass.over, false);
}

static void high(void)
{
    uint64_t wait = loop_ticks_of(loop.options->wait_ns);
    while (!atomic_load(&pass.over)) {
        enum port_event event = loop.port->inside->sleep_for(loop.options->pause_ns);
        uint64_t ran = loop_ticks();
        if (event == PORT_FAILED)
            loop_failed();
        if (event != PORT_DUE)
            return;
        atomic_store(&pass.ran, ran);
        atomic_store(&pass.rests, loop_spin(ran, wait));
        atomic_fetch_add(&pass.made, 1);
    }
}

/* Four times t1 < t2 < t3 < t4, or the pass has failed. */
static void note(uint64_t left, uint64_t ran, uint64_t rests, uint64_t back)
{
    if (left >= ran || ran >= rests || rests >= back) {
        loop_failure(left, back);
        return;
    }
    loop_iteration();
    loop_part(left, ran, RECORD_PART(0));
    loop_part(ran, rests, RECORD_PART(1));
    loop_part(rests, back, RECORD_PART(2));
    loop_show();
}

/* A pass that came before the last one was looked at has failed, too: it overwrote its readings. */
static void low(void)
{
    uint64_t patience = loop_ticks_of(loop.options->pause_ns + loop.options->timeout_ns);
    uint64_t seen = 0, left = loop_ticks(), begun = left;
    while (!loop_over()) {
        uint64_t now = loop_ticks();
        uint64_t made = atomic_load(&pass.made);
        if (made == seen) {
            left = now;
            if (now - begun <= patience)
                continue;
            loop_failure(begun, now);
        } else {
            uint64_t ran = atomic_load(&pass.ran), rests = atomic_load(&pass.rests);
            if (atomic_load(&pass.made) != made)
                continue; /* preempted meanwhile: these may be of two passes */
            if (now < ran) { /* preempted between this reading and the look */
                left = now;
                now = loop_ticks();
            }
            while (++seen < made && !loop_over())
                loop_failure(left, now);
            if (!loop_over())
                note(left, ran, rests, now);
            seen = made;
        }
        begun = left = loop_ticks();
    }
    atomic_store(&pass.over, true);
}

void passes_run(uint32_t number)
{
    if (number == WAKES_HIGH)
        high();
    else
        low();
}
