/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers of a target that the partner has decided before the interrupts came: how long each takes is
 * known, and only the interrupts' own times are not. */
#ifndef RIG_EMULATOR_ANSWERS_H
#define RIG_EMULATOR_ANSWERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 wide;

enum { ANSWERS_MAX = 4096 };

struct answers {
    uint64_t rate; /* of the chip's clock, in parts of what it has in common with 10^12 Hz */
    wide cycle_billionths; /* of a cycle in ps, times this rate and the 10^9 of clock_ppb */
    uint64_t clock_ppb; /* the chip's clock in parts of 10^9 of its nominal rate; 0: none given */
    uint64_t free_ps; /* no answer comes before this time */
    uint64_t apart_ps; /* nor sooner than this after the one before */
    uint8_t interrupt_level; /* of the stimulus edge that is the interrupt */
    uint8_t level; /* of the response line behind the next answer */
    size_t count;
    size_t taken;
    uint64_t latency_ps[ANSWERS_MAX]; /* from the edge to the answer, in order */
};

struct answer {
    uint64_t time_ps; /* true time, 0 at the chip's reset */
    uint64_t cycle; /* the first that is not before it */
    uint8_t level;
};

static inline bool answers_given(const struct answers *answers)
{
    return answers->clock_ppb != 0;
}

void answers_open(struct answers *answers, uint32_t clock_hz);

/* The answer to an interrupt at `cycle`. Returns false if none is left. */
bool answers_take(struct answers *answers, uint64_t cycle, struct answer *answer);

#endif
