/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A task of high priority that waits, and one of low priority that wakes it: who sees what. */
#ifndef CORE_LOOPS_WAKES_H
#define CORE_LOOPS_WAKES_H

#include "loop.h"

enum { WAKES_HIGH, WAKES_LOW, WAKES_TASKS };

/* Ticks of one wake. */
struct wake {
    uint64_t woken_by; /* just before the call that wakes */
    uint64_t ran;      /* the high task goes on */
    uint64_t rests;    /* and is about to wait again */
    uint64_t back;     /* the low task goes on */
    bool went_on;      /* it did so before the high one ran */
};

uint32_t wakes_tasks(void);
int32_t wakes_priority(uint32_t number);
void wakes_begin(void);

/* Each task's part; `note` gets every wake, by the low task, when the high one waits again. */
void wakes_run(uint32_t number, void (*note)(const struct wake *wake));

#define WAKES_VARIANTS                                                                             \
    (1u << VARIANT_SIGNAL | 1u << VARIANT_SEMAPHORE | 1u << VARIANT_FUTEX | 1u << VARIANT_EVENTFD | \
     1u << VARIANT_PIPE | VARIANT_BIT(VARIANT_HANDLER))

#endif
