/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "posix_policy.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/syscall.h>
#endif

#include "../core/shared.h"
#include "system.h"

#define SECOND_NS 1000000000u
#define NUMBER_DEADLINE 6 /* SCHED_DEADLINE, of which C libraries know nothing yet */

/* A process notes it where its parent finds it. */
static struct {
    _Atomic int number;
} WHOLE_PAGES noted SHARED = {-1};

int policy_number(enum policy policy)
{
    return policy == POLICY_RR ? SCHED_RR : SCHED_FIFO;
}

#ifdef __linux__
struct attributes { /* the kernel's struct sched_attr, in its first form */
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime_ns, deadline_ns, period_ns;
};

static int set_attributes(const struct reservation *reservation)
{
    const struct attributes attributes = {
        .size = sizeof attributes,
        .policy = NUMBER_DEADLINE,
        .runtime_ns = reservation->runtime_ns,
        .deadline_ns = reservation->period_ns,
        .period_ns = reservation->period_ns,
    };
    return syscall(SYS_sched_setattr, 0, &attributes, 0u) == 0 ? 0 : errno;
}
#else
static int set_attributes(const struct reservation *reservation)
{
    (void)reservation;
    return ENOTSUP;
}
#endif

/* A task that has just ended holds its share of the processor for up to a period more. */
int policy_reserve(const struct reservation *reservation)
{
    uint64_t ns = reservation->period_ns;
    const struct timespec period = {(time_t)(ns / SECOND_NS), (long)(ns % SECOND_NS)};
    if (!reservation->runtime_ns)
        return 0;
    int error = set_attributes(reservation);
    if (error != EBUSY)
        return error;
    nanosleep(&period, NULL);
    return set_attributes(reservation);
}

bool policy_refuse(struct text *why, int error)
{
    system_refuse(why, "policy deadline", error);
    if (error == EBUSY)
        text_add(why, "; the run times of all deadline tasks are more of the processors' time than the "
                      "kernel gives them (/proc/sys/kernel/sched_rt_runtime_us of "
                      "sched_rt_period_us, 95 % if not changed): ask for less");
    if (error == EINVAL)
        text_add(why, "; the kernel takes periods from 100 us to 4.19 s (sched_deadline_period_min_us "
                      "and _max_us in /proc/sys/kernel), if not changed");
    if (error == EPERM)
        text_add(why, geteuid() ? "; run as root or with CAP_SYS_NICE"
                                : "; with several processors the kernel takes a deadline task only if "
                                  "it may run on all of them: leave out cpu");
    return false;
}

void policy_note(void)
{
    atomic_store(&noted.number, sched_getscheduler(0));
}

const char *policy_noted(void)
{
    switch (atomic_load(&noted.number)) {
    case SCHED_FIFO:
        return policy_name(POLICY_FIFO);
    case SCHED_RR:
        return policy_name(POLICY_RR);
    case NUMBER_DEADLINE:
        return policy_name(POLICY_DEADLINE);
    case SCHED_OTHER:
        return policy_name(POLICY_OTHER);
    default:
        return NULL;
    }
}
