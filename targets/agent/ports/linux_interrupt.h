/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where an interrupt is handled, and the priority of its threads, through /proc. */
#ifndef PORTS_LINUX_INTERRUPT_H
#define PORTS_LINUX_INTERRUPT_H

#include "../core/port.h"

extern const struct port_interrupt linux_interrupt;

/* The number of the interrupt that has a handler of this name; -1: there is none. */
int32_t linux_interrupt_of(const char *handler);

#endif
