/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A PC's third serial port, a 16550 at 0x3E8, interrupt 7, of which only the handshake lines lead
 * anywhere: QEMU's own reads its modem lines each 10 ms. */
#ifndef RIG_QEMU_SERIAL_H
#define RIG_QEMU_SERIAL_H

#include "port.h"

/* Puts the port on the guest's bus: the interrupt line is CTS, DSR, DCD and RI, the pins are RTS (0)
 * and DTR (1), with levels as at the chip. To be called under QEMU's lock. */
void serial_open(struct port *port);

#endif
