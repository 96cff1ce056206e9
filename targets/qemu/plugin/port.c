/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "port.h"

#include <stddef.h>

#include "fault.h"
#include "qemu.h"

enum {
    PORT_BASE = 0x378,
    PORT_REGISTERS = 3,
    PORT_IRQ = 7,
    PORT_PRIORITY = 10, /* over QEMU's own port, which stays for its entry in the ACPI tables */

    REGISTER_DATA = 0,
    REGISTER_STATUS = 1,
    REGISTER_CONTROL = 2,

    STATUS_REST = 0x9F, /* not busy, no paper out, selected, no error; nACK is added */
    STATUS_ACK = 0x40,
    CONTROL_IRQ_ENABLE = 0x10,
    CONTROL_REST = 0x0C,
    CONTROL_UNUSED = 0xC0, /* these bits read as ones */
};

/* The interrupt line follows nACK while it is enabled, as in the AT's port: interrupt 7 is
 * edge-triggered, so the handler runs once for each rising edge and nothing is to be acknowledged. */
static void port_update_irq(struct port *port)
{
    const uint8_t level = port->ack && (port->control & CONTROL_IRQ_ENABLE) ? 1 : 0;

    if (level == port->irq_level)
        return;
    port->irq_level = level;
    port->interrupt_count += level;
    qemu.set_irq(port->irq, level);
}

static uint64_t port_read(void *context, uint64_t address, unsigned size)
{
    const struct port *port = context;

    (void)size;
    switch (address) {
    case REGISTER_DATA:
        return port->data;
    case REGISTER_STATUS:
        return STATUS_REST | (port->ack ? STATUS_ACK : 0);
    default:
        return port->control | CONTROL_UNUSED;
    }
}

static void port_store(void *context, uint64_t address, uint64_t value, unsigned size)
{
    struct port *port = context;

    (void)size;
    if (address == REGISTER_DATA) {
        port->data = (uint8_t)value;
        if (port->write_count < PORT_WRITES_MAX)
            port->writes[port->write_count] = (struct port_write){
                .time_ns = qemu.clock_get_ns(QEMU_CLOCK_VIRTUAL),
                .data = port->data,
            };
        port->write_count++;
    } else if (address == REGISTER_CONTROL) {
        port->control = (uint8_t)value & ~CONTROL_UNUSED;
        port->control_count++;
        port_update_irq(port);
    }
}

static const struct qemu_region_ops port_ops = {
    .read = port_read,
    .write = port_store,
    .valid = {.min_access_size = 1, .max_access_size = 1},
    .impl = {.min_access_size = 1, .max_access_size = 1},
};

void port_open(struct port *port)
{
    static const char ioapic_path[] = "/machine/i440fx/ioapic";
    static struct qemu_region region; /* QEMU keeps it */
    void *ioapic = qemu.object_resolve_path(ioapic_path, NULL);

    if (ioapic == NULL)
        fault_end("this machine has no %s; start QEMU with -M pc", ioapic_path);
    port->irq = qemu.qdev_get_gpio_in(ioapic, PORT_IRQ);
    port->control = CONTROL_REST;
    qemu.memory_region_init_io(&region, NULL, &port_ops, port, "rig-parallel", PORT_REGISTERS);
    if (qemu.memory_region_size(&region) != PORT_REGISTERS)
        fault_end("this QEMU lays its memory regions out in another way than 7.2");
    qemu.memory_region_add_subregion_overlap(qemu.get_system_io(), PORT_BASE, &region,
                                             PORT_PRIORITY);
}

void port_set_ack(struct port *port, uint8_t level)
{
    port->ack = level;
    port_update_irq(port);
}
