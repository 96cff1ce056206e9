/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The cycle counter around a pin write: no part of the write happens before ticks_before() has
 * read the counter, all of it is done when ticks_after() reads it.
 *
 * x86-64: after G. Paoloni, "How to Benchmark Code Execution Times on Intel IA-32 and IA-64
 * Instruction Set Architectures", Intel 324264-001, 2010, with lfence in the place of cpuid, which
 * a hypervisor would trap (Intel SDM, RDTSC; on AMD the kernel makes lfence serializing).
 * Elsewhere: the kernel's raw clock, tens of nanoseconds slower to read; user space gets the same
 * numbers from clock_gettime(CLOCK_MONOTONIC_RAW).
 */
#ifndef LRIG_TICKS_H
#define LRIG_TICKS_H

#include <linux/timekeeping.h>
#include <linux/types.h>

#include "latency_rig.h"

#if defined(CONFIG_X86_64)

#include <asm/cpufeature.h>
#include <asm/tsc.h>

#define LRIG_COUNTER LRIG_COUNTER_TSC

static __always_inline u64 ticks_before(void)
{
	u32 low, high;

	asm volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
	return (u64)high << 32 | low;
}

static __always_inline u64 ticks_after(void)
{
	u32 low, high, cpu;

	if (cpu_feature_enabled(X86_FEATURE_RDTSCP))
		asm volatile("rdtscp\n\tlfence" : "=a"(low), "=d"(high), "=c"(cpu) : : "memory");
	else
		asm volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
	return (u64)high << 32 | low;
}

static inline u64 ticks_hz(void)
{
	return tsc_khz * 1000ull;
}

static inline bool ticks_invariant(void)
{
	return boot_cpu_has(X86_FEATURE_CONSTANT_TSC) && boot_cpu_has(X86_FEATURE_NONSTOP_TSC);
}

#else

#define LRIG_COUNTER LRIG_COUNTER_MONOTONIC_RAW

static __always_inline u64 ticks_before(void)
{
	u64 now = ktime_get_raw_fast_ns();

	mb();
	return now;
}

static __always_inline u64 ticks_after(void)
{
	mb();
	return ktime_get_raw_fast_ns();
}

static inline u64 ticks_hz(void)
{
	return NSEC_PER_SEC;
}

static inline bool ticks_invariant(void)
{
	return true;
}

#endif

#endif
