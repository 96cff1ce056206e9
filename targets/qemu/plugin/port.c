/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "port.h"

#include "qemu.h"

static void port_update_line(struct port *port)
{
    const uint8_t level = port->driven || (port->data & port->trigger_mask) ? 1 : 0;

    if (level == port->line)
        return;
    port->line = level;
    port->on_line(port);
}

void port_write(struct port *port, uint8_t data)
{
    port->data = data;
    if (port->write_count < PORT_WRITES_MAX)
        port->writes[port->write_count] = (struct port_write){
            .time_ns = qemu.clock_get_ns(QEMU_CLOCK_VIRTUAL),
            .data = data,
        };
    port->write_count++;
    port_update_line(port);
}

void port_drive(struct port *port, uint8_t level)
{
    port->driven = level;
    port_update_line(port);
}
