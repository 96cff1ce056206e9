/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a task does for as long as its work takes: a fixed number of iterations of the port's loop,
 * so that whatever interrupts it makes it longer. A loop until a time would hide all of that.
 */
#ifndef CORE_WORK_H
#define CORE_WORK_H

#include "port.h"

/* How many iterations take a millisecond when nothing interrupts them. By a task that measures, before
 * it begins: a few ms of work, of which the least time counts. */
uint64_t work_calibrate(const struct port *port);

/* The iterations that take so long if nothing interrupts them. */
static inline uint64_t work_amount(uint64_t ns, uint64_t per_ms)
{
    return (uint64_t)((double)ns * 1e-6 * (double)per_ms + 0.5);
}

#endif
