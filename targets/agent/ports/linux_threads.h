/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The threads that can hold up others: those of interrupts, and all of a real-time policy. */
#ifndef PORTS_LINUX_THREADS_H
#define PORTS_LINUX_THREADS_H

#include "../core/json.h"

void linux_threads(struct json *json);

#endif
