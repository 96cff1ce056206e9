/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How late a sleep ends: until a time, for a time that begins now, or until the next time of a grid,
 * as a periodic task has it, by a sleep or an interval timer. By the system's own clock.
 */
#include "loop.h"

/* The next time of the grid that is still to come; those that have passed give no value. */
static uint64_t next_of_grid(uint64_t due, uint64_t now, uint64_t period)
{
    uint64_t missed = due + period <= now ? (now - due) / period : 0;
    loop_without_values(missed);
    return due + (missed + 1) * period;
}

/* Not one whose time had passed when the task was about to wait: that has given no value already. */
static enum port_event expiry(uint64_t due, uint64_t period)
{
    enum port_event event;
    do {
        event = loop.port->inside->timer_wait(period);
    } while (event == PORT_DUE && loop.port->inside->clock_ns(VARIANT_MONOTONIC) < due);
    return event;
}

static void body(uint32_t number)
{
    const struct port_inside *inside = loop.port->inside;
    uint64_t length = loop.options->period_ns, due = inside->clock_ns(VARIANT_MONOTONIC);
    bool on_grid = loop_variant == VARIANT_PERIODIC || loop_variant == VARIANT_ITIMER;
    (void)number;
    while (!loop_over()) {
        uint64_t now = inside->clock_ns(VARIANT_MONOTONIC);
        due = on_grid ? next_of_grid(due, now, length) : now + length;
        enum port_event event = loop_variant == VARIANT_RELATIVE ? inside->sleep_for(length)
                                : loop_variant == VARIANT_ITIMER ? expiry(due, length)
                                                                 : inside->sleep_until(due);
        uint64_t woke = inside->clock_ns(VARIANT_MONOTONIC);
        if (event == PORT_STOPPED)
            return;
        if (event == PORT_FAILED)
            loop_failed();
        else
            loop_value(due, woke, RECORD_CLOCK);
    }
}

const struct loop_kind timer_loop = {
    .variants = 1u << VARIANT_ABSOLUTE | 1u << VARIANT_RELATIVE | 1u << VARIANT_PERIODIC |
                1u << VARIANT_ITIMER,
    .usual = VARIANT_ABSOLUTE,
    .needs_period = true,
    .body = body,
};
