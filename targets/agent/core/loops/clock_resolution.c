/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From one reading of a clock to the next: what it costs, and how finely it goes. */
#include "loop.h"

static void body(uint32_t number)
{
    bool counter = loop_variant == VARIANT_COUNTER;
    (void)number;
    while (!loop_over()) {
        uint64_t first, second;
        if (counter) {
            first = loop_ticks();
            second = loop_ticks();
        } else {
            first = loop.port->inside->clock_ns(loop_variant);
            second = loop.port->inside->clock_ns(loop_variant);
        }
        loop_value(first, second, counter ? 0 : RECORD_CLOCK);
    }
}

const struct loop_kind clock_resolution_loop = {
    .variants = 1u << VARIANT_COUNTER | 1u << VARIANT_MONOTONIC | 1u << VARIANT_MONOTONIC_RAW |
                1u << VARIANT_REALTIME | 1u << VARIANT_BOOTTIME | 1u << VARIANT_COARSE,
    .usual = VARIANT_MONOTONIC,
    .body = body,
};
