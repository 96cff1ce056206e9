/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The calls that measurements inside the target measure, on POSIX. */
#ifndef PORTS_POSIX_INSIDE_H
#define PORTS_POSIX_INSIDE_H

#include "../core/port.h"

extern const struct port_inside posix_inside;

/* --- its parts, one file each ------------------------------------------------------------------- */

bool wakes_open(enum variant variant, struct text *why);
void wakes_close(void);
bool wakes_wake(void);
bool wakes_wait(uint64_t *ran);

bool itimer_open(const struct arm_options *options, struct text *why);
void itimer_close(void);
enum port_event itimer_wait(uint64_t period_ns);

bool mutexes_open(const struct arm_options *options, struct text *why);
void mutexes_close(void);
void mutexes_lock(uint32_t mutex);
void mutexes_unlock(uint32_t mutex);
bool mutexes_release(uint32_t number);
bool mutexes_await_release(uint32_t number);

bool services_open(enum variant variant, struct text *why);
void services_close(void);
bool services_serve(struct ticks *around);

bool creation_open(enum variant variant, struct text *why);
void creation_close(void);
bool creation_create(struct ticks *around);

#endif
