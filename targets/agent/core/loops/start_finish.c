/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A periodic task: the pin toggles when it starts and when it has done its work, which is a fixed
 * amount. Each period gives two answers; the due time is on the system's clock, what is late is seen
 * in the answers.
 */
#include "../work.h"
#include "loop.h"

static void body(uint32_t number)
{
    const struct port_inside *inside = loop.port->inside;
    uint64_t period = loop.options->period_ns;
    uint64_t per_ms = loop.summary->work_per_ms = work_calibrate(loop.port);
    uint64_t iterations = work_amount(loop.options->work_ns, per_ms);
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
        inside->work(iterations);
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
