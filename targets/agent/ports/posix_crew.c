/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "posix_crew.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "system.h"

#define STACK_BYTES (64u * 1024)
#define STACK_TOUCHED (16u * 1024)
#define WAKE_SIGNAL SIGUSR2 /* system_begin() has a handler for it that does nothing */
#define STOP_TRIES 2000

static struct {
    pthread_t threads[CREW_MAX];
    uint32_t count;
    void (*body)(uint32_t number);
    pthread_rwlock_t gate; /* written by whoever starts them: all readers go on at once */
    pthread_mutex_t lock;
    pthread_cond_t one_ended;
    uint32_t alive; /* under the lock */
    atomic_bool stop_asked;
    bool made;
} crew = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void make_ready(void)
{
    pthread_condattr_t attributes;
    if (crew.made)
        return;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&crew.one_ended, &attributes);
    pthread_condattr_destroy(&attributes);
    pthread_rwlock_init(&crew.gate, NULL);
    crew.made = true;
}

static void touch_stack(void)
{
    volatile char room[STACK_TOUCHED];
    for (size_t i = 0; i < sizeof room; i += 1024)
        room[i] = 1;
}

static void *run(void *context)
{
    uint32_t number = (uint32_t)(uintptr_t)context;
    touch_stack();
    pthread_rwlock_rdlock(&crew.gate);
    pthread_rwlock_unlock(&crew.gate);
    crew.body(number);
    pthread_mutex_lock(&crew.lock);
    crew.alive--;
    pthread_cond_signal(&crew.one_ended);
    pthread_mutex_unlock(&crew.lock);
    return NULL;
}

#ifdef __linux__
/* The last CPU that is allowed has least to do with starting the system. */
static int set_cpu(pthread_attr_t *attributes, int32_t cpu)
{
    cpu_set_t set, allowed;
    CPU_ZERO(&set);
    if (cpu >= CPU_SETSIZE || sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return EINVAL;
    for (int32_t i = 0; cpu < 0 && i < CPU_SETSIZE; i++)
        if (CPU_ISSET((size_t)(CPU_SETSIZE - 1 - i), &allowed))
            cpu = CPU_SETSIZE - 1 - i;
    if (cpu < 0)
        return EINVAL;
    CPU_SET((size_t)cpu, &set);
    return pthread_attr_setaffinity_np(attributes, sizeof set, &set);
}
#else
static int set_cpu(pthread_attr_t *attributes, int32_t cpu)
{
    (void)attributes;
    (void)cpu;
    return ENOTSUP;
}
#endif

static int start_one(uint32_t number, int32_t priority, int32_t cpu)
{
    pthread_attr_t attributes;
    struct sched_param parameters = {.sched_priority = priority};
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedpolicy(&attributes, priority ? SCHED_FIFO : SCHED_OTHER);
    pthread_attr_setschedparam(&attributes, &parameters);
    int error = set_cpu(&attributes, cpu);
    if (!error)
        error = pthread_create(&crew.threads[number], &attributes, run, (void *)(uintptr_t)number);
    pthread_attr_destroy(&attributes);
    return error;
}

static bool refuse(int error, int32_t priority, struct text *why)
{
    if (error == EPERM)
        return system_refuse_priority(why, priority);
    return system_refuse(why, "no tasks on that cpu", error);
}

bool crew_start(void (*body)(uint32_t number), uint32_t count, int32_t (*priority)(uint32_t number),
                int32_t cpu, struct text *why)
{
    sigset_t all, before;
    int error = 0;
    make_ready();
    crew.body = body;
    crew.count = 0;
    atomic_store(&crew.stop_asked, false);
    sigfillset(&all);
    sigdelset(&all, WAKE_SIGNAL);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_rwlock_wrlock(&crew.gate);
    crew.alive = count;
    while (crew.count < count && !(error = start_one(crew.count, priority(crew.count), cpu)))
        crew.count++;
    if (error) {
        pthread_mutex_lock(&crew.lock);
        crew.alive -= count - crew.count;
        pthread_mutex_unlock(&crew.lock);
        atomic_store(&crew.stop_asked, true);
    }
    pthread_rwlock_unlock(&crew.gate);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!error)
        return true;
    refuse(error, priority(crew.count), why);
    crew_stop();
    return false;
}

bool crew_await(uint32_t timeout_ms)
{
    struct timespec until;
    int error = 0;
    if (!crew.made)
        return true;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += timeout_ms / 1000;
    until.tv_nsec += (long)(timeout_ms % 1000) * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    pthread_mutex_lock(&crew.lock);
    while (crew.alive && !error)
        error = pthread_cond_timedwait(&crew.one_ended, &crew.lock, &until);
    bool ended = !crew.alive;
    pthread_mutex_unlock(&crew.lock);
    return ended;
}

/* A signal that comes just before a call is lost on it: it is sent again until all have ended. */
bool crew_stop(void)
{
    atomic_store(&crew.stop_asked, true);
    for (int i = 0; !crew_await(i ? 1 : 0); i++) {
        if (i == STOP_TRIES)
            return false;
        for (uint32_t number = 0; number < crew.count; number++)
            pthread_kill(crew.threads[number], WAKE_SIGNAL);
    }
    while (crew.count)
        pthread_join(crew.threads[--crew.count], NULL);
    return true;
}

bool crew_stopping(void)
{
    return atomic_load_explicit(&crew.stop_asked, memory_order_relaxed);
}

pthread_t crew_thread(uint32_t number)
{
    return crew.threads[number];
}
