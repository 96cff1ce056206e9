/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Three schedules on CLOCK_MONOTONIC: an absolute sleep each period, an interval timer that sends a
 * signal, and on Linux a timer as a file.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/timerfd.h>
#endif

#include "system.h"

#define SECOND_NS 1000000000u

static struct {
    enum timer kind;
    bool started; /* the timer is there, */
    bool running; /* and its task has begun to wait: the first period is one period later */
    uint64_t period_ns;
    uint64_t due_ns; /* of the period waited for last, by nanosleep */
    timer_t timer;
    int file;
} schedule = {.file = -1};

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

static struct timespec timespec_of(uint64_t ns)
{
    return (struct timespec){.tv_sec = (time_t)(ns / SECOND_NS), .tv_nsec = (long)(ns % SECOND_NS)};
}

static bool create_itimer(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN};
    /* The main thread starts it and must not take its signal; tasks inherit or block it as well. */
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    return timer_create(CLOCK_MONOTONIC, &event, &schedule.timer) == 0;
}

static bool create_timerfd(void)
{
#ifdef __linux__
    schedule.file = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    return schedule.file >= 0;
#else
    errno = ENOTSUP;
    return false;
#endif
}

bool system_timer_start(enum timer timer, uint64_t period_ns, struct text *why)
{
    schedule.kind = timer;
    schedule.period_ns = period_ns;
    if ((timer == TIMER_ITIMER && !create_itimer()) ||
        (timer == TIMER_TIMERFD && !create_timerfd()))
        return system_refuse(why, "no timer of that kind", errno);
    schedule.started = true;
    schedule.running = false;
    return true;
}

/* By the task itself, or the time to start it would count as missed periods. */
static bool set_going(void)
{
    schedule.running = true;
    schedule.due_ns = now_ns();
    struct itimerspec when = {.it_interval = timespec_of(schedule.period_ns),
                              .it_value = timespec_of(schedule.due_ns + schedule.period_ns)};
    if (schedule.kind == TIMER_ITIMER)
        return timer_settime(schedule.timer, TIMER_ABSTIME, &when, NULL) == 0;
#ifdef __linux__
    if (schedule.kind == TIMER_TIMERFD)
        return timerfd_settime(schedule.file, TFD_TIMER_ABSTIME, &when, NULL) == 0;
#endif
    return true;
}

/* Reading the clock is no system call: the kernel maps it into the process. */
static enum port_event wait_nanosleep(struct timer_wake *wake)
{
    uint64_t now = now_ns();
    schedule.due_ns += schedule.period_ns;
    wake->periods = 1;
    if (schedule.due_ns <= now) {
        uint64_t late = (now - schedule.due_ns) / schedule.period_ns + 1;
        wake->overrun_before = true;
        wake->periods += late;
        schedule.due_ns += late * schedule.period_ns;
    }
    struct timespec until = timespec_of(schedule.due_ns);
    int error;
    while ((error = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL)) != 0)
        if (error != EINTR || system_stopping())
            return system_interrupted(error);
    return system_stopping() ? PORT_STOPPED : PORT_DUE;
}

static enum port_event wait_itimer(struct timer_wake *wake)
{
    sigset_t set;
    siginfo_t info;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    while (sigwaitinfo(&set, &info) < 0)
        if (errno != EINTR || system_stopping())
            return system_interrupted(errno);
    wake->periods = 1;
#ifdef __linux__
    wake->periods += info.si_overrun > 0 ? (uint64_t)info.si_overrun : 0;
#else
    int overrun = timer_getoverrun(schedule.timer);
    wake->periods += overrun > 0 ? (uint64_t)overrun : 0;
#endif
    return system_stopping() ? PORT_STOPPED : PORT_DUE;
}

static enum port_event wait_timerfd(struct timer_wake *wake)
{
    while (read(schedule.file, &wake->periods, sizeof wake->periods) != sizeof wake->periods)
        if (errno != EINTR || system_stopping())
            return system_interrupted(errno);
    return system_stopping() ? PORT_STOPPED : PORT_DUE;
}

enum port_event system_timer_wait(struct timer_wake *wake)
{
    if (!schedule.running && !set_going())
        return PORT_FAILED;
    switch (schedule.kind) {
    case TIMER_ITIMER:
        return wait_itimer(wake);
    case TIMER_TIMERFD:
        return wait_timerfd(wake);
    default:
        return wait_nanosleep(wake);
    }
}

void system_timer_stop(void)
{
    if (!schedule.started)
        return;
    schedule.started = false;
    if (schedule.kind == TIMER_ITIMER) {
        const struct timespec none = {0};
        sigset_t set;
        timer_delete(schedule.timer);
        sigemptyset(&set);
        sigaddset(&set, SIGRTMIN);
        while (sigtimedwait(&set, NULL, &none) > 0) /* one may be pending still */
            ;
    }
    if (schedule.file >= 0)
        close(schedule.file);
    schedule.file = -1;
}
