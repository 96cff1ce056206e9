/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Services of the system, one call at a time: pipe and shared memory, BYTES each. */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../counters/counter.h"
#include "posix_inside.h"
#include "system.h"

#define BYTES 64u

static struct {
    enum variant variant;
    int from, to;
    unsigned char *memory;
    uint64_t number;
} service = {.from = -1, .to = -1};

static bool open_pipe(struct text *why)
{
    int ends[2];
    if (pipe(ends) != 0)
        return system_refuse(why, "no pipe", errno);
    service.from = ends[0];
    service.to = ends[1];
    return true;
}

bool services_open(enum variant variant, struct text *why)
{
    service.variant = variant;
    service.number = 0;
    if (variant == VARIANT_PIPE_WRITE || variant == VARIANT_PIPE_READ)
        return open_pipe(why);
    if (variant != VARIANT_SHARED_MEMORY)
        return true;
    void *memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return system_refuse(why, "no shared memory", errno);
    service.memory = memset(memory, 0xff, BYTES);
    return true;
}

void services_close(void)
{
    if (service.from >= 0)
        close(service.from);
    if (service.to >= 0)
        close(service.to);
    if (service.memory)
        munmap(service.memory, BYTES);
    service.from = service.to = -1;
    service.memory = NULL;
}

static bool serve_pipe(bool timed_write, struct ticks *around)
{
    unsigned char bytes[BYTES] = {(unsigned char)service.number++};
    struct ticks write_ticks, read_ticks;
    write_ticks.before = counter_before();
    bool good = write(service.to, bytes, BYTES) == BYTES;
    write_ticks.after = counter_after();
    read_ticks.before = counter_before();
    good = good && read(service.from, bytes, BYTES) == BYTES;
    read_ticks.after = counter_after();
    *around = timed_write ? write_ticks : read_ticks;
    return good;
}

/* Written and read again, which the compiler must not leave out. */
static bool serve_memory(struct ticks *around)
{
    volatile unsigned char *memory = service.memory;
    unsigned char number = (unsigned char)service.number++;
    bool good = true;
    around->before = counter_before();
    for (unsigned i = 0; i < BYTES; i++)
        memory[i] = number;
    for (unsigned i = 0; i < BYTES; i++)
        good &= memory[i] == number;
    around->after = counter_after();
    return good;
}

bool services_serve(struct ticks *around)
{
    if (service.variant == VARIANT_SHARED_MEMORY)
        return serve_memory(around);
    return serve_pipe(service.variant == VARIANT_PIPE_WRITE, around);
}
