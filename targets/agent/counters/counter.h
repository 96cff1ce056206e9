/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The cycle counter, read so that a bracket holds: nothing of what lies between the two readings is
 * executed before the first or after the second.
 *
 * x86: rdtsc between two fences before, rdtscp and a fence after, as G. Paoloni, "How to Benchmark
 * Code Execution Times on Intel IA-32 and IA-64", Intel white paper 324264-001 (2010), but with
 * lfence for cpuid: in a virtual machine cpuid leaves the guest. lfence waits for all instructions
 * before it (Intel SDM vol. 2, LFENCE; on AMD once the kernel has made it so, which Linux does).
 * A pin write by `out` is serializing itself, one by a system call is behind many instructions.
 */
#ifndef COUNTERS_COUNTER_H
#define COUNTERS_COUNTER_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "../core/port.h"

/* Set by counter_choose(); read here only. */
extern bool counter_is_clock; /* CLOCK_MONOTONIC_RAW, because there is no other or it was asked for */
extern bool counter_has_rdtscp;

static inline uint64_t counter_clock_ns(void)
{
    struct timespec now;
#ifdef CLOCK_MONOTONIC_RAW
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
#else
    clock_gettime(CLOCK_MONOTONIC, &now);
#endif
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#if defined __x86_64__ || defined __i386__

#define COUNTER_NATIVE "tsc"

static inline uint64_t counter_native_before(void)
{
    uint32_t low, high;
    __asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
    return (uint64_t)high << 32 | low;
}

static inline uint64_t counter_native_after(void)
{
    uint32_t low, high;
    if (!counter_has_rdtscp)
        return counter_native_before();
    __asm__ volatile("rdtscp\n\tlfence" : "=a"(low), "=d"(high) : : "ecx", "memory");
    return (uint64_t)high << 32 | low;
}

#elif defined __aarch64__

#define COUNTER_NATIVE "cntvct"

/* Arm ARM D11.2.2: reads of the counter may be speculated but for an ISB before. */
static inline uint64_t counter_native_before(void)
{
    uint64_t ticks;
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(ticks) : : "memory");
    return ticks;
}

static inline uint64_t counter_native_after(void)
{
    return counter_native_before();
}

#elif defined __riscv && __riscv_xlen == 64

#define COUNTER_NATIVE "time"

static inline uint64_t counter_native_before(void)
{
    uint64_t ticks;
    __asm__ volatile("fence iorw, iorw\n\trdtime %0\n\tfence iorw, iorw" : "=r"(ticks) : : "memory");
    return ticks;
}

static inline uint64_t counter_native_after(void)
{
    return counter_native_before();
}

#else

static inline uint64_t counter_native_before(void)
{
    return counter_clock_ns();
}

static inline uint64_t counter_native_after(void)
{
    return counter_clock_ns();
}

#endif

static inline uint64_t counter_before(void)
{
    return counter_is_clock ? counter_clock_ns() : counter_native_before();
}

static inline uint64_t counter_after(void)
{
    return counter_is_clock ? counter_clock_ns() : counter_native_after();
}

/* For readings that bracket nothing. */
uint64_t counter_now(void);

/*
 * Choose by name, NULL for the best there is, and find out its rate. False, and why, if there is
 * none of that name, or if its rate may change and that is not allowed.
 */
bool counter_choose(const char *name, bool allow_variant, struct port_counter *counter,
                    struct text *why);

/* The rate as the system knows it, in a file of the system's port; 0: unknown. */
struct counter_rate {
    uint64_t tick_hz;
    const char *source;
};
struct counter_rate counter_system_rate(void);

#endif
