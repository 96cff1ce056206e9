/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serial.h"

#include <stdbool.h>
#include <stddef.h>

#include "fault.h"
#include "qemu.h"

/* Names and numbers of the data sheet, National Semiconductor PC16550D. */
enum {
    SERIAL_BASE = 0x3E8,
    SERIAL_REGISTERS = 8,
    SERIAL_IRQ = 7,
    SERIAL_PRIORITY = 10, /* over QEMU's own port, which stays for its entry in the ACPI tables */

    DATA = 0,
    IER = 1,
    IER_THRE = 0x02,
    IER_MODEM = 0x08,
    IIR = 2, /* written: FCR */
    IIR_NONE = 0x01,
    IIR_THRE = 0x02,
    IIR_FIFO = 0xC0,
    FCR_ENABLE = 0x01,
    LCR = 3,
    LCR_DIVISOR = 0x80,
    MCR = 4,
    MCR_DTR = 0x01,
    MCR_RTS = 0x02,
    MCR_INTERRUPT = 0x08, /* OUT2, which lets a PC's port interrupt */
    MCR_LOOP = 0x10,
    LSR = 5,
    LSR_EMPTY = 0x60,
    MSR = 6,
    MSR_CHANGES = 0x0F,
    MSR_RI = 0x40,
    MSR_LINES = 0xF0,
};

static struct {
    uint8_t ier, fcr, lcr, mcr, scratch, divisor[2];
    uint8_t lines;   /* the upper half of MSR, as it was last */
    uint8_t changes; /* the lower half: since it was read */
    bool empty;      /* the transmitter's interrupt waits */
} uart;

static uint8_t serial_source(void)
{
    if (uart.ier & IER_THRE && uart.empty)
        return IIR_THRE;
    if (uart.ier & IER_MODEM && uart.changes)
        return 0;
    return IIR_NONE;
}

static void serial_update_irq(struct port *port)
{
    const uint8_t level = serial_source() != IIR_NONE && uart.mcr & MCR_INTERRUPT ? 1 : 0;

    if (level == port->irq_level)
        return;
    port->irq_level = level;
    port->interrupt_count += level && port->line;
    qemu.set_irq(port->irq, level);
}

/* A line that is low is set. RI is told when its ring ends, at the rising edge. */
static void serial_on_line(struct port *port)
{
    const uint8_t outputs = uart.mcr, old = uart.lines;

    uart.lines = port->line ? 0 : MSR_LINES;
    if (outputs & MCR_LOOP)
        uart.lines = (uint8_t)((outputs & MCR_RTS) << 3 | (outputs & MCR_DTR) << 5 |
                               (outputs & 0x0C) << 4);
    const uint8_t changed = old ^ uart.lines, rings = changed & MSR_RI & uart.lines;
    uart.changes |= (uint8_t)((changed ^ rings) >> 4);
    serial_update_irq(port);
}

static uint64_t serial_read(void *context, uint64_t address, unsigned size)
{
    struct port *port = context;
    uint8_t value = 0;

    (void)size;
    if (address <= IER && uart.lcr & LCR_DIVISOR)
        return uart.divisor[address];
    switch (address) {
    case DATA: break;
    case IER: return uart.ier;
    case IIR:
        value = serial_source();
        if (value == IIR_THRE)
            uart.empty = false;
        value |= uart.fcr & FCR_ENABLE ? IIR_FIFO : 0;
        break;
    case LCR: return uart.lcr;
    case MCR: return uart.mcr;
    case LSR: return LSR_EMPTY;
    case MSR:
        value = uart.lines | (uart.changes & MSR_CHANGES);
        uart.changes = 0;
        break;
    default: return uart.scratch;
    }
    serial_update_irq(port);
    return value;
}

static void serial_set_outputs(struct port *port, uint8_t mcr)
{
    uart.mcr = mcr & 0x1F;
    const uint8_t outputs = mcr & MCR_LOOP ? 0 : mcr;
    port_write(port, (outputs & MCR_RTS ? 0 : 1) | (outputs & MCR_DTR ? 0 : 2));
    serial_on_line(port);
}

static void serial_store(void *context, uint64_t address, uint64_t value, unsigned size)
{
    struct port *port = context;
    const uint8_t byte = (uint8_t)value;

    (void)size;
    if (address <= IER && uart.lcr & LCR_DIVISOR) {
        uart.divisor[address] = byte;
        return;
    }
    switch (address) {
    case DATA: uart.empty = true; break; /* what is sent goes nowhere, at once */
    case IER:
        uart.empty |= byte & ~uart.ier & IER_THRE;
        uart.ier = byte & 0x0F;
        break;
    case IIR: uart.fcr = byte; break;
    case LCR: uart.lcr = byte; break;
    case MCR: serial_set_outputs(port, byte); break;
    case LSR:
    case MSR: break;
    default: uart.scratch = byte;
    }
    serial_update_irq(port);
}

static const struct qemu_region_ops serial_ops = {
    .read = serial_read,
    .write = serial_store,
    .valid = {.min_access_size = 1, .max_access_size = 1},
    .impl = {.min_access_size = 1, .max_access_size = 1},
};

void serial_open(struct port *port)
{
    static const char ioapic_path[] = "/machine/i440fx/ioapic";
    static struct qemu_region region; /* QEMU keeps it */
    void *ioapic = qemu.object_resolve_path(ioapic_path, NULL);

    if (ioapic == NULL)
        fault_end("this machine has no %s; start QEMU with -M pc", ioapic_path);
    port->irq = qemu.qdev_get_gpio_in(ioapic, SERIAL_IRQ);
    port->on_line = serial_on_line;
    uart.lines = MSR_LINES;
    qemu.memory_region_init_io(&region, NULL, &serial_ops, port, "rig-serial", SERIAL_REGISTERS);
    if (qemu.memory_region_size(&region) != SERIAL_REGISTERS)
        fault_end("this QEMU lays its memory regions out in another way than 7.2");
    qemu.memory_region_add_subregion_overlap(qemu.get_system_io(), SERIAL_BASE, &region,
                                             SERIAL_PRIORITY);
}
