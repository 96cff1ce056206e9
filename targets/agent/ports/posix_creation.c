/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processes and threads that say when they first ran, and end. */
#define _GNU_SOURCE
#include <errno.h>
#ifdef __linux__
#include <linux/sched.h>
#endif
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif
#include <sys/wait.h>
#include <unistd.h>

#include "../counters/counter.h"
#include "posix_inside.h"
#include "system.h"

#define STACK_BYTES (64u * 1024)

static struct {
    enum variant variant;
    volatile uint64_t *ran; /* shared with a process that is made */
    pthread_attr_t attributes;
    void *stack;
} creation;

static void *shared(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

bool creation_open(enum variant variant, struct text *why)
{
    creation.variant = variant;
    if (variant != VARIANT_FORK && variant != VARIANT_FORK_FIRST && variant != VARIANT_THREAD)
        return true;
    creation.ran = shared(sizeof *creation.ran);
    creation.stack = shared(STACK_BYTES);
    if (!creation.ran || !creation.stack)
        return system_refuse(why, "no memory for a new task", errno);
    *creation.ran = 0;
    pthread_attr_init(&creation.attributes);
    pthread_attr_setstack(&creation.attributes, creation.stack, STACK_BYTES);
    return true;
}

void creation_close(void)
{
    if (creation.stack) {
        munmap(creation.stack, STACK_BYTES);
        pthread_attr_destroy(&creation.attributes);
    }
    if (creation.ran)
        munmap((void *)creation.ran, sizeof *creation.ran);
    creation.stack = NULL;
    creation.ran = NULL;
}

static void *first_ran(void *context)
{
    (void)context;
    *creation.ran = counter_now();
    return NULL;
}

static bool create_thread(void)
{
    pthread_t thread;
    return pthread_create(&thread, &creation.attributes, first_ran, NULL) == 0 &&
           pthread_join(thread, NULL) == 0;
}

/* A copy as by fork(), but the parent rests in the kernel until the child has ended. */
static pid_t fork_first(void)
{
#ifdef __linux__
    return (pid_t)syscall(SYS_clone, CLONE_VFORK | SIGCHLD, 0, 0, 0, 0);
#else
    return -1;
#endif
}

static bool create_process(pid_t (*make)(void))
{
    int status;
    pid_t child = make();
    if (child < 0)
        return false;
    if (child == 0) {
        first_ran(NULL);
        _exit(0);
    }
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    return status == 0;
}

bool creation_create(struct ticks *around)
{
    around->before = counter_now();
    bool good = creation.variant == VARIANT_THREAD ? create_thread()
                : creation.variant == VARIANT_FORK ? create_process(fork)
                                                   : create_process(fork_first);
    around->after = *creation.ran;
    return good && around->after >= around->before;
}
