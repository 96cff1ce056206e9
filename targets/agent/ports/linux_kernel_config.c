/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "linux_kernel_config.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "../core/crc32.h"

#define RUNNING "/proc/config.gz" /* of kernels with CONFIG_IKCONFIG_PROC */
#define PREFIX "CONFIG_"
#define LINES_MAX 40000
#define OPTIONS_MAX 250

/* Options that latencies may depend on, by how their names begin. "=": the whole name. */
static const char *const wanted[] = {
    "ACPI=", "ACPI_PROCESSOR=", "APM=", "CC_OPTIMIZE", "COMPACTION=", "CPU_FREQ", "CPU_IDLE",
    "CPU_ISOLATION", "DEBUG_", "EXPERT", "FTRACE=", "FUNCTION_GRAPH_TRACER", "FUNCTION_TRACER",
    "HIGH_RES_TIMERS", "HWLAT_TRACER", "HZ", "INTEL_IDLE", "IRQSOFF_TRACER", "IRQ_FORCED_THREADING",
    "KASAN", "KCSAN", "KFENCE", "KGDB", "KMEMLEAK", "LATENCYTOP", "LOCKDEP=", "LOCKUP_DETECTOR",
    "LOCK_STAT", "NO_HZ", "NR_CPUS=", "NUMA_BALANCING", "OSNOISE_TRACER", "PARAVIRT=", "PM=",
    "PREEMPT", "PROVE_", "RCU_BOOST", "RCU_EXPERT", "RCU_NOCB", "RT_GROUP_SCHED", "SCHEDSTATS",
    "SCHED_", "SLUB_DEBUG", "SMP=", "SOFTLOCKUP_DETECTOR", "SUSPEND=", "TICK_CPU_ACCOUNTING",
    "TIMERLAT_TRACER", "TRANSPARENT_HUGEPAGE", "UBSAN", "VIRT_CPU_ACCOUNTING", "X86_INTEL_PSTATE",
    "X86_TSC",
};

/* "NAME=value" behind the prefix: whether it is one of these. Modules are not in force by themselves. */
static bool is_wanted(const char *option)
{
    const char *value = strchr(option, '=');
    if (!value || strcmp(value, "=m") == 0)
        return false;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (strncmp(option, wanted[i], strlen(wanted[i])) == 0)
            return true;
    return false;
}

static FILE *opened(const char *release, char *path, size_t size, bool *piped)
{
    *piped = access(RUNNING, R_OK) == 0;
    snprintf(path, size, *piped ? RUNNING : "/boot/config-%s", release);
    return *piped ? popen("zcat " RUNNING " 2>/dev/null", "r") : fopen(path, "r");
}

void linux_kernel_config(struct json *json)
{
    char path[256], line[512], text[320];
    struct utsname name;
    bool piped;
    uint32_t crc = 0;
    int lines = 0, options = 0;
    FILE *file = uname(&name) == 0 ? opened(name.release, path, sizeof path, &piped) : NULL;
    if (!file)
        return;
    json_open_object(json, "kernel_options");
    for (; lines < LINES_MAX && fgets(line, sizeof line, file); lines++) {
        crc = crc32_add(crc, line, strlen(line));
        line[strcspn(line, "\n")] = '\0';
        char *option = line + strlen(PREFIX);
        if (strncmp(line, PREFIX, strlen(PREFIX)) != 0 || !is_wanted(option) ||
            options == OPTIONS_MAX)
            continue;
        options++;
        char *value = strchr(option, '=');
        *value = '\0';
        json_string(json, option, value + 1);
    }
    json_close(json);
    if (piped)
        pclose(file);
    else
        fclose(file);
    snprintf(text, sizeof text, "%s, %d lines, CRC-32 %08x", path, lines, (unsigned)crc);
    json_string(json, "kernel_config", text);
}
