/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What all ports on a POSIX system share: tasks, memory, schedules. For the members of struct port. */
#ifndef PORTS_SYSTEM_H
#define PORTS_SYSTEM_H

#include "../core/port.h"
#include "../counters/counter.h"
#include "posix_inside.h"
#include "posix_policy.h"

/* Once, before anything else: the signal that wakes waiting tasks, and locked memory. */
void system_begin(void);

/* Whether all of the process's memory is locked. */
bool system_memory_locked(void);

/* Whether processes of this one share what core/shared.h marks. */
bool system_shares(void);

/* By such a process: map these pages before they are needed. */
void system_touch_shared(void);

/* Go on with memory that is not locked. */
void system_allow_unlocked(void);

bool system_start_task(void (*body)(void), int32_t priority, int32_t cpu, struct text *why);
void system_set_policy(const struct arm_options *options);
bool system_stop_tasks(void);
bool system_stopping(void);
uint64_t system_memory_available(void);
void *system_take(size_t bytes, struct text *why);
void system_give_back(void *memory, size_t bytes);
bool system_timer_start(enum timer timer, uint64_t period_ns, struct text *why);
enum port_event system_timer_wait(struct timer_wake *wake);
void system_timer_stop(void);

/* As the members of struct port. */
void system_breathe_begin(void);
bool system_breathe(void);

/* What a waiting call that ended with EINTR or an error means. */
enum port_event system_interrupted(int error);

/* Say "WHAT: the system's words for the error". Returns false. */
bool system_refuse(struct text *why, const char *what, int error);

/* Say that a real-time priority may not be had, and what to do. Returns false. */
bool system_refuse_priority(struct text *why, int32_t priority);

#define SYSTEM_MEMBERS                                                                             \
    .timer_start = system_timer_start, .timer_wait = system_timer_wait,                            \
    .timer_stop = system_timer_stop, .start_task = system_start_task,                              \
    .set_policy = system_set_policy, .policy = policy_noted,                                       \
    .stop_tasks = system_stop_tasks, .stopping = system_stopping, .take = system_take,             \
    .memory_available = system_memory_available, .give_back = system_give_back, .breathe_begin = system_breathe_begin,                          \
    .breathe = system_breathe, .now_ticks = counter_now, .inside = &posix_inside

#endif
