/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The interval timer of setitimer(), whose signal a task waits for. Its signals do not queue: expiries
 * that pass while one is pending send none.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>

#include "posix_crew.h"
#include "posix_inside.h"
#include "system.h"

static struct {
    bool taken, running;
    sigset_t before;
} timer;

static sigset_t alarm_alone(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    return set;
}

bool itimer_open(const struct arm_options *options, struct text *why)
{
    if (options->variant != VARIANT_ITIMER)
        return true;
    if (options->period_ns % 1000) {
        text_say(why, "setitimer counts microseconds: period_ns must be a multiple of 1000");
        return false;
    }
    sigset_t set = alarm_alone();
    pthread_sigmask(SIG_BLOCK, &set, &timer.before); /* the task waits for it, and nobody else */
    timer.taken = true;
    return true;
}

static bool start(uint64_t period_ns)
{
    uint64_t us = period_ns / 1000;
    struct timeval period = {(time_t)(us / 1000000), (suseconds_t)(us % 1000000)};
    struct itimerval when = {period, period};
    return setitimer(ITIMER_REAL, &when, NULL) == 0;
}

enum port_event itimer_wait(uint64_t period_ns)
{
    sigset_t set = alarm_alone();
    if (!timer.running && !(timer.running = start(period_ns)))
        return PORT_FAILED;
    while (sigwaitinfo(&set, NULL) < 0) /* which sigwait is on Linux, but that it can be stopped */
        if (errno != EINTR || crew_stopping())
            break;
    return crew_stopping() ? PORT_STOPPED : PORT_DUE;
}

void itimer_close(void)
{
    const struct itimerval never = {{0, 0}, {0, 0}};
    const struct timespec now = {0, 0};
    sigset_t set = alarm_alone();
    if (!timer.taken)
        return;
    setitimer(ITIMER_REAL, &never, NULL);
    while (sigtimedwait(&set, NULL, &now) > 0) /* one may be pending still */
        ;
    pthread_sigmask(SIG_SETMASK, &timer.before, NULL);
    timer.taken = timer.running = false;
}
