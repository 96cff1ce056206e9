/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ways in which one task wakes another: the first of the crew waits, any other wakes it. */
#define _GNU_SOURCE
#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#ifdef __linux__
#include <limits.h>
#include <linux/futex.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#endif

#include "../core/shared.h"
#include "../counters/counter.h"
#include "posix_crew.h"
#include "posix_inside.h"
#include "system.h"

#define WAITING_TASK 0
#define SIGNAL (SIGRTMIN + 1)
#define HANDLED_SIGNAL (SIGRTMIN + 2)

static struct {
    enum variant variant;
    sem_t semaphore;
    bool has_semaphore;
    int from, to; /* file descriptors; an eventfd is both */
    _Atomic uint32_t wakes; /* by futex; the waiting task takes them one by one */
    uint32_t taken;
} WHOLE_PAGES means SHARED = {.from = -1, .to = -1};

/* Of the waiting task alone: how often its handler was entered, and when first since it waited. */
static struct {
    volatile sig_atomic_t pending;
    volatile uint64_t ticks;
} handled;

static bool open_files(int (*open)(void), struct text *why)
{
    return open() == 0 || system_refuse(why, "nothing to wake a task by", errno);
}

static int open_pipe(void)
{
    int ends[2];
    if (pipe(ends) != 0)
        return -1;
    means.from = ends[0];
    means.to = ends[1];
    return 0;
}

#ifdef __linux__
static int open_eventfd(void)
{
    means.from = means.to = eventfd(0, EFD_CLOEXEC);
    return means.from < 0 ? -1 : 0;
}

/* For threads of one process the kernel has a cheaper way. */
static int futex_call(int call)
{
    return crew_of_processes() ? call : call | FUTEX_PRIVATE_FLAG;
}

static bool wake_futex(void)
{
    atomic_fetch_add(&means.wakes, 1);
    return syscall(SYS_futex, &means.wakes, futex_call(FUTEX_WAKE), 1, NULL, NULL, 0) >= 0;
}

static bool wait_futex(void)
{
    while (atomic_load(&means.wakes) == means.taken) {
        if (syscall(SYS_futex, &means.wakes, futex_call(FUTEX_WAIT), means.taken, NULL, NULL, 0) == 0)
            continue;
        if (errno != EAGAIN && (errno != EINTR || crew_stopping()))
            return false;
    }
    means.taken++;
    return true;
}
#else
static int open_eventfd(void)
{
    errno = ENOTSUP;
    return -1;
}
static bool wake_futex(void)
{
    return false;
}
static bool wait_futex(void)
{
    return false;
}
#endif

static void on_signal(int number)
{
    (void)number;
    if (!handled.pending++)
        handled.ticks = counter_now();
}

static void open_handler(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigfillset(&action.sa_mask);
    sigaction(HANDLED_SIGNAL, &action, NULL);
    handled.pending = 0;
}

bool wakes_open(enum variant variant, struct text *why)
{
    means.variant = variant;
    means.taken = 0;
    atomic_store(&means.wakes, 0);
    if (variant == VARIANT_HANDLER)
        open_handler();
    if (variant == VARIANT_PIPE)
        return open_files(open_pipe, why);
    if (variant == VARIANT_EVENTFD)
        return open_files(open_eventfd, why);
    if (variant == VARIANT_SEMAPHORE)
        means.has_semaphore = sem_init(&means.semaphore, crew_of_processes(), 0) == 0;
    return variant != VARIANT_SEMAPHORE || means.has_semaphore ||
           system_refuse(why, "no semaphore", errno);
}

void wakes_close(void)
{
    if (means.has_semaphore)
        sem_destroy(&means.semaphore);
    means.has_semaphore = false;
    if (means.to >= 0 && means.to != means.from)
        close(means.to);
    if (means.from >= 0)
        close(means.from);
    means.from = means.to = -1;
}

/* Eight bytes are what an eventfd wants, and any pipe takes. */
static bool wake_file(void)
{
    uint64_t one = 1;
    return write(means.to, &one, sizeof one) == sizeof one;
}

static bool wait_file(void)
{
    uint64_t count;
    while (read(means.from, &count, sizeof count) != sizeof count)
        if (errno != EINTR || crew_stopping())
            return false;
    return true;
}

static bool wait_semaphore(void)
{
    while (sem_wait(&means.semaphore) != 0)
        if (errno != EINTR || crew_stopping())
            return false;
    return true;
}

/* All tasks of a crew block the signal: it waits until it is waited for. */
static bool wait_signal(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGNAL);
    while (sigwaitinfo(&set, NULL) < 0)
        if (errno != EINTR || crew_stopping())
            return false;
    return true;
}

/* As pause() does, but a signal that comes just before is not lost. */
static bool wait_handler(void)
{
    sigset_t set;
    pthread_sigmask(SIG_SETMASK, NULL, &set);
    sigdelset(&set, HANDLED_SIGNAL);
    while (!handled.pending) {
        sigsuspend(&set);
        if (crew_stopping())
            return false;
    }
    handled.pending--;
    return true;
}

bool wakes_wake(void)
{
    switch (means.variant) {
    case VARIANT_SIGNAL:
        return crew_signal(WAITING_TASK, SIGNAL);
    case VARIANT_HANDLER:
        return crew_signal(WAITING_TASK, HANDLED_SIGNAL);
    case VARIANT_SEMAPHORE:
        return sem_post(&means.semaphore) == 0;
    case VARIANT_FUTEX:
        return wake_futex();
    default:
        return wake_file();
    }
}

static bool wait_by_means(void)
{
    switch (means.variant) {
    case VARIANT_SIGNAL:
        return wait_signal();
    case VARIANT_SEMAPHORE:
        return wait_semaphore();
    case VARIANT_FUTEX:
        return wait_futex();
    default:
        return wait_file();
    }
}

bool wakes_wait(uint64_t *ran)
{
    bool woken = means.variant == VARIANT_HANDLER ? wait_handler() : wait_by_means();
    *ran = means.variant == VARIANT_HANDLER ? handled.ticks : counter_now();
    return woken;
}
