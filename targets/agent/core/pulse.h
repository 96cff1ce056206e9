/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Single pins, driven for a check of the wires while nothing is measured. */
#ifndef CORE_PULSE_H
#define CORE_PULSE_H

#include "port.h"

#define PULSES_MAX 100
#define PULSE_WIDTH_US_DEFAULT 500
#define PULSE_WIDTH_US_MAX 100000

struct pulse_options {
    struct arm_options pins; /* which lines to take, as for a measurement */
    uint8_t bit;             /* as in write_pins: 0 the response, n + 1 sequence bit n */
    uint8_t count;
    uint32_t width_us; /* high, and low after it */
};

/* Read the words after PULSE. False, and why in one sentence, if they make no sense. */
bool pulse_parse(const char *words, struct pulse_options *options, struct text *why);

/*
 * Bring all answering pins low, wait one width, give one pin its pulses and leave all low. Nothing
 * must be armed. False, and why, if the port cannot do it. The pins stay taken: on some systems a
 * line that is given back becomes an input, and its pull-up would make edges of its own.
 */
bool pulse_pins(const struct port *port, const struct pulse_options *options, struct text *why);

/* Give the pins back, if pulse_pins() has them. */
void pulse_release(void);

#endif
