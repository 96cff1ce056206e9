/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Timer1: the pulse train on OC1A and the captures on ICP1, on one free-running clock. */
#ifndef AVR_ENGINE_H
#define AVR_ENGINE_H

#include <stdbool.h>

void engine_begin(void);

/* Work out intervals ahead of the interrupt, and let captures go on. To be called whenever the
 * processor would wait. */
void engine_refill(void);

/* Nothing is left to be done until an interrupt. To be called with interrupts off. */
bool engine_settled(void);

#endif
