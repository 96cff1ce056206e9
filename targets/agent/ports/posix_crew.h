/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Many tasks on one CPU that begin together, threads of this process or processes. */
#ifndef PORTS_POSIX_CREW_H
#define PORTS_POSIX_CREW_H

#include "../core/port.h"

/* Of tasks that are started from now on: by priorities, or by deadlines. */
void crew_set_policy(const struct arm_options *options);

bool crew_start(void (*prepare)(uint32_t number), void (*body)(uint32_t number), uint32_t count,
                int32_t (*priority)(uint32_t number), int32_t cpu, struct text *why);
bool crew_stop(void);
bool crew_await(uint32_t timeout_ms);
bool crew_stopping(void);

/* What the tasks of the next crew are. */
void crew_as(enum tasks_as tasks_as);
bool crew_of_processes(void);

/* Send a task of the last crew a signal. */
bool crew_signal(uint32_t number, int signal);

#endif
