/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The guest's pins as the bench's wires see them: one interrupt line, eight pins that the guest
 * writes. What kind of port has them is the business of parallel.h,
 * serial.h and gpio.h. */
#ifndef RIG_QEMU_PORT_H
#define RIG_QEMU_PORT_H

#include <stdint.h>

enum { PORT_WRITES_MAX = 65536 };

/* A write to the pins, changing them or not. */
struct port_write {
    int64_t time_ns;
    uint8_t data;
    uint8_t pad[7];
};

struct port {
    /* Brings a changed level of the interrupt line to the guest. */
    void (*on_line)(struct port *port);
    void *irq;
    uint8_t trigger_mask; /* the pin that is wired to the interrupt line, or 0 */
    uint8_t data;         /* levels of the pins */
    uint8_t driven;       /* the level that the bench gives to the interrupt line */
    uint8_t line;         /* its level, which is high if either of the two makes it so */

    /* Of a parallel or serial port: */
    uint8_t control;
    uint8_t irq_level;

    /* Since the last report: */
    struct port_write writes[PORT_WRITES_MAX];
    uint32_t write_count; /* may exceed the writes kept */
    uint32_t control_count;
    uint32_t interrupt_count;
};

/* The guest has written its pins, now. */
void port_write(struct port *port, uint8_t data);

/* The bench sets its level at the interrupt line. */
void port_drive(struct port *port, uint8_t level);

#endif
