/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pins as the command line names them, for a port whose pins have no usual place. */
#ifndef PORTS_PIN_LIST_H
#define PORTS_PIN_LIST_H

#include "../core/arm.h"

struct pin_list {
    uint16_t response, interrupt, trigger; /* PIN_NONE: not named */
    uint16_t sequence[SEQUENCE_BITS_MAX];
    uint8_t sequence_count;
};

/* Read such as "response=4,interrupt=5,trigger=6,sequence=0:1:2"; NULL names none. False, and why,
 * if it makes no sense. */
bool pin_list_parse(const char *words, struct pin_list *list, struct text *why);

/* Fill in what the host left out. */
void pin_list_complete(const struct pin_list *list, struct arm_options *options);

#endif
