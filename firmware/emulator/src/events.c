// SPDX-License-Identifier: GPL-3.0-or-later
#define _GNU_SOURCE
#include "events.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>

enum { NS_PER_S = 1000000000 };

static volatile sig_atomic_t ending;
static sigset_t mask_while_waiting;

static void events_signal(int number)
{
    (void)number;
    ending = 1;
}

void events_open(void)
{
    const int numbers[] = {SIGTERM, SIGINT, SIGHUP};
    struct sigaction action;
    sigset_t held;

    memset(&action, 0, sizeof action);
    action.sa_handler = events_signal;
    sigemptyset(&action.sa_mask);
    sigemptyset(&held);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        sigaction(numbers[i], &action, NULL);
        sigaddset(&held, numbers[i]);
    }
    sigprocmask(SIG_BLOCK, &held, &mask_while_waiting);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        sigdelset(&mask_while_waiting, numbers[i]);
    signal(SIGPIPE, SIG_IGN); // a partner that is gone shows as EPIPE
}

void events_end(void)
{
    ending = 1;
}

bool events_ending(void)
{
    return ending != 0;
}

int64_t events_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

int events_wait(struct pollfd *files, nfds_t count, int64_t timeout_ns)
{
    struct timespec timeout;

    if (timeout_ns >= 0) {
        timeout.tv_sec = timeout_ns / NS_PER_S;
        timeout.tv_nsec = timeout_ns % NS_PER_S;
    }
    int ready = ppoll(files, count, timeout_ns < 0 ? NULL : &timeout, &mask_while_waiting);
    if (ready > 0)
        return ready;
    if (ready < 0 && errno != EINTR)
        ending = 1; // only a bad argument or no memory: nothing can be waited for any more
    for (nfds_t i = 0; i < count; i++)
        files[i].revents = 0;
    return 0;
}
