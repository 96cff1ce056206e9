/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A parallel port through /dev/parportN: what the ports that write its pins differently share. */
#ifndef PORTS_LINUX_PARPORT_H
#define PORTS_LINUX_PARPORT_H

#include "ports.h"

#define PARPORT_SEQUENCE_BITS 7

extern int parport_file; /* -1: closed */

/* Claim the port; no other program can have it meanwhile. */
bool parport_open(const struct port_settings *settings, struct text *why);
void parport_close(void);

/* Base address of the data register; 0: unknown. */
unsigned parport_base(void);

/* Settle which data pin is which. Interrupts count from here. */
bool parport_attach(const struct arm_options *options, struct text *why);
void parport_detach(void);
int32_t parport_interrupt(void); /* its number; below 0: not known */
enum port_event parport_wait_interrupt(uint64_t *interrupts);

/* Write the data register and read the counter around it. */
typedef void parport_write(uint8_t data, struct ticks *around);

void parport_answer(parport_write *write, uint32_t pins, struct ticks *around);

/* The same by a system call of ppdev. */
void ppdev_write_pins(uint32_t pins, struct ticks *around);
bool ppdev_read_pins(struct ticks *around);

/* Pulse the trigger pin. True if an answer was written at the same time. */
bool parport_pulse(parport_write *write, struct ticks *around);

#endif
