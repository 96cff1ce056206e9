/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A task of real-time priority that has always more to answer never waits, and nobody of lower
 * priority gets to run, not even the agent's own link. Linux holds such tasks up after 0.95 s of each
 * second, but not where kernel.sched_rt_runtime_us is -1, as on many real-time systems.
 *
 * How often a task has waited is told by its voluntary context switches.
 */
#ifdef __linux__
#define _GNU_SOURCE
#endif
#include <sys/resource.h>
#include <time.h>

#include "system.h"

#define LOOK_NS 500000000u /* so long it may go without waiting */
#define WAITS_FEWEST 20
#define REST_NS 25000000 /* a twentieth of it */

#ifdef RUSAGE_THREAD

static uint64_t looked_ns;
static long waits_then;

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static long waits(void)
{
    struct rusage usage = {0};
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nvcsw;
}

void system_breathe_begin(void)
{
    looked_ns = now_ns();
    waits_then = waits();
}

bool system_breathe(void)
{
    const struct timespec rest = {0, REST_NS};
    if (now_ns() - looked_ns < LOOK_NS)
        return false;
    bool busy = waits() - waits_then < WAITS_FEWEST;
    if (busy)
        nanosleep(&rest, NULL);
    system_breathe_begin();
    return busy;
}

#else

void system_breathe_begin(void)
{
}

bool system_breathe(void)
{
    return false;
}

#endif
