/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "stall.h"

#include <dlfcn.h>
#include <stddef.h>

#include "fault.h"
#include "qemu.h"

/* In QEMU 7.2's TimersState: what is added to the time that instructions take. */
#define BIAS_AT 40

static struct {
    int64_t every_ns, length_ns, next_ns;
    volatile int64_t *bias_ns;
} stall = {.next_ns = INT64_MAX};

void stall_choose(int64_t every_ns, int64_t length_ns)
{
    stall.every_ns = every_ns;
    stall.length_ns = length_ns;
    stall.next_ns = every_ns;
}

/* The place of the bias is that of one version: what is there must be what the clock is made of. */
void stall_open(void)
{
    int64_t (*raw)(void), (*to_ns)(int64_t);
    unsigned char *state = dlsym(RTLD_DEFAULT, "timers_state");

    if (stall.next_ns == INT64_MAX)
        return;
    *(void **)&raw = dlsym(RTLD_DEFAULT, "icount_get_raw");
    *(void **)&to_ns = dlsym(RTLD_DEFAULT, "icount_to_ns");
    if (state == NULL || raw == NULL || to_ns == NULL)
        fault_end("this QEMU does not show its clock; no time can be taken from the guest");
    stall.bias_ns = (volatile int64_t *)(void *)(state + BIAS_AT);
    if (*stall.bias_ns + to_ns(raw()) != qemu.clock_get_ns(QEMU_CLOCK_VIRTUAL))
        fault_end("this QEMU's clock is another; no time can be taken from the guest");
}

int64_t stall_due_ns(void)
{
    return stall.next_ns;
}

bool stall_take(int64_t now_ns, int64_t until_ns)
{
    if (now_ns < stall.next_ns || now_ns + stall.length_ns > until_ns)
        return false;
    *stall.bias_ns += stall.length_ns;
    stall.next_ns += stall.every_ns;
    return true;
}
