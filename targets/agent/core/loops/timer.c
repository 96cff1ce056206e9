/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How late a sleep ends: until a time, or for a time that begins now. By the system's own clock. */
#include "loop.h"

static void body(uint32_t number)
{
    const struct port_inside *inside = loop.port->inside;
    uint64_t length = loop.options->period_ns;
    (void)number;
    while (!loop_over()) {
        uint64_t due = inside->clock_ns(VARIANT_MONOTONIC) + length;
        enum port_event event = loop_variant == VARIANT_ABSOLUTE ? inside->sleep_until(due)
                                                                 : inside->sleep_for(length);
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
    .measurement = MEASURE_TIMER,
    .variants = 1u << VARIANT_ABSOLUTE | 1u << VARIANT_RELATIVE,
    .usual = VARIANT_ABSOLUTE,
    .needs_period = true,
    .body = body,
};
