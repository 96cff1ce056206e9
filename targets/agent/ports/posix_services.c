/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Services of the system, one call at a time, which nobody waits in. Most come in pairs that undo each
 * other, of which one is timed. Pipe, queue and shared memory: BYTES each.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/syscall.h>
#endif

#include "../counters/counter.h"
#include "posix_inside.h"
#include "system.h"

#define BYTES 64u
#define NO_QUEUE ((mqd_t)-1)

static struct {
    const struct pair *pair;
    bool second_timed;
    int from, to;
    mqd_t queue;
    volatile unsigned char *memory;
    unsigned char bytes[BYTES];
    pthread_mutex_t mutex;
    sem_t semaphore;
} service = {.from = -1, .to = -1, .queue = NO_QUEUE, .mutex = PTHREAD_MUTEX_INITIALIZER};

/* Two calls, one after the other; the second may be missing. */
struct pair {
    enum variant first_timed, second_timed;
    bool (*open)(void); /* NULL: it needs nothing */
    bool (*first)(void);
    bool (*second)(void);
};

/* --- what they need ----------------------------------------------------------------------------- */

static bool open_pipe(void)
{
    int ends[2];
    if (pipe(ends) != 0)
        return false;
    service.from = ends[0];
    service.to = ends[1];
    return true;
}

static bool open_queue(void)
{
    struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = BYTES};
    char name[40];
    snprintf(name, sizeof name, "/rig-agent-%ld", (long)getpid());
    service.queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600, &attributes);
    if (service.queue != NO_QUEUE)
        mq_unlink(name);
    return service.queue != NO_QUEUE;
}

static bool open_memory(void)
{
    void *memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    service.memory = memset(memory, 0xff, BYTES);
    return true;
}

static bool open_semaphore(void)
{
    return sem_init(&service.semaphore, 0, 0) == 0;
}

/* --- the calls ---------------------------------------------------------------------------------- */

static bool write_pipe(void)
{
    return write(service.to, service.bytes, BYTES) == BYTES;
}

static bool read_pipe(void)
{
    return read(service.from, service.bytes, BYTES) == BYTES;
}

static bool send_message(void)
{
    return mq_send(service.queue, (const char *)service.bytes, BYTES, 0) == 0;
}

static bool receive_message(void)
{
    return mq_receive(service.queue, (char *)service.bytes, BYTES, NULL) == BYTES;
}

static bool write_memory(void)
{
    for (unsigned i = 0; i < BYTES; i++)
        service.memory[i] = service.bytes[0];
    return true;
}

/* Each byte is read: the memory is volatile, and what was written must be in it. */
static bool read_memory(void)
{
    bool good = true;
    for (unsigned i = 0; i < BYTES; i++)
        good &= service.memory[i] == service.bytes[0];
    return good;
}

static bool write_and_read_memory(void)
{
    return write_memory() && read_memory();
}

static bool lock_mutex(void)
{
    return pthread_mutex_lock(&service.mutex) == 0;
}

static bool unlock_mutex(void)
{
    return pthread_mutex_unlock(&service.mutex) == 0;
}

static bool post_semaphore(void)
{
    return sem_post(&service.semaphore) == 0;
}

static bool wait_semaphore(void)
{
    return sem_wait(&service.semaphore) == 0;
}

static bool read_clock(void)
{
    struct timespec now;
    return clock_gettime(CLOCK_MONOTONIC, &now) == 0;
}

/* The least that the kernel does when it is called; a library may remember the answer. */
static bool call_system(void)
{
#ifdef __linux__
    return syscall(SYS_getppid) >= 0;
#else
    return getppid() >= 0;
#endif
}

static bool ask_pipe(void)
{
    int waiting;
    return ioctl(service.from, FIONREAD, &waiting) == 0;
}

#define ALONE VARIANTS_COUNT
static const struct pair pairs[] = {
    {VARIANT_PIPE_WRITE, VARIANT_PIPE_READ, open_pipe, write_pipe, read_pipe},
    {VARIANT_QUEUE_SEND, VARIANT_QUEUE_RECEIVE, open_queue, send_message, receive_message},
    {VARIANT_MEMORY_WRITE, VARIANT_MEMORY_READ, open_memory, write_memory, read_memory},
    {VARIANT_SHARED_MEMORY, ALONE, open_memory, write_and_read_memory, NULL},
    {VARIANT_MUTEX_LOCK, VARIANT_MUTEX_UNLOCK, NULL, lock_mutex, unlock_mutex},
    {VARIANT_SEMAPHORE_POST, VARIANT_SEMAPHORE_WAIT, open_semaphore, post_semaphore, wait_semaphore},
    {VARIANT_CLOCK_GETTIME, ALONE, NULL, read_clock, NULL},
    {VARIANT_SYSTEM_CALL, ALONE, NULL, call_system, NULL},
    {VARIANT_IOCTL, ALONE, open_pipe, ask_pipe, NULL},
};

bool services_open(enum variant variant, struct text *why)
{
    service.pair = NULL;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i].first_timed == variant || pairs[i].second_timed == variant)
            service.pair = &pairs[i];
    if (!service.pair)
        return true;
    service.second_timed = service.pair->second_timed == variant;
    return !service.pair->open || service.pair->open() ||
           system_refuse(why, "the service cannot be had", errno);
}

void services_close(void)
{
    if (service.from >= 0)
        close(service.from);
    if (service.to >= 0)
        close(service.to);
    if (service.queue != NO_QUEUE)
        mq_close(service.queue);
    if (service.memory)
        munmap((void *)service.memory, BYTES);
    service.from = service.to = -1;
    service.queue = NO_QUEUE;
    service.memory = NULL;
}

static bool timed(bool (*call)(void), struct ticks *around)
{
    around->before = counter_before();
    bool good = call();
    around->after = counter_after();
    return good;
}

bool services_serve(struct ticks *around)
{
    struct ticks ignored;
    const struct pair *pair = service.pair;
    service.bytes[0]++;
    if (!timed(pair->first, service.second_timed ? &ignored : around))
        return false;
    return !pair->second || timed(pair->second, service.second_timed ? around : &ignored);
}
