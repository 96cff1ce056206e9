/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "linux_disturbances.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "linux_files.h"

#define CPUS_MAX 64
#define THROTTLE "/sys/devices/system/cpu/cpu%u/thermal_throttle/%s_throttle_count"
#define MSR_SMI_COUNT 0x34 /* Intel SDM vol. 4: SMIs since the last reset, in 32 bits */

enum count { SMIS, CORE, PACKAGE, COUNTS };

static uint64_t first[CPUS_MAX][COUNTS]; /* UINT64_MAX: not told */
static bool watching;

bool linux_smi_count(uint32_t cpu, uint64_t *count)
{
    char path[48];
    snprintf(path, sizeof path, "/dev/cpu/%u/msr", cpu);
    int file = linux_file_open(path);
    if (file < 0)
        return false;
    bool good = pread(file, count, sizeof *count, MSR_SMI_COUNT) == sizeof *count;
    close(file);
    if (good)
        *count &= UINT32_MAX;
    return good;
}

static uint64_t throttle_count(uint32_t cpu, const char *what)
{
    char path[96], text[32];
    uint64_t count;
    snprintf(path, sizeof path, THROTTLE, cpu, what);
    if (!linux_file_read(path, text, sizeof text) || !parse_u64(text, strlen(text), &count))
        return UINT64_MAX;
    return count;
}

static void read_counts(uint32_t cpu, uint64_t counts[COUNTS])
{
    if (!linux_smi_count(cpu, &counts[SMIS]))
        counts[SMIS] = UINT64_MAX;
    counts[CORE] = throttle_count(cpu, "core");
    counts[PACKAGE] = throttle_count(cpu, "package");
}

static void watch(void)
{
    for (uint32_t cpu = 0; cpu < CPUS_MAX; cpu++)
        read_counts(cpu, first[cpu]);
    watching = true;
}

/* Keep in `most` the larger one of itself and what was added; a count that went back tells nothing. */
static void keep_larger(uint64_t *most, uint64_t before, uint64_t now, enum count which)
{
    if (before == UINT64_MAX || now == UINT64_MAX || (now < before && which != SMIS))
        return;
    uint64_t added = which == SMIS ? (uint32_t)(now - before) : now - before;
    if (*most == UINT64_MAX || added > *most)
        *most = added;
}

static void watched(struct disturbances *most)
{
    *most = (struct disturbances){UINT64_MAX, UINT64_MAX};
    for (uint32_t cpu = 0; watching && cpu < CPUS_MAX; cpu++) {
        uint64_t now[COUNTS];
        read_counts(cpu, now);
        for (int which = 0; which < COUNTS; which++)
            keep_larger(which == SMIS ? &most->smis : &most->throttles, first[cpu][which],
                        now[which], which);
    }
    watching = false;
}

const struct port_disturbances linux_disturbances = {.watch = watch, .watched = watched};
