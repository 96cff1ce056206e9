/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From just before a process or thread is made to its first instruction. */
#include "loop.h"

static void body(uint32_t number)
{
    (void)number;
    while (!loop_over()) {
        struct ticks around;
        loop_be_busy();
        if (loop.port->inside->create(&around))
            loop_value(around.before, around.after, 0);
        else
            loop_failed();
    }
}

const struct loop_kind task_creation_loop = {
    .variants = VARIANT_BIT(VARIANT_FORK) | VARIANT_BIT(VARIANT_FORK_FIRST) |
                VARIANT_BIT(VARIANT_THREAD),
    .usual = VARIANT_THREAD,
    .given = GIVEN_BUSY,
    .body = body,
};
