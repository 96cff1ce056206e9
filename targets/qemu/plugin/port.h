/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A parallel port in SPP mode at 0x378, interrupt 7. QEMU's own raises interrupts without end once
 * they have been enabled twice, and its pins lead nowhere. */
#ifndef RIG_QEMU_PORT_H
#define RIG_QEMU_PORT_H

#include <stdint.h>

enum { PORT_WRITES_MAX = 65536 };

/* A write to the data register, changing pins or not. */
struct port_write {
    int64_t time_ns;
    uint8_t data;
    uint8_t pad[7];
};

struct port {
    void *irq;
    uint8_t data;
    uint8_t control;
    uint8_t ack; /* level of nACK, pin 10 */
    uint8_t irq_level;

    /* Since the last report: */
    struct port_write writes[PORT_WRITES_MAX];
    uint32_t write_count; /* may exceed the writes kept */
    uint32_t control_count;
    uint32_t interrupt_count;
};

/* Puts the port on the guest's bus. To be called under QEMU's lock. */
void port_open(struct port *port);

/* Sets the level at nACK. */
void port_set_ack(struct port *port, uint8_t level);

#endif
