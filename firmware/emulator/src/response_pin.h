/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The input capture pin ICP1: the response line, fed from a queue of edges. */
#ifndef RIG_EMULATOR_RESPONSE_PIN_H
#define RIG_EMULATOR_RESPONSE_PIN_H

#include "mcu.h"

enum {
    RESPONSE_QUEUE_MAX = 16384,
    RESPONSE_DELAY_MAX_CYCLES = 32768, /* half of timer 1's round: a stamp's round stays known */
};

struct response_edge {
    uint64_t cycle;
    uint8_t level;
};

typedef void (*response_edge_t)(void *context, uint64_t cycle, uint8_t level);

struct response_pin {
    struct mcu *mcu;
    response_edge_t fed; /* told of every edge fed, may be NULL */
    void *context;
    uint64_t delay_cycles; /* from an edge to the pin; the capture's stamp is the edge's own */
    struct response_edge queue[RESPONSE_QUEUE_MAX]; /* a ring, by cycle at the pin */
    size_t first;
    size_t count;
    uint64_t fed_cycle; /* when the last edge was fed */
    uint64_t accept_cycle; /* when the noise canceler will let the raw level through */
    bool canceling; /* it is waiting for that */
    uint8_t raw; /* level on the pin */
    uint8_t filtered; /* level behind the noise canceler */
    uint16_t captured; /* the ICR1 register */
    uint8_t temporary_high; /* the high byte held between the two reads of ICR1 */
};

void response_pin_open(struct response_pin *pin, struct mcu *mcu, response_edge_t fed,
                       void *context);

/* Queues an edge. It reaches the pin `delay_cycles` later than its cycle says, but is captured with
 * the counter of its own cycle: whoever only learns of an edge once it is past can feed it so. One
 * that should have reached the pin already is fed before the next instruction, as if in time, but
 * never before an edge that was fed already. Returns false if the queue is full. */
bool response_pin_add(struct response_pin *pin, uint64_t cycle, uint8_t level);

#endif
