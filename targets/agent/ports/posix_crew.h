/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Many tasks on one CPU that begin together. */
#ifndef PORTS_POSIX_CREW_H
#define PORTS_POSIX_CREW_H

#include <pthread.h>

#include "../core/port.h"

bool crew_start(void (*body)(uint32_t number), uint32_t count, int32_t (*priority)(uint32_t number),
                int32_t cpu, struct text *why);
bool crew_stop(void);
bool crew_await(uint32_t timeout_ms);
bool crew_stopping(void);

/* A thread of those that were started last. */
pthread_t crew_thread(uint32_t number);

#endif
