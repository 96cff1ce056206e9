// SPDX-License-Identifier: GPL-3.0-or-later
// A partner on a socket grants virtual time and is told what happened in it.
#ifndef RIG_EMULATOR_LOCKSTEP_H
#define RIG_EMULATOR_LOCKSTEP_H

#include "bench.h"

// Serves grants until the partner closes the socket or a signal asks for the end. Returns an exit
// status of fault.h.
int lockstep_run(struct bench *bench, int socket);

#endif
