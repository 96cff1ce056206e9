/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A periodic task: the pin toggles when it starts and when it has done its work. Each period gives
 * two answers; the due time is on the system's clock, what is late is seen in the answers.
 */
#include "loop.h"

static void work(uint64_t ticks)
{
    uint64_t start = loop_ticks();
    while (loop_ticks() - start < ticks)
        ;
}

static void body(uint32_t number)
{
    const struct port_inside *inside = loop.port->inside;
    uint64_t period = loop.options->period_ns;
    uint64_t ticks = (uint64_t)((double)loop.port->counter.tick_hz * 1e-9 *
                                (double)loop.options->work_ns);
    uint64_t due = inside->clock_ns(VARIANT_MONOTONIC);
    (void)number;
    while (!loop_over()) {
        uint64_t now = inside->clock_ns(VARIANT_MONOTONIC), missed;
        due += period;
        missed = due <= now ? (now - due) / period + 1 : 0;
        due += missed * period;
        enum port_event event = inside->sleep_until(due);
        if (event == PORT_STOPPED)
            return;
        if (event == PORT_FAILED) {
            loop_failed();
            return;
        }
        loop.summary->handled += missed;
        loop_without_values(missed);
        loop_iteration();
        loop.answer(RECORD_PART(0));
        work(ticks);
        loop.answer(RECORD_PART(1));
    }
}

const struct loop_kind start_finish_loop = {
    .variants = 1u << VARIANT_TASK,
    .usual = VARIANT_TASK,
    .given = GIVEN_WORK,
    .needs_period = true,
    .needs_pin = true,
    .body = body,
};
