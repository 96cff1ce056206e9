/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "posix_inside.h"

#include <errno.h>
#include <sched.h>
#include <time.h>

#include "posix_crew.h"
#include "system.h"

#define SECOND_NS 1000000000u

static void end(void)
{
    mutexes_close();
    wakes_close();
    itimer_close();
    services_close();
    creation_close();
}

static bool begin(const struct arm_options *options, struct text *why)
{
    crew_as(options->tasks_as);
    crew_set_policy(options);
    if (mutexes_open(options, why) && wakes_open(options->variant, why) &&
        services_open(options->variant, why) && creation_open(options->variant, why) &&
        itimer_open(options, why))
        return true;
    end();
    return false;
}

static void yield(void)
{
    sched_yield();
}

/* By way of memory, so that no compiler leaves an iteration out. */
static void work(uint64_t iterations)
{
    for (volatile uint64_t left = iterations; left; left--)
        ;
}

static clockid_t clock_of(enum variant clock)
{
    switch (clock) {
    case VARIANT_REALTIME:
        return CLOCK_REALTIME;
#ifdef __linux__
    case VARIANT_MONOTONIC_RAW:
        return CLOCK_MONOTONIC_RAW;
    case VARIANT_BOOTTIME:
        return CLOCK_BOOTTIME;
    case VARIANT_COARSE:
        return CLOCK_MONOTONIC_COARSE;
#endif
    default:
        return CLOCK_MONOTONIC;
    }
}

static uint64_t clock_ns(enum variant clock)
{
    struct timespec now;
    clock_gettime(clock_of(clock), &now);
    return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

static enum port_event slept(int error)
{
    if (crew_stopping())
        return PORT_STOPPED;
    return error ? PORT_FAILED : PORT_DUE;
}

static enum port_event sleep_until(uint64_t ns)
{
    struct timespec until = {(time_t)(ns / SECOND_NS), (long)(ns % SECOND_NS)};
    int error;
    do {
        error = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    } while (error == EINTR && !crew_stopping());
    return slept(error);
}

/* A signal that is not for it must not make the sleep begin anew: what is left is slept. */
static enum port_event sleep_for(uint64_t ns)
{
    struct timespec left = {(time_t)(ns / SECOND_NS), (long)(ns % SECOND_NS)};
    int error;
    do {
        error = clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left);
    } while (error == EINTR && !crew_stopping());
    return slept(error);
}

#define ALL_VARIANTS (VARIANT_BIT(VARIANTS_COUNT) - 1)
#ifdef __linux__
#define NOT_HERE (uint64_t)0
#else
#define NOT_HERE                                                                                   \
    (VARIANT_BIT(VARIANT_MONOTONIC_RAW) | VARIANT_BIT(VARIANT_BOOTTIME) |                          \
     VARIANT_BIT(VARIANT_COARSE) | VARIANT_BIT(VARIANT_FUTEX) | VARIANT_BIT(VARIANT_EVENTFD) |     \
     VARIANT_BIT(VARIANT_FORK_FIRST))
#endif

const struct port_inside posix_inside = {
    .measurements = MEASURE_ALL_LOOPS,
    .variants = ALL_VARIANTS & ~NOT_HERE,
#ifdef __linux__
    .processes = true,
#endif
    .begin = begin,
    .end = end,
    .start_crew = crew_start,
    .stop_crew = crew_stop,
    .await_crew = crew_await,
    .stopping = crew_stopping,
    .yield = yield,
    .lock = mutexes_lock,
    .unlock = mutexes_unlock,
    .release = mutexes_release,
    .await_release = mutexes_await_release,
    .wake = wakes_wake,
    .wait = wakes_wait,
    .clock_ns = clock_ns,
    .sleep_until = sleep_until,
    .sleep_for = sleep_for,
    .timer_wait = itimer_wait,
    .work = work,
    .create = creation_create,
    .serve = services_serve,
};
