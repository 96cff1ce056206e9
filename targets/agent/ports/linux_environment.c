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

#include "linux_kernel_config.h"
#include "system.h"

#define TEXT_MAX 4096
#define CPUS_MAX 64   /* described one by one */
#define MODULES_MAX 256
#define IRQS_MAX 256
#define MSR_SMI_COUNT 0x34 /* Intel SDM vol. 4: SMIs since the last reset */

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

/* --- files -------------------------------------------------------------------------------------- */

/* The beginning of a file without blanks at its end; false if it cannot be read. */
static bool slurp(const char *path, char *text, size_t size)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    size_t used = 0;
    ssize_t count;
    while (used < size - 1 && (count = read(file, text + used, size - 1 - used)) > 0)
        used += (size_t)count;
    close(file);
    while (used && isspace((unsigned char)text[used - 1]))
        used--;
    text[used] = '\0';
    return true;
}

static void add_file(struct json *json, const char *key, const char *path)
{
    char text[TEXT_MAX];
    if (slurp(path, text, sizeof text))
        json_string(json, key, text);
}

/* --- parts -------------------------------------------------------------------------------------- */

static const char *preemption(const char *version)
{
    char text[16];
    if (slurp("/sys/kernel/realtime", text, sizeof text) && strcmp(text, "1") == 0)
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
    add_file(json, "preemption_mode", "/sys/kernel/debug/sched/preempt");
    add_file(json, "realtime", "/sys/kernel/realtime");
    add_file(json, "command_line", "/proc/cmdline");
    add_file(json, "uptime", "/proc/uptime");
    add_file(json, "load", "/proc/loadavg");
    add_file(json, "rt_runtime_us", "/proc/sys/kernel/sched_rt_runtime_us");
    add_file(json, "rt_period_us", "/proc/sys/kernel/sched_rt_period_us");
    add_file(json, "timer_migration", "/proc/sys/kernel/timer_migration");
}

#define CLOCK "/sys/devices/system/clocksource/clocksource0/"
#define CPU "/sys/devices/system/cpu/"

static void add_processor(struct json *json)
{
    char text[TEXT_MAX];
    if (slurp("/proc/cpuinfo", text, sizeof text)) {
        char *model = strstr(text, "model name");
        char *colon = model ? strchr(model, ':') : NULL;
        if (colon) {
            colon[strcspn(colon, "\n")] = '\0';
            json_string(json, "processor", colon + 1 + strspn(colon + 1, " "));
        }
    }
    add_file(json, "clocksource", CLOCK "current_clocksource");
    add_file(json, "clocksources", CLOCK "available_clocksource");
    add_file(json, "cpus_online", CPU "online");
    add_file(json, "cpus_isolated", CPU "isolated");
    add_file(json, "cpus_nohz_full", CPU "nohz_full");
    add_file(json, "smt", CPU "smt/control");
    add_file(json, "cpuidle_driver", CPU "cpuidle/current_driver");
    add_file(json, "cpuidle_governor", CPU "cpuidle/current_governor");
    add_file(json, "no_turbo", CPU "intel_pstate/no_turbo");
    add_file(json, "boost", CPU "cpufreq/boost");
}

/* The machine's memory, board and firmware, as far as they tell. */
static void add_machine(struct json *json)
{
    static const char *const names[] = {"sys_vendor",   "product_name", "board_vendor", "board_name",
                                        "bios_vendor", "bios_version", "bios_date"};
    char text[TEXT_MAX], path[64];
    char *total = slurp("/proc/meminfo", text, sizeof text) ? strstr(text, "MemTotal:") : NULL;
    if (total)
        json_u64(json, "memory_kib", strtoull(total + strlen("MemTotal:"), NULL, 10));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "/sys/class/dmi/id/%s", names[i]);
        add_file(json, names[i], path);
    }
    add_file(json, "board_model", "/proc/device-tree/model");
}

static void add_smi_count(struct json *json, int cpu)
{
    char path[48];
    uint64_t count;
    snprintf(path, sizeof path, "/dev/cpu/%d/msr", cpu);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return;
    if (pread(file, &count, sizeof count, MSR_SMI_COUNT) == sizeof count)
        json_u64(json, "smi_count", count & UINT32_MAX);
    close(file);
}

static void add_idle_states(struct json *json, int cpu)
{
    json_open_array(json, "idle_states");
    for (int state = 0; state < 16; state++) {
        char path[96], name[64], text[192], latency[32], disabled[32];
        snprintf(path, sizeof path, CPU "cpu%d/cpuidle/state%d/name", cpu, state);
        if (!slurp(path, name, sizeof name))
            break;
        snprintf(path, sizeof path, CPU "cpu%d/cpuidle/state%d/latency", cpu, state);
        if (!slurp(path, latency, sizeof latency))
            strcpy(latency, "?");
        snprintf(path, sizeof path, CPU "cpu%d/cpuidle/state%d/disable", cpu, state);
        bool off = slurp(path, disabled, sizeof disabled) && strcmp(disabled, "0") != 0;
        snprintf(text, sizeof text, "%s %s us%s", name, latency, off ? " disabled" : "");
        json_string(json, NULL, text);
    }
    json_close(json);
}

static void add_cpus(struct json *json)
{
    static const char *const files[][2] = {{"governor", "scaling_governor"},
                                           {"driver", "scaling_driver"},
                                           {"frequency_khz", "scaling_cur_freq"},
                                           {"minimum_khz", "scaling_min_freq"},
                                           {"maximum_khz", "scaling_max_freq"}};
    json_open_array(json, "cpus");
    for (int cpu = 0; cpu < CPUS_MAX; cpu++) {
        char path[96];
        snprintf(path, sizeof path, CPU "cpu%d", cpu);
        if (access(path, F_OK) != 0)
            continue;
        json_open_object(json, NULL);
        json_i64(json, "cpu", cpu);
        for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
            snprintf(path, sizeof path, CPU "cpu%d/cpufreq/%s", cpu, files[i][1]);
            add_file(json, files[i][0], path);
        }
        add_idle_states(json, cpu);
        add_smi_count(json, cpu);
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
    DIR *folder = opendir("/proc/irq");
    if (!folder)
        return 0;
    while (count < IRQS_MAX && (entry = readdir(folder)))
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
    DIR *folder = opendir(path);
    if (!folder)
        return false;
    while ((entry = readdir(folder)))
        if (entry->d_type == DT_DIR && entry->d_name[0] != '.') {
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
        add_file(json, "affinity", path);
        snprintf(path, sizeof path, "/proc/irq/%d/effective_affinity_list", numbers[i]);
        add_file(json, "effective_affinity", path);
        json_close(json);
    }
    json_close(json);
}

/* Threads of interrupts: kernel threads named irq/N-name. */
static void add_irq_thread(struct json *json, int pid, const char *name)
{
    struct sched_param parameters;
    char path[48];
    json_open_object(json, NULL);
    json_string(json, "thread", name);
    int policy = sched_getscheduler(pid);
    json_string(json, "policy", policy == SCHED_FIFO ? "fifo" : policy == SCHED_RR ? "rr" : "other");
    if (sched_getparam(pid, &parameters) == 0)
        json_i64(json, "priority", parameters.sched_priority);
    snprintf(path, sizeof path, "/proc/%d/status", pid);
    char status[TEXT_MAX];
    char *list = slurp(path, status, sizeof status) ? strstr(status, "Cpus_allowed_list:") : NULL;
    if (list) {
        list += strcspn(list, "\t") + 1;
        list[strcspn(list, "\n")] = '\0';
        json_string(json, "affinity", list);
    }
    json_close(json);
}

static void add_irq_threads(struct json *json)
{
    struct dirent *entry;
    DIR *folder = opendir("/proc");
    if (!folder)
        return;
    json_open_array(json, "irq_threads");
    while ((entry = readdir(folder))) {
        char path[48], name[64];
        int pid = atoi(entry->d_name);
        snprintf(path, sizeof path, "/proc/%d/comm", pid);
        if (pid > 0 && slurp(path, name, sizeof name) && strncmp(name, "irq/", 4) == 0)
            add_irq_thread(json, pid, name);
    }
    json_close(json);
    closedir(folder);
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
    add_irqs(json);
    add_irq_threads(json);
    add_modules(json);
    linux_kernel_config(json);
}
