/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The counter's rate as Linux uses it for its own clock. A perf event's page tells user space how
 * to turn ticks into nanoseconds (perf_event_open(2), time_mult and time_shift); RISC-V has it in
 * the device tree.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../counters/counter.h"

#define NS_PER_S 1000000000.0L

static struct counter_rate rate_of(const struct perf_event_mmap_page *page)
{
    if (!page->cap_user_time || !page->time_mult)
        return (struct counter_rate){0, NULL};
    /* ns = ticks * mult / 2^shift */
    long double hz = NS_PER_S * (long double)(UINT64_C(1) << (page->time_shift & 63)) /
                     (long double)page->time_mult;
    return (struct counter_rate){(uint64_t)(hz + 0.5L), "kernel"};
}

static struct counter_rate perf_rate(void)
{
    struct counter_rate rate = {0, NULL};
    struct perf_event_attr event = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof event,
        .config = PERF_COUNT_SW_DUMMY,
        .disabled = 1,
        .exclude_kernel = 1,
    };
    int file = (int)syscall(SYS_perf_event_open, &event, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (file < 0)
        return rate;
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    void *page = mmap(NULL, size, PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (page == MAP_FAILED)
        return rate;
    rate = rate_of(page);
    munmap(page, size);
    return rate;
}

static struct counter_rate device_tree_rate(void)
{
    unsigned char bytes[8];
    int file = open("/proc/device-tree/cpus/timebase-frequency", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return (struct counter_rate){0, NULL};
    ssize_t count = read(file, bytes, sizeof bytes);
    close(file);
    uint64_t hz = 0;
    for (ssize_t i = 0; i < count; i++) /* big-endian, 4 or 8 bytes */
        hz = hz << 8 | bytes[i];
    return (struct counter_rate){hz, "device_tree"};
}

struct counter_rate counter_system_rate(void)
{
    struct counter_rate rate = perf_rate();
    return rate.tick_hz ? rate : device_tree_rate();
}
