/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "linux_environment.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "linux_disturbances.h"
#include "linux_files.h"
#include "linux_kernel_config.h"
#include "linux_threads.h"
#include "system.h"

#define CPUS_MAX 64   /* described one by one */
#define MODULES_MAX 256
#define IRQS_MAX 256
#define ZONES_MAX 32

static int dma_latency_file = -1;
static int32_t dma_latency_us;
static int dma_latency_error;

void linux_hold_dma_latency(int32_t latency_us)
{
    dma_latency_us = latency_us;
    dma_latency_file = open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC);
    if (dma_latency_file < 0 ||
        write(dma_latency_file, &latency_us, sizeof latency_us) != sizeof latency_us)
        dma_latency_error = errno;
}

/* --- parts -------------------------------------------------------------------------------------- */

static const char *preemption(const char *version)
{
    char text[16];
    if (linux_file_read("/sys/kernel/realtime", text, sizeof text) && strcmp(text, "1") == 0)
        return "PREEMPT_RT";
    static const char *const models[] = {"PREEMPT_RT", "PREEMPT_DYNAMIC", "PREEMPT"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        if (strstr(version, models[i]))
            return models[i];
    return "none or voluntary";
}

static void add_kernel(struct json *json)
{
    struct utsname name;
    if (uname(&name) == 0) {
        json_string(json, "system", name.sysname);
        json_string(json, "release", name.release);
        json_string(json, "version", name.version);
        json_string(json, "machine", name.machine);
        json_string(json, "host", name.nodename);
        json_string(json, "preemption", preemption(name.version));
    }
    linux_file_add(json, "preemption_mode", "/sys/kernel/debug/sched/preempt");
    linux_file_add(json, "realtime", "/sys/kernel/realtime");
    linux_file_add(json, "command_line", "/proc/cmdline");
    linux_file_add(json, "uptime", "/proc/uptime");
    linux_file_add(json, "load", "/proc/loadavg");
    linux_file_add(json, "rt_runtime_us", "/proc/sys/kernel/sched_rt_runtime_us");
    linux_file_add(json, "rt_period_us", "/proc/sys/kernel/sched_rt_period_us");
    linux_file_add(json, "timer_migration", "/proc/sys/kernel/timer_migration");
    linux_file_add(json, "nmi_watchdog", "/proc/sys/kernel/nmi_watchdog");
    linux_file_add(json, "transparent_hugepages", "/sys/kernel/mm/transparent_hugepage/enabled");
    linux_file_add(json, "lockdown", "/sys/kernel/security/lockdown");
    linux_file_add(json, "pcie_aspm", "/sys/module/pcie_aspm/parameters/policy");
    linux_file_add(json, "irq_default_affinity", "/proc/irq/default_smp_affinity");
}

#define CLOCK "/sys/devices/system/clocksource/clocksource0/"
#define CPU "/sys/devices/system/cpu/"
#define THERMAL "/sys/class/thermal/thermal_zone"

/* The first processor's value of a name in /proc/cpuinfo; NULL if it has none. */
static const char *cpuinfo_value(const char *cpuinfo, const char *name, char *value, size_t size)
{
    const char *line = strstr(cpuinfo, name);
    line = line ? line + strcspn(line, ":\n") : "";
    if (*line != ':')
        return NULL;
    line += 1 + strspn(line + 1, " ");
    snprintf(value, size, "%.*s", (int)strcspn(line, "\n"), line);
    return value;
}

static void add_cpuinfo(struct json *json)
{
    static const char *const names[][2] = {{"processor", "model name"},
                                           {"microcode", "microcode"},
                                           {"cpu_implementer", "CPU implementer"},
                                           {"cpu_part", "CPU part"},
                                           {"cpu_revision", "CPU revision"}};
    char text[FILE_TEXT_MAX], value[256];
    if (!linux_file_read("/proc/cpuinfo", text, sizeof text))
        return;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (cpuinfo_value(text, names[i][1], value, sizeof value))
            json_string(json, names[i][0], value);
}

/* Each weakness of the processor, and what the kernel does about it at the expense of time. */
static void add_mitigations(struct json *json)
{
    char path[320];
    struct dirent *entry;
    DIR *folder = linux_folder(CPU "vulnerabilities");
    if (!folder)
        return;
    json_open_object(json, "mitigations");
    while ((entry = linux_folder_next(folder))) {
        snprintf(path, sizeof path, CPU "vulnerabilities/%s", entry->d_name);
        linux_file_add(json, entry->d_name, path);
    }
    json_close(json);
    closedir(folder);
}

static void add_processor(struct json *json)
{
    add_cpuinfo(json);
    linux_file_add(json, "clocksource", CLOCK "current_clocksource");
    linux_file_add(json, "clocksources", CLOCK "available_clocksource");
    linux_file_add(json, "cpus_online", CPU "online");
    linux_file_add(json, "cpus_isolated", CPU "isolated");
    linux_file_add(json, "cpus_nohz_full", CPU "nohz_full");
    linux_file_add(json, "smt", CPU "smt/control");
    linux_file_add(json, "smt_active", CPU "smt/active");
    linux_file_add(json, "cpuidle_driver", CPU "cpuidle/current_driver");
    linux_file_add(json, "cpuidle_governor", CPU "cpuidle/current_governor");
    linux_file_add(json, "no_turbo", CPU "intel_pstate/no_turbo");
    linux_file_add(json, "boost", CPU "cpufreq/boost");
    add_mitigations(json);
}

static void add_temperatures(struct json *json)
{
    char path[64], name[64];
    json_open_array(json, "thermal_zones");
    for (int zone = 0; zone < ZONES_MAX; zone++) {
        snprintf(path, sizeof path, THERMAL "%d/type", zone);
        if (!linux_file_read(path, name, sizeof name))
            break;
        json_open_object(json, NULL);
        json_string(json, "name", name);
        snprintf(path, sizeof path, THERMAL "%d/temp", zone);
        linux_file_add(json, "temperature_mdegc", path);
        json_close(json);
    }
    json_close(json);
}

/* The machine's memory, board and firmware, as far as they tell. */
static void add_machine(struct json *json)
{
    static const char *const names[] = {"sys_vendor",   "product_name", "board_vendor", "board_name",
                                        "bios_vendor", "bios_version", "bios_date"};
    char text[FILE_TEXT_MAX], path[64];
    char *total = linux_file_read("/proc/meminfo", text, sizeof text) ? strstr(text, "MemTotal:") : NULL;
    if (total)
        json_u64(json, "memory_kib", strtoull(total + strlen("MemTotal:"), NULL, 10));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "/sys/class/dmi/id/%s", names[i]);
        linux_file_add(json, names[i], path);
    }
    linux_file_add(json, "board_model", "/proc/device-tree/model");
}

static void add_idle_states(struct json *json, int cpu)
{
    json_open_array(json, "idle_states");
    for (int state = 0; state < 16; state++) {
        char path[96], name[64], text[192], latency[32], disabled[32];
        snprintf(path, sizeof path, CPU "cpu%d/cpuidle/state%d/name", cpu, state);
        if (!linux_file_read(path, name, sizeof name))
            break;
        snprintf(path, sizeof path, CPU "cpu%d/cpuidle/state%d/latency", cpu, state);
        if (!linux_file_read(path, latency, sizeof latency))
            strcpy(latency, "?");
        snprintf(path, sizeof path, CPU "cpu%d/cpuidle/state%d/disable", cpu, state);
        bool off = linux_file_read(path, disabled, sizeof disabled) && strcmp(disabled, "0") != 0;
        snprintf(text, sizeof text, "%s %s us%s", name, latency, off ? " disabled" : "");
        json_string(json, NULL, text);
    }
    json_close(json);
}

static void add_cpus(struct json *json)
{
    static const char *const files[][2] = {
        {"governor", "cpufreq/scaling_governor"},
        {"driver", "cpufreq/scaling_driver"},
        {"frequency_khz", "cpufreq/scaling_cur_freq"},
        {"minimum_khz", "cpufreq/scaling_min_freq"},
        {"maximum_khz", "cpufreq/scaling_max_freq"},
        {"energy_preference", "cpufreq/energy_performance_preference"},
        {"core_throttles", "thermal_throttle/core_throttle_count"},
        {"package_throttles", "thermal_throttle/package_throttle_count"},
    };
    json_open_array(json, "cpus");
    for (int cpu = 0; cpu < CPUS_MAX; cpu++) {
        char path[96];
        uint64_t smis;
        snprintf(path, sizeof path, CPU "cpu%d", cpu);
        DIR *folder = linux_folder(path);
        if (!folder)
            continue;
        closedir(folder);
        json_open_object(json, NULL);
        json_i64(json, "cpu", cpu);
        for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
            snprintf(path, sizeof path, CPU "cpu%d/%s", cpu, files[i][1]);
            linux_file_add(json, files[i][0], path);
        }
        add_idle_states(json, cpu);
        if (linux_smi_count((uint32_t)cpu, &smis))
            json_u64(json, "smi_count", smis);
        json_close(json);
    }
    json_close(json);
}

static int compare_numbers(const void *a, const void *b)
{
    const int *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Numbers of the interrupts in use, in order. */
static int list_irqs(int *numbers)
{
    int count = 0;
    struct dirent *entry;
    DIR *folder = linux_folder("/proc/irq");
    if (!folder)
        return 0;
    while (count < IRQS_MAX && (entry = linux_folder_next(folder)))
        if (isdigit((unsigned char)entry->d_name[0]))
            numbers[count++] = atoi(entry->d_name);
    closedir(folder);
    qsort(numbers, (size_t)count, sizeof *numbers, compare_numbers);
    return count;
}

/* The handlers' names are the folders of /proc/irq/N. */
static bool irq_actions(int number, struct text *names)
{
    char path[48];
    struct dirent *entry;
    snprintf(path, sizeof path, "/proc/irq/%d", number);
    DIR *folder = linux_folder(path);
    if (!folder)
        return false;
    while ((entry = linux_folder_next(folder)))
        if (entry->d_type == DT_DIR) {
            text_add(names, names->used ? " " : "");
            text_add(names, entry->d_name);
        }
    closedir(folder);
    return names->used > 0;
}

static void add_irqs(struct json *json)
{
    int numbers[IRQS_MAX];
    int count = list_irqs(numbers);
    json_open_array(json, "irqs");
    for (int i = 0; i < count; i++) {
        char path[64], buffer[256];
        struct text names;
        text_begin(&names, buffer, sizeof buffer);
        if (!irq_actions(numbers[i], &names))
            continue;
        json_open_object(json, NULL);
        json_i64(json, "irq", numbers[i]);
        json_string(json, "actions", buffer);
        snprintf(path, sizeof path, "/proc/irq/%d/smp_affinity_list", numbers[i]);
        linux_file_add(json, "affinity", path);
        snprintf(path, sizeof path, "/proc/irq/%d/effective_affinity_list", numbers[i]);
        linux_file_add(json, "effective_affinity", path);
        json_close(json);
    }
    json_close(json);
}

static void add_modules(struct json *json)
{
    char line[512];
    FILE *file = fopen("/proc/modules", "r");
    if (!file)
        return;
    json_open_array(json, "modules");
    for (int i = 0; i < MODULES_MAX && fgets(line, sizeof line, file); i++) {
        line[strcspn(line, " \n")] = '\0';
        json_string(json, NULL, line);
    }
    json_close(json);
    fclose(file);
}

static void add_agent(struct json *json)
{
    json_i64(json, "uid", (int64_t)geteuid());
    json_bool(json, "memory_locked", system_memory_locked());
    if (dma_latency_file >= 0 && !dma_latency_error)
        json_i64(json, "cpu_dma_latency_us", dma_latency_us);
    else
        json_string(json, "cpu_dma_latency_refused",
                    dma_latency_error ? strerror(dma_latency_error) : "not asked for");
}

void linux_environment(struct json *json)
{
    add_kernel(json);
    add_processor(json);
    add_machine(json);
    add_agent(json);
    add_cpus(json);
    add_temperatures(json);
    add_irqs(json);
    linux_threads(json);
    add_modules(json);
    linux_kernel_config(json);
}
