/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "counter.h"

#include <stddef.h>
#include <string.h>

#if defined __x86_64__ || defined __i386__
#include <cpuid.h>
#endif

#define CLOCK_NAME "monotonic_raw"
#define CALIBRATION_NS 200000000u
#define CALIBRATION_TRIES 5

bool counter_is_clock;
bool counter_has_rdtscp;

uint64_t counter_now(void)
{
    return counter_before();
}

#if defined __x86_64__ || defined __i386__

/* Intel SDM vol. 3, 18.17.1: TSC runs at a constant rate in all P, C and T states. */
static bool native_invariant(void)
{
    unsigned a, b, c, d;
    return __get_cpuid(0x80000007, &a, &b, &c, &d) && d >> 8 & 1;
}

static bool has_rdtscp(void)
{
    unsigned a, b, c, d;
    return __get_cpuid(0x80000001, &a, &b, &c, &d) && d >> 27 & 1;
}

/* Leaf 0x15: crystal * numerator / denominator; only where the crystal's rate is given. */
static struct counter_rate native_rate(void)
{
    unsigned denominator = 0, numerator = 0, crystal_hz = 0, d = 0;
    if (__get_cpuid(0x15, &denominator, &numerator, &crystal_hz, &d) && denominator && numerator &&
        crystal_hz)
        return (struct counter_rate){(uint64_t)crystal_hz * numerator / denominator, "cpuid"};
    return (struct counter_rate){0, NULL};
}

#elif defined __aarch64__

static bool native_invariant(void)
{
    return true; /* Arm ARM D11.1.1: the system counter's rate is fixed */
}

static bool has_rdtscp(void)
{
    return false;
}

static struct counter_rate native_rate(void)
{
    uint64_t hz;
    __asm__("mrs %0, cntfrq_el0" : "=r"(hz));
    return (struct counter_rate){hz & UINT32_MAX, "cntfrq"};
}

#else

static bool native_invariant(void)
{
    return true; /* RISC-V unprivileged ISA, Zicntr: time has a constant rate */
}

static bool has_rdtscp(void)
{
    return false;
}

static struct counter_rate native_rate(void)
{
    return (struct counter_rate){0, NULL};
}

#endif

#ifdef COUNTER_NATIVE

/* A tick and a time that belong together; `error_ns` bounds how well. */
static uint64_t read_pair(uint64_t *ns, uint64_t *error_ns)
{
    uint64_t best_ticks = 0;
    *error_ns = UINT64_MAX;
    for (int i = 0; i < CALIBRATION_TRIES; i++) {
        uint64_t before_ns = counter_clock_ns();
        uint64_t ticks = counter_native_before();
        uint64_t width_ns = counter_clock_ns() - before_ns;
        if (width_ns < *error_ns) {
            *error_ns = width_ns;
            *ns = before_ns + width_ns / 2;
            best_ticks = ticks;
        }
    }
    return best_ticks;
}

static struct counter_rate calibrate(void)
{
    uint64_t start_ns = 0, end_ns = 0, error_ns;
    uint64_t start = read_pair(&start_ns, &error_ns);
    struct timespec nap = {0, CALIBRATION_NS};
    nanosleep(&nap, NULL);
    uint64_t ticks = read_pair(&end_ns, &error_ns) - start;
    uint64_t ns = end_ns - start_ns;
    if (!ns)
        return (struct counter_rate){0, NULL};
    uint64_t hz = ticks / ns * 1000000000u + ticks % ns * 1000000000u / ns;
    return (struct counter_rate){hz, "calibrated"};
}

static bool choose_native(bool allow_variant, struct port_counter *counter, struct text *why)
{
    struct counter_rate rate = counter_system_rate();
    counter_has_rdtscp = has_rdtscp();
    if (!rate.tick_hz)
        rate = native_rate();
    if (!rate.tick_hz)
        rate = calibrate();
    *counter = (struct port_counter){COUNTER_NATIVE, rate.source, rate.tick_hz, native_invariant()};
    if (counter->invariant || allow_variant)
        return true;
    text_say(why, "the " COUNTER_NATIVE " of this processor is not invariant: its rate may change; "
                  "give --allow-variant to use it nevertheless, or --counter " CLOCK_NAME);
    return false;
}

#endif

bool counter_choose(const char *name, bool allow_variant, struct port_counter *counter,
                    struct text *why)
{
#ifdef COUNTER_NATIVE
    if (!name || strcmp(name, COUNTER_NATIVE) == 0)
        return choose_native(allow_variant, counter, why);
    if (strcmp(name, CLOCK_NAME) != 0) {
        text_say(why, "--counter must be " COUNTER_NATIVE " or " CLOCK_NAME);
        return false;
    }
#else
    (void)allow_variant;
    if (name && strcmp(name, CLOCK_NAME) != 0) {
        text_say(why, "--counter must be " CLOCK_NAME);
        return false;
    }
#endif
    counter_is_clock = true;
    *counter = (struct port_counter){CLOCK_NAME, "clock", 1000000000u, true};
    return true;
}
