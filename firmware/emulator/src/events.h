// SPDX-License-Identifier: GPL-3.0-or-later
// Waiting for files and for the request to end.
#ifndef RIG_EMULATOR_EVENTS_H
#define RIG_EMULATOR_EVENTS_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

// Termination signals are held back except inside events_wait, so none is lost between a look at
// events_ending and a wait.
void events_open(void);

// Asks for the end as a signal would.
void events_end(void);
bool events_ending(void);

// Monotonic wall time.
int64_t events_now_ns(void);

// As poll, with the time in nanoseconds, below 0 for ever. Returns the number of ready files, 0 if
// the time ran out or the end was asked for.
int events_wait(struct pollfd *files, nfds_t count, int64_t timeout_ns);

#endif
