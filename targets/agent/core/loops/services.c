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
    .variants = 1u << VARIANT_PIPE_WRITE | 1u << VARIANT_PIPE_READ | 1u << VARIANT_SHARED_MEMORY |
                1u << VARIANT_PORT_WRITE | 1u << VARIANT_PORT_READ,
    .usual = VARIANT_PIPE_WRITE,
    .body = body,
};
