/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "posix_crew.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "../core/shared.h"
#include "system.h"

#define STACK_BYTES (64u * 1024)
#define STACK_TOUCHED (16u * 1024)
#define WAKE_SIGNAL SIGUSR2 /* system_begin() has a handler for it that does nothing */
#define STOP_TRIES 2000
#define KILL_TRIES 500 /* of STOP_TRIES, a process is not asked any more */
#define READY_MS 10000

static struct {
    enum tasks_as as;
    pthread_t threads[CREW_MAX];
    pid_t processes[CREW_MAX]; /* 0: it has ended, and is told of */
    uint32_t count;
    void (*prepare)(uint32_t number);
    void (*body)(uint32_t number);
    pthread_rwlock_t gate; /* written by whoever starts them: all readers go on at once */
    pthread_mutex_t lock;
    pthread_cond_t changed; /* a task is ready, or has ended */
    uint32_t ready, alive;  /* under the lock */
    atomic_bool stop_asked;
    int policy; /* of those with a real-time priority, */
    struct reservation reservations[PERIODIC_MAX]; /* or by deadlines */
    _Atomic int refused; /* why one of them is not */
    bool made;
} WHOLE_PAGES crew SHARED;

/* Anew each time: a process that was killed may have left them as nobody else can. */
static void make_ready(void)
{
    pthread_condattr_t changes;
    pthread_rwlockattr_t gates;
    pthread_mutexattr_t locks;
    pthread_condattr_init(&changes);
    pthread_condattr_setclock(&changes, CLOCK_MONOTONIC);
    pthread_condattr_setpshared(&changes, PTHREAD_PROCESS_SHARED);
    pthread_cond_init(&crew.changed, &changes);
    pthread_condattr_destroy(&changes);
    pthread_rwlockattr_init(&gates);
    pthread_rwlockattr_setpshared(&gates, PTHREAD_PROCESS_SHARED);
    pthread_rwlock_init(&crew.gate, &gates);
    pthread_rwlockattr_destroy(&gates);
    pthread_mutexattr_init(&locks);
    pthread_mutexattr_setpshared(&locks, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&locks, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&crew.lock, &locks);
    pthread_mutexattr_destroy(&locks);
    crew.made = true;
}

void crew_as(enum tasks_as tasks_as)
{
    crew.as = tasks_as;
}

bool crew_of_processes(void)
{
    return crew.as == TASKS_AS_PROCESSES;
}

static void touch_stack(void)
{
    volatile char room[STACK_TOUCHED];
    for (size_t i = 0; i < sizeof room; i += 1024)
        room[i] = 1;
}

static void enter(void)
{
    if (pthread_mutex_lock(&crew.lock) == EOWNERDEAD)
        pthread_mutex_consistent(&crew.lock);
}

static void change(uint32_t *tasks, uint32_t more)
{
    enter();
    *tasks += more;
    pthread_cond_signal(&crew.changed);
    pthread_mutex_unlock(&crew.lock);
}

static bool by_deadlines(uint32_t number)
{
    return number < PERIODIC_MAX && crew.reservations[number].runtime_ns;
}

static void *run(void *context)
{
    uint32_t number = (uint32_t)(uintptr_t)context;
    touch_stack();
    if (crew.prepare)
        crew.prepare(number);
    int error = by_deadlines(number) ? policy_reserve(&crew.reservations[number]) : 0;
    if (error)
        atomic_store(&crew.refused, error);
    policy_note();
    change(&crew.ready, 1);
    pthread_rwlock_rdlock(&crew.gate);
    pthread_rwlock_unlock(&crew.gate);
    crew.body(number);
    change(&crew.alive, UINT32_MAX);
    return NULL;
}

#ifdef __linux__
/* The last CPU that is allowed has least to do with starting the system. */
static int choose_cpu(cpu_set_t *set, int32_t cpu)
{
    cpu_set_t allowed;
    CPU_ZERO(set);
    if (cpu >= CPU_SETSIZE || sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return EINVAL;
    for (int32_t i = 0; cpu < 0 && i < CPU_SETSIZE; i++)
        if (CPU_ISSET((size_t)(CPU_SETSIZE - 1 - i), &allowed))
            cpu = CPU_SETSIZE - 1 - i;
    if (cpu < 0)
        return EINVAL;
    CPU_SET((size_t)cpu, set);
    return 0;
}

static int set_cpu(pthread_attr_t *attributes, int32_t cpu)
{
    cpu_set_t set;
    int error = choose_cpu(&set, cpu);
    return error ? error : pthread_attr_setaffinity_np(attributes, sizeof set, &set);
}

/* Its own end is that of its parent, which may be killed. */
static void be_process(uint32_t number, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    system_touch_shared();
    run((void *)(uintptr_t)number);
    _exit(0);
}

static int start_process(uint32_t number, int32_t priority, int32_t cpu)
{
    const struct sched_param parameters = {.sched_priority = priority};
    cpu_set_t set;
    int error = choose_cpu(&set, cpu);
    pid_t parent = getpid(), process = error ? -1 : fork();
    if (process == 0)
        be_process(number, parent);
    if (process < 0)
        return error ? error : errno;
    if (sched_setaffinity(process, sizeof set, &set) != 0 ||
        sched_setscheduler(process, priority ? crew.policy : SCHED_OTHER, &parameters) != 0) {
        error = errno;
        kill(process, SIGKILL);
        waitpid(process, NULL, 0);
        return error;
    }
    crew.processes[number] = process;
    return 0;
}
#else
static int start_process(uint32_t number, int32_t priority, int32_t cpu)
{
    (void)number;
    (void)priority;
    (void)cpu;
    return ENOTSUP;
}

static int set_cpu(pthread_attr_t *attributes, int32_t cpu)
{
    (void)attributes;
    (void)cpu;
    return ENOTSUP;
}
#endif

static int start_thread(uint32_t number, int32_t priority, int32_t cpu)
{
    pthread_attr_t attributes;
    struct sched_param parameters = {.sched_priority = priority};
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedpolicy(&attributes, priority ? crew.policy : SCHED_OTHER);
    pthread_attr_setschedparam(&attributes, &parameters);
    /* The kernel takes a task by deadlines only where it may run on all processors. */
    int error = cpu < 0 && by_deadlines(number) ? 0 : set_cpu(&attributes, cpu);
    if (!error)
        error = pthread_create(&crew.threads[number], &attributes, run, (void *)(uintptr_t)number);
    pthread_attr_destroy(&attributes);
    return error;
}

/* A process may end without a word, if the system has no memory for it. */
static void find_ended(void)
{
    for (uint32_t i = 0; crew.as == TASKS_AS_PROCESSES && i < crew.count; i++) {
        int status = 0;
        if (crew.processes[i] && waitpid(crew.processes[i], &status, WNOHANG) > 0) {
            crew.processes[i] = 0;
            if (!WIFEXITED(status) || WEXITSTATUS(status))
                change(&crew.alive, UINT32_MAX);
        }
    }
}

/* Wait so long until a number of tasks under the lock is this one. */
static bool await(const uint32_t *tasks, uint32_t wanted, uint32_t timeout_ms)
{
    struct timespec until;
    int error = 0;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += timeout_ms / 1000;
    until.tv_nsec += (long)(timeout_ms % 1000) * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    enter();
    while (*tasks != wanted && !error)
        error = pthread_cond_timedwait(&crew.changed, &crew.lock, &until);
    bool come = *tasks == wanted;
    pthread_mutex_unlock(&crew.lock);
    return come;
}

void crew_set_policy(const struct arm_options *options)
{
    crew.policy = policy_number(options->policy);
    for (uint32_t i = 0; i < PERIODIC_MAX; i++)
        crew.reservations[i] =
            (struct reservation){options->periodic[i].runtime_ns, options->periodic[i].period_ns};
}

static bool refuse(int error, int32_t priority, struct text *why)
{
    if (crew.refused)
        return policy_refuse(why, error);
    if (error == EPERM)
        return system_refuse_priority(why, priority);
    if (error == ETIMEDOUT)
        return system_refuse(why, "the tasks do not get ready", error);
    return system_refuse(why, "no tasks on that cpu", error);
}

/* From above all of them, or the first one that wakes keeps the processor from whoever wakes the
 * others. */
static void open_gate(int32_t priority)
{
    const struct sched_param above = {.sched_priority = sched_get_priority_max(SCHED_FIFO)};
    struct sched_param usual;
    int policy;
    bool raised = priority && pthread_getschedparam(pthread_self(), &policy, &usual) == 0 &&
                  pthread_setschedparam(pthread_self(), SCHED_FIFO, &above) == 0;
    pthread_rwlock_unlock(&crew.gate);
    if (raised)
        pthread_setschedparam(pthread_self(), policy, &usual);
}

bool crew_start(void (*prepare)(uint32_t number), void (*body)(uint32_t number), uint32_t count,
                int32_t (*priority)(uint32_t number), int32_t cpu, struct text *why)
{
    sigset_t all, before;
    int error = 0;
    int (*start_one)(uint32_t, int32_t, int32_t) =
        crew.as == TASKS_AS_PROCESSES ? start_process : start_thread;
    if (crew.as == TASKS_AS_PROCESSES && !system_shares())
        return system_refuse(why, "no processes that share memory", ENOTSUP);
    make_ready();
    crew.prepare = prepare;
    crew.body = body;
    crew.count = 0;
    atomic_store(&crew.refused, 0);
    atomic_store(&crew.stop_asked, false);
    sigfillset(&all);
    sigdelset(&all, WAKE_SIGNAL);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_rwlock_wrlock(&crew.gate);
    crew.alive = count;
    crew.ready = 0;
    while (crew.count < count && !(error = start_one(crew.count, priority(crew.count), cpu)))
        crew.count++;
    if (!error && !await(&crew.ready, count, READY_MS))
        error = ETIMEDOUT;
    if (!error)
        error = crew.refused;
    if (error) {
        change(&crew.alive, crew.count - count);
        atomic_store(&crew.stop_asked, true);
    }
    open_gate(priority(0));
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!error)
        return true;
    refuse(error, priority(crew.count), why);
    crew_stop();
    return false;
}

bool crew_await(uint32_t timeout_ms)
{
    if (!crew.made || await(&crew.alive, 0, timeout_ms))
        return true;
    uint32_t before = crew.alive;
    find_ended();
    return crew.alive < before; /* one is gone: the others would wait for it */
}

bool crew_signal(uint32_t number, int signal)
{
    if (crew.as == TASKS_AS_THREADS)
        return pthread_kill(crew.threads[number], signal) == 0;
    return crew.processes[number] && kill(crew.processes[number], signal) == 0;
}

static void join(uint32_t number)
{
    if (crew.as == TASKS_AS_THREADS)
        pthread_join(crew.threads[number], NULL);
    else if (crew.processes[number])
        waitpid(crew.processes[number], NULL, 0);
}

/* A signal that comes just before a call is lost on it: it is sent again until all have ended. */
bool crew_stop(void)
{
    atomic_store(&crew.stop_asked, true);
    for (int i = 0; crew.made && !await(&crew.alive, 0, i ? 1 : 0); i++) {
        if (i == STOP_TRIES)
            return false;
        bool killed = crew.as == TASKS_AS_PROCESSES && i > KILL_TRIES;
        for (uint32_t number = 0; number < crew.count; number++)
            crew_signal(number, killed ? SIGKILL : WAKE_SIGNAL);
        find_ended();
    }
    while (crew.count)
        join(--crew.count);
    return true;
}

bool crew_stopping(void)
{
    return atomic_load_explicit(&crew.stop_asked, memory_order_relaxed);
}
