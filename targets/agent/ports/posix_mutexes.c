/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mutexes of each protocol, or binary semaphores in place of them, and semaphores by which tasks of a crew let each other go on. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

#include "../core/shared.h"
#include "posix_crew.h"
#include "posix_inside.h"
#include "system.h"

static struct {
    pthread_mutex_t each[INSIDE_MUTEXES];
    sem_t binary[INSIDE_MUTEXES];
    bool are_semaphores;
} WHOLE_PAGES mutexes SHARED;
static sem_t releases[INSIDE_RELEASES];
static bool are_open;

static int protocol_of(enum variant variant)
{
    return variant == VARIANT_INHERITANCE ? PTHREAD_PRIO_INHERIT
           : variant == VARIANT_CEILING   ? PTHREAD_PRIO_PROTECT
                                          : PTHREAD_PRIO_NONE;
}

static int make_attributes(pthread_mutexattr_t *attributes, const struct arm_options *options)
{
    int protocol = protocol_of(options->variant);
    pthread_mutexattr_init(attributes);
    if (crew_of_processes()) /* dearer in the kernel */
        pthread_mutexattr_setpshared(attributes, PTHREAD_PROCESS_SHARED);
    int error = pthread_mutexattr_setprotocol(attributes, protocol);
    if (!error && protocol == PTHREAD_PRIO_PROTECT)
        error = pthread_mutexattr_setprioceiling(attributes, options->priority);
    return error;
}

bool mutexes_open(const struct arm_options *options, struct text *why)
{
    pthread_mutexattr_t attributes;
    int error = make_attributes(&attributes, options);
    uint32_t made = 0;
    while (made < INSIDE_MUTEXES && !error)
        if (!(error = pthread_mutex_init(&mutexes.each[made], &attributes)))
            made++;
    pthread_mutexattr_destroy(&attributes);
    mutexes.are_semaphores = options->variant == VARIANT_SEMAPHORE;
    for (uint32_t i = 0; i < INSIDE_MUTEXES; i++)
        sem_init(&mutexes.binary[i], crew_of_processes(), 1);
    for (uint32_t i = 0; i < INSIDE_RELEASES; i++)
        sem_init(&releases[i], 0, 0);
    are_open = !error;
    while (error && made)
        pthread_mutex_destroy(&mutexes.each[--made]);
    return !error || system_refuse(why, "no mutex of that protocol", error);
}

void mutexes_close(void)
{
    for (uint32_t i = 0; i < INSIDE_MUTEXES && are_open; i++)
        pthread_mutex_destroy(&mutexes.each[i]);
    for (uint32_t i = 0; i < INSIDE_RELEASES && are_open; i++)
        sem_destroy(&releases[i]);
    are_open = false;
}

void mutexes_lock(uint32_t mutex)
{
    if (!mutexes.are_semaphores)
        pthread_mutex_lock(&mutexes.each[mutex]);
    else
        while (sem_wait(&mutexes.binary[mutex]) != 0 && errno == EINTR && !crew_stopping())
            ;
}

void mutexes_unlock(uint32_t mutex)
{
    if (mutexes.are_semaphores)
        sem_post(&mutexes.binary[mutex]);
    else
        pthread_mutex_unlock(&mutexes.each[mutex]);
}

bool mutexes_release(uint32_t number)
{
    return sem_post(&releases[number]) == 0;
}

bool mutexes_await_release(uint32_t number)
{
    while (sem_wait(&releases[number]) != 0)
        if (errno != EINTR || crew_stopping())
            return false;
    return true;
}
