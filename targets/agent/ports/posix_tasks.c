/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tasks and memory on POSIX: threads that a signal makes leave the call they wait in. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "../core/shared.h"
#include "system.h"

#define TASKS_MAX 2
#define STACK_BYTES (256u * 1024)
#define STACK_TOUCHED (64u * 1024)
#define WAKE_SIGNAL SIGUSR2
#define WAKE_EVERY_NS 1000000
#define WAKE_TRIES 2000

struct task {
    pthread_t thread;
    void (*body)(void);
    sem_t begun; /* with or without the policy that it is to have */
    int refused; /* why without, or 0 */
    atomic_bool ended;
};

static struct task tasks[TASKS_MAX];
static size_t running;
static enum policy policy; /* of the next task with a real-time priority, */
static struct reservation reservation; /* or by deadlines */
static atomic_bool stop_asked;
static bool locked, unlocked_allowed, shared;

static void on_wake(int number)
{
    (void)number; /* it is enough that the call ends with EINTR */
}

#ifdef __linux__
extern char __start_shared_state[], __stop_shared_state[];

/* The pages that core/shared.h marks, as ones that processes share; there are no other tasks yet. */
static void share_state(void)
{
    size_t bytes = (size_t)(__stop_shared_state - __start_shared_state);
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || sysconf(_SC_PAGESIZE) != SHARED_PAGE_BYTES)
        return;
    memcpy(pages, __start_shared_state, bytes);
    shared = mremap(pages, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, __start_shared_state) !=
             MAP_FAILED;
}

void system_touch_shared(void)
{
    for (volatile char *page = __start_shared_state; page < __stop_shared_state;
         page += SHARED_PAGE_BYTES)
        (void)*page;
}
#else
static void share_state(void)
{
}

void system_touch_shared(void)
{
}
#endif

bool system_shares(void)
{
    return shared;
}

void system_begin(void)
{
    struct sigaction wake = {.sa_handler = on_wake}; /* no SA_RESTART */
    sigemptyset(&wake.sa_mask);
    sigaction(WAKE_SIGNAL, &wake, NULL);
    signal(SIGPIPE, SIG_IGN);
    share_state();
    locked = mlockall(MCL_CURRENT | MCL_FUTURE) == 0;
}

bool system_memory_locked(void)
{
    return locked;
}

void system_allow_unlocked(void)
{
    unlocked_allowed = true;
}

bool system_stopping(void)
{
    return atomic_load_explicit(&stop_asked, memory_order_relaxed);
}

enum port_event system_interrupted(int error)
{
    return error == EINTR && system_stopping() ? PORT_STOPPED : PORT_FAILED;
}

/* --- memory ------------------------------------------------------------------------------------- */

/* What /proc/meminfo calls available; on systems without, no bound is known. */
uint64_t system_memory_available(void)
{
    char line[128];
    unsigned long long kilobytes;
    uint64_t bytes = UINT64_MAX;
    FILE *file = fopen("/proc/meminfo", "r");
    if (!file)
        return bytes;
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %llu", &kilobytes) == 1)
            bytes = (uint64_t)kilobytes * 1024;
    fclose(file);
    return bytes;
}

/* Asked for too much, Linux would not refuse but kill a process. */
static void refuse_size(struct text *why, uint64_t available)
{
    text_say(why, "no memory for a log of that capacity; available are about ");
    text_add_u64(why, available / LOG_RECORD_SIZE);
    text_add(why, " records");
}

void *system_take(size_t bytes, struct text *why)
{
    if (!locked && !unlocked_allowed) {
        text_say(why, "memory cannot be locked: run as root, or raise the limit (ulimit -l "
                      "unlimited), or give --allow-unlocked to measure nevertheless");
        return NULL;
    }
    uint64_t available = system_memory_available();
    if (bytes > available - available / 8) {
        refuse_size(why, available - available / 8);
        return NULL;
    }
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        system_refuse(why, "no memory for a log of that capacity", errno);
        return NULL;
    }
    memset(memory, 0xff, bytes); /* touched by writing, or all pages would be one page of zeros */
    return memory;
}

void system_give_back(void *memory, size_t bytes)
{
    munmap(memory, bytes);
}

/* --- tasks -------------------------------------------------------------------------------------- */

static void touch_stack(void)
{
    volatile char room[STACK_TOUCHED];
    for (size_t i = 0; i < sizeof room; i += 1024)
        room[i] = 1;
}

static void *run(void *context)
{
    struct task *task = context;
    touch_stack();
    task->refused = policy_reserve(&reservation);
    policy_note();
    sem_post(&task->begun);
    if (!task->refused)
        task->body();
    atomic_store(&task->ended, true);
    return NULL;
}

#ifdef __linux__
static int set_cpu(pthread_attr_t *attributes, int32_t cpu)
{
    cpu_set_t set, allowed;
    CPU_ZERO(&set);
    if (cpu >= CPU_SETSIZE || sched_getaffinity(0, sizeof allowed, &allowed) != 0)
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

static bool start(struct task *task, int32_t priority, int32_t cpu, struct text *why)
{
    pthread_attr_t attributes;
    struct sched_param parameters = {.sched_priority = priority};
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedpolicy(&attributes, priority ? policy_number(policy) : SCHED_OTHER);
    pthread_attr_setschedparam(&attributes, &parameters);
    int error = cpu >= 0 ? set_cpu(&attributes, cpu) : 0;
    if (!error)
        error = pthread_create(&task->thread, &attributes, run, task);
    pthread_attr_destroy(&attributes);
    if (error == EPERM)
        return system_refuse_priority(why, priority);
    if (error && cpu >= 0)
        return system_refuse(why, "no task on that cpu", error);
    if (error)
        return system_refuse(why, "no task", error);
    while (sem_wait(&task->begun) != 0) /* a signal */
        ;
    if (!task->refused)
        return true;
    pthread_join(task->thread, NULL);
    return policy_refuse(why, task->refused);
}

void system_set_policy(const struct arm_options *options)
{
    policy = options->policy;
    reservation = (struct reservation){options->runtime_ns, options->period_ns};
}

bool system_start_task(void (*body)(void), int32_t priority, int32_t cpu, struct text *why)
{
    if (running == TASKS_MAX) {
        text_say(why, "no task is left");
        return false;
    }
    struct task *task = &tasks[running];
    task->body = body;
    atomic_store(&task->ended, false);
    sem_init(&task->begun, 0, 0);
    if (running == 0)
        atomic_store(&stop_asked, false);
    /* Signals for the process go to the main thread; tasks take the one that wakes them. */
    sigset_t all, before;
    sigfillset(&all);
    sigdelset(&all, WAKE_SIGNAL);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool good = start(task, priority, cpu, why);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    running += good;
    return good;
}

/* A signal that comes just before the call is lost: it is sent again until the task has ended. */
static bool end(struct task *task)
{
    const struct timespec pause = {0, WAKE_EVERY_NS};
    for (int i = 0; i < WAKE_TRIES && !atomic_load(&task->ended); i++) {
        pthread_kill(task->thread, WAKE_SIGNAL);
        nanosleep(&pause, NULL);
    }
    if (!atomic_load(&task->ended))
        return false;
    pthread_join(task->thread, NULL);
    return true;
}

bool system_stop_tasks(void)
{
    atomic_store(&stop_asked, true);
    while (running) {
        if (!end(&tasks[running - 1]))
            return false;
        running--;
    }
    return true;
}
