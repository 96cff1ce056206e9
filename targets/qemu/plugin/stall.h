/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time that is taken from the guest: its clock goes on, and it executes nothing meanwhile. To the
 * guest that is what a system management interrupt is. */
#ifndef RIG_STALL_H
#define RIG_STALL_H

#include <stdbool.h>
#include <stdint.h>

/* One in so long. Before the first translated block. */
void stall_choose(int64_t every_ns, int64_t length_ns);

/* The machine is complete, at virtual time 0. Ends QEMU if its clock is not as expected. */
void stall_open(void);

/* When the next one is to be; INT64_MAX: none. */
int64_t stall_due_ns(void);

/* Take the next one now, if it is due and ends before `until_ns`. True if it was taken. */
bool stall_take(int64_t now_ns, int64_t until_ns);

#endif
