/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The environment of machines that no guest is: their /proc and /sys, in a folder of the test's own. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../core/measure.h"
#include "../ports/linux_disturbances.h"
#include "../ports/linux_environment.h"
#include "../ports/linux_files.h"
#include "../ports/system.h"
#include "fake_port.h"

#define CPU "/sys/devices/system/cpu/"

static char folder[64], told[128 * 1024];

bool system_memory_locked(void)
{
    return true;
}

static void put_bytes(const char *path, const char *bytes, size_t size)
{
    char whole[256];
    snprintf(whole, sizeof whole, "%s%s", folder, path);
    for (char *slash = whole + strlen(folder); (slash = strchr(slash + 1, '/'));) {
        *slash = '\0';
        mkdir(whole, 0700);
        *slash = '/';
    }
    FILE *file = fopen(whole, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void put(const char *path, const char *text)
{
    put_bytes(path, text, strlen(text));
}

/* As proc(5) has it; fields 4 to 39 are of no account here. */
static void put_thread(int pid, const char *name, int priority, int policy)
{
    char path[80], text[400];
    int used = snprintf(text, sizeof text, "%d (%s) S", pid, name);
    for (int field = 4; field < 40; field++)
        used += snprintf(text + used, sizeof text - (size_t)used, " %d", field);
    snprintf(text + used, sizeof text - (size_t)used, " %d %d 0 0 0\n", priority, policy);
    snprintf(path, sizeof path, "/proc/%d/task/%d/stat", pid, pid);
    put(path, text);
}

static void look(void)
{
    struct json json;
    json_begin(&json, told, sizeof told);
    linux_environment(&json);
    json_end(&json);
}

static void is_told(const char *member)
{
    if (!strstr(told, member))
        print_error("%s is not in %s\n", member, told);
    assert_non_null(strstr(told, member));
}

static int begin(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/rig-environment-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    linux_files_root(folder);
    return 0;
}

static int end(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

static void a_board_is_named_by_its_device_tree(void **state)
{
    static const char model[] = "Raspberry Pi 5 Model B Rev 1.0";
    (void)state;
    put_bytes("/proc/device-tree/model", model, sizeof model);
    put("/proc/cpuinfo", "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0b\nCPU revision\t: 1\n");
    put("/sys/class/thermal/thermal_zone0/type", "cpu-thermal\n");
    put("/sys/class/thermal/thermal_zone0/temp", "61250\n");
    look();
    is_told("\"board_model\":\"Raspberry Pi 5 Model B Rev 1.0\"");
    is_told("\"cpu_implementer\":\"0x41\",\"cpu_part\":\"0xd0b\",\"cpu_revision\":\"1\"");
    is_told("\"thermal_zones\":[{\"name\":\"cpu-thermal\",\"temperature_mdegc\":\"61250\"}]");
    assert_null(strstr(told, "bios_version"));
    assert_null(strstr(told, "microcode"));
}

static void a_pc_is_named_by_its_firmware(void **state)
{
    (void)state;
    put("/sys/class/dmi/id/board_name", "X11SSH-F\n");
    put("/sys/class/dmi/id/bios_version", "2.4\n");
    put("/proc/cpuinfo", "model name\t: Xeon E3\nstepping\t: 9\nmicrocode\t: 0xf0\n\nmicrocode\t: 0xee\n");
    look();
    is_told("\"board_name\":\"X11SSH-F\",\"bios_version\":\"2.4\"");
    is_told("\"processor\":\"Xeon E3\",\"microcode\":\"0xf0\"");
}

static void what_slows_a_processor_is_told(void **state)
{
    (void)state;
    put(CPU "vulnerabilities/meltdown", "Mitigation: PTI\n");
    put("/sys/module/pcie_aspm/parameters/policy", "default [powersave]\n");
    put("/sys/kernel/security/lockdown", "none [integrity]\n");
    put(CPU "smt/active", "1\n");
    put(CPU "cpu1/cpufreq/scaling_governor", "powersave\n");
    put(CPU "cpu1/cpufreq/energy_performance_preference", "balance_power\n");
    put(CPU "cpu1/thermal_throttle/core_throttle_count", "17\n");
    put(CPU "cpu1/thermal_throttle/package_throttle_count", "18\n");
    put(CPU "cpu1/cpuidle/state0/name", "C6\n");
    put(CPU "cpu1/cpuidle/state0/latency", "133\n");
    look();
    is_told("\"mitigations\":{\"meltdown\":\"Mitigation: PTI\"}");
    is_told("\"pcie_aspm\":\"default [powersave]\"");
    is_told("\"lockdown\":\"none [integrity]\"");
    is_told("\"smt_active\":\"1\"");
    is_told("\"cpus\":[{\"cpu\":1,\"governor\":\"powersave\",\"energy_preference\":\"balance_power\","
            "\"core_throttles\":\"17\",\"package_throttles\":\"18\",\"idle_states\":[\"C6 133 us\"]}]");
}

static void threads_are_told_by_priority_and_those_of_each_processor_together(void **state)
{
    (void)state;
    put_thread(11, "migration/0", 99, 1);
    put_thread(12, "migration/1", 99, 1);
    put_thread(13, "kworker/0:1", 0, 0);
    put_thread(14, "motion ) 1 2 (x", 80, 2);
    put_thread(15, "deadline", 0, 6);
    put_thread(16, "irq/7-parport0", 50, 1);
    put("/proc/16/status", "Name:\tirq/7-parport0\nCpus_allowed_list:\t0-1\nMems_allowed:\t1\n");
    look();
    is_told("\"irq_threads\":[{\"thread\":\"irq/7-parport0\",\"policy\":\"fifo\",\"priority\":50,"
            "\"affinity\":\"0-1\"}]");
    is_told("{\"thread\":\"migration\",\"policy\":\"fifo\",\"priority\":99,\"count\":2}");
    is_told("{\"thread\":\"motion ) 1 2 (x\",\"policy\":\"rr\",\"priority\":80,\"count\":1}");
    is_told("{\"thread\":\"deadline\",\"policy\":\"deadline\",\"priority\":0,\"count\":1}");
    is_told("\"irqbalance\":false");
    assert_null(strstr(told, "kworker"));
    put_thread(17, "irqbalance", 0, 0);
    look();
    is_told("\"irqbalance\":true");
}

static void put_smis(unsigned cpu, uint32_t count)
{
    char path[48], bytes[0x34 + sizeof(uint64_t)] = "";
    uint64_t value = UINT64_C(0xabcd) << 32 | count; /* the upper half is of no account */
    snprintf(path, sizeof path, "/dev/cpu/%u/msr", cpu);
    memcpy(bytes + 0x34, &value, sizeof value);
    put_bytes(path, bytes, sizeof bytes);
}

static void a_measurement_tells_what_held_a_processor_up(void **state)
{
    (void)state;
    fake_begin();
    fake.port.disturbances = &linux_disturbances;
    put_smis(0, 7);
    put_smis(1, UINT32_MAX - 1);
    put(CPU "cpu1/thermal_throttle/core_throttle_count", "17\n");
    put(CPU "cpu1/thermal_throttle/package_throttle_count", "3\n");
    put(CPU "cpu3/thermal_throttle/core_throttle_count", "9\n");
    fake_ask("ARM measurement=interrupt capacity=4\n");
    put_smis(0, 8);
    put_smis(1, 3); /* 5 more: it has 32 bits */
    put(CPU "cpu1/thermal_throttle/core_throttle_count", "19\n");
    put(CPU "cpu1/thermal_throttle/package_throttle_count", "7\n");
    put(CPU "cpu3/thermal_throttle/core_throttle_count", "8\n"); /* nonsense */
    assert_non_null(strstr(fake_ask("STOP\n"), " smis=5 thermal_throttles=4\n"));
    fake_ask("ARM measurement=interrupt capacity=4\n");
    assert_non_null(strstr(fake_ask("STOP\n"), " smis=0 thermal_throttles=0\n"));
    put_smis(0, 9);
    look();
    is_told("\"cpus\":[{\"cpu\":1,\"core_throttles\":\"19\",\"package_throttles\":\"7\",\"idle_states\":[],"
            "\"smi_count\":3}");
    measure_reset();
}

static void what_no_processor_counts_is_not_told(void **state)
{
    (void)state;
    fake_begin();
    fake.port.disturbances = &linux_disturbances;
    put(CPU "cpu0/thermal_throttle/core_throttle_count", "many\n");
    fake_ask("ARM measurement=interrupt capacity=4\n");
    fake_ask("STOP\n");
    assert_null(strstr(fake_output, "smis"));
    assert_null(strstr(fake_output, "throttles"));
    measure_reset();
}

static void what_is_too_long_is_cut_and_nonsense_left_out(void **state)
{
    static char lengthy[3 * FILE_TEXT_MAX];
    char name[32];
    (void)state;
    memset(lengthy, 'x', sizeof lengthy - 1);
    put("/sys/class/dmi/id/bios_version", lengthy);
    put("/proc/cpuinfo", "model name");
    put("/proc/21/task/21/stat", "21 (no end");
    put("/proc/22/task/22/stat", ") 22 (");
    put("/proc/23/task/23/stat", "23 (short) S 1 2");
    put("/proc/24/task/24/stat", "");
    put("/proc/25/task/25/stat", lengthy);
    put_thread(26, "irq/1-x", 50, 1);
    put("/proc/26/status", "Cpus_allowed_list:");
    for (int pid = 100; pid < 300; pid++) {
        snprintf(name, sizeof name, "thread %d", pid);
        put_thread(pid, name, 1, 1);
    }
    look();
    size_t count = 0;
    for (const char *at = told; (at = strstr(at, "\"thread\":\"thread ")); at++)
        count++;
    assert_int_equal(count, 128);
    const char *version = strstr(told, "\"bios_version\":\"") + strlen("\"bios_version\":\"");
    assert_int_equal(strspn(version, "x"), FILE_TEXT_MAX - 1);
    assert_null(strstr(told, "\"processor\""));
    assert_null(strstr(told, "short"));
    is_told("\"irq_threads\":[{\"thread\":\"irq/1-x\",\"policy\":\"fifo\",\"priority\":50,"
            "\"affinity\":\"\"}]");
}

#define THERE(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        THERE(a_board_is_named_by_its_device_tree),
        THERE(a_pc_is_named_by_its_firmware),
        THERE(what_slows_a_processor_is_told),
        THERE(threads_are_told_by_priority_and_those_of_each_processor_together),
        THERE(a_measurement_tells_what_held_a_processor_up),
        THERE(what_no_processor_counts_is_not_told),
        THERE(what_is_too_long_is_cut_and_nonsense_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
