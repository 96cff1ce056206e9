/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The guest's virtual time passes only as far as the bench grants it. ../README.md describes the
 * frames; rig/virtual/guest/machine.py is the other end. */
#ifndef RIG_QEMU_LOCKSTEP_H
#define RIG_QEMU_LOCKSTEP_H

#include "port.h"

/* Tells the bench that the machine is there and waits for its first grant. To be called under
 * QEMU's lock; ends QEMU when the bench is gone. */
void lockstep_open(struct port *port, int socket);

#endif
