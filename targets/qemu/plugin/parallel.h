/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A PC's parallel port in SPP mode at 0x378, interrupt 7. QEMU's own raises interrupts without end
 * once they have been enabled twice, and its pins lead nowhere. */
#ifndef RIG_QEMU_PARALLEL_H
#define RIG_QEMU_PARALLEL_H

#include "port.h"

enum { PARALLEL_IRQ = 7, PARALLEL_IRQS = 24 };

/* Puts the port on the guest's bus: the interrupt line is nACK, the pins are the data register, and
 * `irq` is the input of the IO-APIC. To be called under QEMU's lock. */
void parallel_open(struct port *port, int irq);

#endif
