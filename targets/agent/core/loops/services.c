/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long one call of a service takes; of the port's pins the answer's own record tells it. */
#include "loop.h"

static bool serve(struct ticks *around)
{
    const struct port *port = loop.port;
    return loop_variant == VARIANT_PORT_READ ? port->read_pins(around)
                                             : port->inside->serve(around);
}

static void body(uint32_t number)
{
    (void)number;
    while (!loop_over()) {
        struct ticks around;
        if (loop_variant == VARIANT_PORT_WRITE) {
            loop_iteration();
            loop_show();
        } else if (serve(&around)) {
            loop_value(around.before, around.after, 0);
        } else {
            loop_failed();
        }
    }
}

const struct loop_kind services_loop = {
    .variants = VARIANT_BIT(VARIANT_PIPE_WRITE) | VARIANT_BIT(VARIANT_PIPE_READ) |
                VARIANT_BIT(VARIANT_SHARED_MEMORY) | VARIANT_BIT(VARIANT_PORT_WRITE) |
                VARIANT_BIT(VARIANT_PORT_READ) | VARIANT_BIT(VARIANT_MEMORY_WRITE) |
                VARIANT_BIT(VARIANT_MEMORY_READ) | VARIANT_BIT(VARIANT_MUTEX_LOCK) |
                VARIANT_BIT(VARIANT_MUTEX_UNLOCK) | VARIANT_BIT(VARIANT_SEMAPHORE_POST) |
                VARIANT_BIT(VARIANT_SEMAPHORE_WAIT) | VARIANT_BIT(VARIANT_QUEUE_SEND) |
                VARIANT_BIT(VARIANT_QUEUE_RECEIVE) | VARIANT_BIT(VARIANT_CLOCK_GETTIME) |
                VARIANT_BIT(VARIANT_SYSTEM_CALL) | VARIANT_BIT(VARIANT_IOCTL),
    .usual = VARIANT_PIPE_WRITE,
    .body = body,
};
