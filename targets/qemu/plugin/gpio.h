/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The PL061 GPIO controller of QEMU's machine "virt": its own model, with wires at its lines. */
#ifndef RIG_QEMU_GPIO_H
#define RIG_QEMU_GPIO_H

#include "port.h"

/* Takes the controller's lines: the pins are the levels it gives to all eight, the interrupt line
 * is GPIO_INTERRUPT_LINE. To be called under QEMU's lock. */
void gpio_open(struct port *port);

#endif
