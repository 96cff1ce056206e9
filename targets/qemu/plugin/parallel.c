/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "parallel.h"

#include <stddef.h>

#include "fault.h"
#include "qemu.h"

enum {
    PARALLEL_BASE = 0x378,
    PARALLEL_REGISTERS = 3,
    PARALLEL_PRIORITY = 10, /* over QEMU's own port, which stays for its entry in the ACPI tables */

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
static void parallel_update_irq(struct port *port)
{
    const uint8_t level = port->line && (port->control & CONTROL_IRQ_ENABLE) ? 1 : 0;

    if (level == port->irq_level)
        return;
    port->irq_level = level;
    port->interrupt_count += level;
    qemu.set_irq(port->irq, level);
}

static uint64_t parallel_read(void *context, uint64_t address, unsigned size)
{
    const struct port *port = context;

    (void)size;
    switch (address) {
    case REGISTER_DATA:
        return port->data;
    case REGISTER_STATUS:
        return STATUS_REST | (port->line ? STATUS_ACK : 0);
    default:
        return port->control | CONTROL_UNUSED;
    }
}

static void parallel_store(void *context, uint64_t address, uint64_t value, unsigned size)
{
    struct port *port = context;

    (void)size;
    if (address == REGISTER_DATA) {
        port_write(port, (uint8_t)value);
    } else if (address == REGISTER_CONTROL) {
        port->control = (uint8_t)value & ~CONTROL_UNUSED;
        port->control_count++;
        parallel_update_irq(port);
    }
}

static const struct qemu_region_ops parallel_ops = {
    .read = parallel_read,
    .write = parallel_store,
    .valid = {.min_access_size = 1, .max_access_size = 1},
    .impl = {.min_access_size = 1, .max_access_size = 1},
};

void parallel_open(struct port *port, int irq)
{
    static const char ioapic_path[] = "/machine/i440fx/ioapic";
    static struct qemu_region region; /* QEMU keeps it */
    void *ioapic = qemu.object_resolve_path(ioapic_path, NULL);

    if (ioapic == NULL)
        fault_end("this machine has no %s; start QEMU with -M pc", ioapic_path);
    port->irq = qemu.qdev_get_gpio_in(ioapic, irq);
    port->on_line = parallel_update_irq;
    port->control = CONTROL_REST;
    qemu.memory_region_init_io(&region, NULL, &parallel_ops, port, "rig-parallel", PARALLEL_REGISTERS);
    if (qemu.memory_region_size(&region) != PARALLEL_REGISTERS)
        fault_end("this QEMU lays its memory regions out in another way than 7.2");
    qemu.memory_region_add_subregion_overlap(qemu.get_system_io(), PARALLEL_BASE, &region,
                                             PARALLEL_PRIORITY);
}
