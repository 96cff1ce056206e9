/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A train as words for the timer's interrupt: each word is one wait of at most 15 bits. */
#ifndef CORE_STEPS_H
#define CORE_STEPS_H

#include <stdbool.h>
#include <stdint.h>

#include "train.h"

/* A word without STEP_HOP is the wait before a leading edge; the interrupt adds the trailing edge
 * itself. A word with STEP_HOP is a wait during which the pin rests. STEP_END ends the train. */
#define STEP_HOP 0x8000U
#define STEP_END STEP_HOP
#define STEP_TICKS_MASK 0x7FFFU

/* Words the interrupt may have before it: at most 128, as it doubles an index within a byte. */
#define STEP_RING 128

/* The engine is started with a rest that ends this long after INIT. */
#define STEP_LEAD_TICKS 400U

struct steps {
    struct train_sequence sequence;
    uint16_t width_ticks;
    uint32_t wait_ticks; /* before each of the next leading edges ... */
    uint32_t edges; /* ... of which there are this many */
    uint32_t rest_ticks; /* what is left of the wait before the first of them */
    uint32_t edges_after; /* leading edges after those */
    bool ended; /* STEP_END has been given */
};

void steps_begin(struct steps *steps, const struct train_settings *settings);

/* Put the next words into a ring of STEP_RING, from ring[place % STEP_RING] on.
 * Returns how many: `most`, or fewer when the last of them is STEP_END. */
uint8_t steps_fill(struct steps *steps, uint16_t *ring, uint8_t place, uint8_t most);

#endif
