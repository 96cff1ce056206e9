/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the loads do: each worker is a process, and goes on until it is killed. */
#define _GNU_SOURCE
#include "linux_loads.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MEMORY_BYTES (8u << 20)
#define BLOCK_BYTES (1u << 16)
#define FILE_BLOCKS 64u
#define COPIED_BYTES 70000u /* what RT-golem copied, the shell of its time */
#define BUS_BYTES (16u << 20) /* from one such piece of memory to another */
#define CACHE_BYTES (4u << 20)
#define NICE 10
#define RT_TASKS LOAD_TASKS_MAX
#define KINDS 4u
#define DATAGRAM_BYTES 1400u
#define NS_A_MS 1000000
#define NS_A_S 1000000000L

typedef void worker(uint32_t number);

static volatile uint64_t sink; /* so that no work is optimized away */
static char block[BLOCK_BYTES];

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void spin(uint32_t number)
{
    for (uint64_t x = number + 1;; x = x * 6364136223846793005u + 1442695040888963407u)
        sink = x;
}

static void spin_for(int64_t ns)
{
    for (int64_t end = now_ns() + ns; now_ns() < end;)
        sink++;
}

static void touch_memory(uint32_t number)
{
    char *memory = malloc(MEMORY_BYTES);
    if (!memory)
        return;
    for (uint32_t value = number;; value++) {
        memset(memory, (int)(value & 0xff), MEMORY_BYTES);
        sink = (uint64_t)memory[value % MEMORY_BYTES];
    }
}

static void spin_half(uint32_t number)
{
    const struct timespec rest = {.tv_nsec = 5 * NS_A_MS};
    (void)number;
    for (;;) {
        spin_for(5 * NS_A_MS);
        nanosleep(&rest, NULL);
    }
}

/* A file that has no name any more, in the keeper's folder. */
static int temporary_file(void)
{
    char path[] = "./rig-load-XXXXXX";
    int file = mkstemp(path);
    if (file >= 0)
        unlink(path);
    return file;
}

static bool fill(int file)
{
    for (uint32_t i = 0; i < FILE_BLOCKS; i++)
        if (write(file, block, sizeof block) != (ssize_t)sizeof block)
            return false;
    return true;
}

static void write_and_unlink(uint32_t number)
{
    (void)number;
    for (;;) {
        int file = temporary_file();
        if (file < 0 || !fill(file))
            return;
        close(file);
    }
}

static void sync_disks(uint32_t number)
{
    (void)number;
    for (;;)
        sync();
}

/* As `while true; do cp FILE COPY; done`: a process for each copy. */
static void copy_files(uint32_t number)
{
    (void)number;
    for (;;) {
        pid_t child = fork();
        if (!child) {
            int from = temporary_file(), to = temporary_file();
            bool whole = from >= 0 && to >= 0 && write(from, block, sizeof block) == sizeof block &&
                         write(from, block, COPIED_BYTES - sizeof block) > 0 &&
                         lseek(from, 0, SEEK_SET) == 0;
            ssize_t count = 0;
            while (whole && (count = read(from, block, sizeof block)) > 0)
                whole = write(to, block, (size_t)count) == count;
            _exit(!whole);
        }
        int status = 1;
        if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
            return;
    }
}

/* Past the system's memory to the disk itself; a file system in memory has no such way. */
static void write_disk(uint32_t number)
{
    void *blocks;
    (void)number;
    if (posix_memalign(&blocks, BLOCK_BYTES, BLOCK_BYTES) != 0)
        return;
    memset(blocks, 0x5a, BLOCK_BYTES);
    for (;;) {
        int file = temporary_file();
        if (file < 0 || fcntl(file, F_SETFL, O_DIRECT) != 0)
            return;
        for (uint32_t i = 0; i < FILE_BLOCKS; i++)
            if (write(file, blocks, BLOCK_BYTES) != (ssize_t)BLOCK_BYTES)
                return;
        fsync(file);
        close(file);
    }
}

static void copy_memory(uint32_t number)
{
    char *from = malloc(BUS_BYTES), *to = malloc(BUS_BYTES);
    if (!from || !to)
        return;
    for (uint32_t value = number;; value++) {
        memcpy(to, from, BUS_BYTES);
        from[value % BUS_BYTES] = to[(value * 31u) % BUS_BYTES];
        sink = (uint64_t)from[value % BUS_BYTES];
    }
}

/* Here and there in memory, so that little of it is where it was when it is used again. */
static void thrash_cache(uint32_t number)
{
    volatile char *memory = malloc(CACHE_BYTES);
    if (!memory)
        return;
    for (uint32_t x = number + 1;; x = x * 1664525u + 1013904223u)
        memory[(x >> 8) % CACHE_BYTES]++;
}

static void spin_nicely(uint32_t number)
{
    if (setpriority(PRIO_PROCESS, 0, NICE) == 0)
        spin(number);
}

/* In memory that the agent reads meanwhile; without it, of no use to anybody. */
static struct load_task *task_account(uint32_t number)
{
    static struct load_task nowhere;
    struct load_task *all = mmap(NULL, LOAD_TASKS_MAX * sizeof *all, PROT_READ | PROT_WRITE,
                                 MAP_SHARED, LOAD_TASKS_FILE, 0);
    return all == MAP_FAILED ? &nowhere : &all[number];
}

static void note_start(struct load_task *task, uint64_t late_ns)
{
    task->starts++;
    task->late_ns += late_ns;
    if (late_ns > task->late_max_ns)
        task->late_max_ns = late_ns;
}

/* Task k has a period of k ms and works for a 25th of it: 60 % of one processor in all. */
static void periodic_task(uint32_t number)
{
    const struct sched_param priority = {.sched_priority = (int)(RT_TASKS - number % RT_TASKS)};
    const int64_t period_ns = (int64_t)(number % RT_TASKS + 1) * NS_A_MS;
    struct load_task *task = task_account(number % RT_TASKS);
    if (sched_setscheduler(0, SCHED_FIFO, &priority) != 0)
        return;
    *task = (struct load_task){.period_ns = (uint64_t)period_ns,
                               .work_ns = (uint64_t)period_ns / 25,
                               .priority = (uint64_t)priority.sched_priority};
    for (int64_t due_ns = now_ns() + period_ns;; due_ns += period_ns) {
        struct timespec due = {due_ns / NS_A_S, due_ns % NS_A_S};
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
        note_start(task, (uint64_t)(now_ns() - due_ns));
        spin_for(period_ns / 25);
        task->overruns += now_ns() > due_ns + period_ns;
    }
}

/* A system that has just been booted may not have its loopback up; refused, it is left as it is. */
static void raise_loopback(int socket_)
{
    struct ifreq lo = {.ifr_name = "lo"};
    if (ioctl(socket_, SIOCGIFFLAGS, &lo) == 0 && !(lo.ifr_flags & IFF_UP)) {
        lo.ifr_flags |= IFF_UP;
        ioctl(socket_, SIOCSIFFLAGS, &lo);
    }
}

/* Datagrams to itself, each sent and received. */
static void exchange_datagrams(uint32_t number)
{
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof own;
    int end = socket(AF_INET, SOCK_DGRAM, 0);
    (void)number;
    if (end < 0)
        return;
    raise_loopback(end);
    if (bind(end, (struct sockaddr *)&own, sizeof own) != 0 ||
        getsockname(end, (struct sockaddr *)&own, &size) != 0)
        return;
    while (sendto(end, block, DATAGRAM_BYTES, 0, (struct sockaddr *)&own, sizeof own) >= 0)
        recv(end, block, sizeof block, MSG_DONTWAIT);
}

/* What one processor gets; `fixed` workers are as many on any number of processors. */
static const struct {
    const char *name;
    struct {
        worker *run;
        uint32_t a_cpu;
    } kinds[KINDS];
    uint32_t fixed;
} loads[] = {
    {"cpu", {{spin, 2}, {touch_memory, 2}}, 0},
    {"io", {{sync_disks, 1}, {write_and_unlink, 1}}, 0},
    {"cpu-io", {{spin, 2}, {touch_memory, 2}, {sync_disks, 1}, {write_and_unlink, 1}}, 0},
    {"cpu-nice", {{spin_nicely, 1}}, 0},
    {"half", {{spin_half, 1}}, 0},
    {"copy", {{copy_files, 0}}, 1},
    {"rt-tasks", {{periodic_task, 0}}, RT_TASKS},
    {"network", {{exchange_datagrams, 1}}, 0},
    {"disk", {{write_disk, 1}}, 0},
    {"memory", {{copy_memory, 1}}, 0},
    {"cache", {{thrash_cache, 1}}, 0},
};
#define LOADS (sizeof loads / sizeof *loads)

static uint32_t kind_count(size_t load, size_t kind, uint32_t cpus)
{
    return loads[load].kinds[kind].a_cpu * cpus + (kind ? 0 : loads[load].fixed);
}

uint32_t load_worker_count(const char *name, uint32_t cpus)
{
    uint32_t count = 0;
    for (size_t load = 0; load < LOADS; load++)
        for (size_t kind = 0; strcmp(name, loads[load].name) == 0 && kind < KINDS; kind++)
            count += kind_count(load, kind, cpus);
    return count;
}

uint32_t load_task_count(const char *name)
{
    for (size_t load = 0; load < LOADS; load++)
        if (strcmp(name, loads[load].name) == 0 && loads[load].kinds[0].run == periodic_task)
            return loads[load].fixed;
    return 0;
}

/* A worker ends with the process above it, and that one with the agent. */
static bool begin(worker *run, uint32_t number)
{
    pid_t parent = getpid(), child = fork();
    if (child)
        return child > 0;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent)
        run(number);
    _exit(1);
}

int load_workers(const char *name)
{
    uint32_t cpus = load_processors();
    for (size_t load = 0; load < LOADS; load++) {
        if (strcmp(name, loads[load].name) != 0)
            continue;
        for (size_t kind = 0; kind < KINDS; kind++)
            for (uint32_t i = 0; i < kind_count(load, kind, cpus); i++)
                if (!begin(loads[load].kinds[kind].run, i))
                    return 1;
        wait(NULL); /* none ends by itself */
    }
    return 1;
}
