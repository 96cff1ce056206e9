/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scheduling policies of tasks, by each task itself; SCHED_DEADLINE where the system has it. */
#ifndef PORTS_POSIX_POLICY_H
#define PORTS_POSIX_POLICY_H

#include "../core/port.h"

/* A run time in each period; 0: none, and not by deadlines. */
struct reservation {
    uint64_t runtime_ns, period_ns;
};

/* What to start a task with that has a real-time priority. */
int policy_number(enum policy policy);

/* By the task: take the reservation, if it is one. Returns 0 or an error. */
int policy_reserve(const struct reservation *reservation);

/* Say why the system does not take such tasks. Returns false. */
bool policy_refuse(struct text *why, int error);

/* By the task: remember its policy, as the system tells it, for policy_noted(). */
void policy_note(void);
const char *policy_noted(void);

#endif
