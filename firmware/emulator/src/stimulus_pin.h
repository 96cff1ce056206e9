/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PB1 with the output compare unit OC1A: the stimulus line. */
#ifndef RIG_EMULATOR_STIMULUS_PIN_H
#define RIG_EMULATOR_STIMULUS_PIN_H

#include "mcu.h"

typedef void (*stimulus_edge_t)(void *context, uint64_t cycle, uint8_t level);

struct stimulus_pin {
    struct mcu *mcu;
    stimulus_edge_t edge;
    void *context;
    uint8_t latch; /* the OC1A register inside the compare unit */
    uint8_t port;
    uint8_t direction;
    uint8_t level;
};

/* From now on calls `edge` on every change of the pin's level: a compare's with the exact cycle of
 * the compare, a port write's with the first cycle of the instruction. */
void stimulus_pin_open(struct stimulus_pin *pin, struct mcu *mcu, stimulus_edge_t edge,
                       void *context);

#endif
