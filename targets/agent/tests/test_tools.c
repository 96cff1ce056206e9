/* SPDX-License-Identifier: GPL-3.0-or-later */
/* TOOL over Linux's port, with programs that a test has written in a folder of its own. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

/* The folders and the tracer's place are fixed in the program: the test must reach them. */
#include "../ports/linux_tracers.c"
#include "../ports/linux_tools.c"

#include "../core/measure.h"
#include "fake_port.h"

#define START "TOOL START name=cyclictest duration_s=1 period_us=1000"

static char folder[64];

static int begin(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/rig-tools-XXXXXX");
    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        folders[i] = folder;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        places[i] = folder;
    fake_begin();
    fake.port.tools = &linux_tools;
    return 0;
}

static int end(void **state)
{
    char command[128];
    (void)state;
    stop();
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

static void write_file(const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    assert_int_equal(chmod(path, 0755), 0);
}

/* A program for a shell: what it is given is in "$*". */
static void write_program(const char *name, const char *script)
{
    char text[512];
    snprintf(text, sizeof text, "#!/bin/sh\n%s\n", script);
    write_file(name, text);
}

static void says(const char *line, const char *answer)
{
    char bytes[256];
    snprintf(bytes, sizeof bytes, "%s\n", line);
    const char *found = fake_ask(bytes);
    if (!strstr(found, answer))
        fail_msg("%s: says \"%s\", not \"%s\"", line, found, answer);
}

/* It takes its time to end. */
static const char *state_at_its_end(void)
{
    const struct timespec little = {.tv_nsec = 1000000};
    const char *found;
    while (strstr(found = fake_ask("TOOL STATE\n"), "running=1"))
        nanosleep(&little, NULL);
    return found;
}

static void what_is_missing_is_told(void **state)
{
    (void)state;
    says("TOOL LIST", "OK cyclictest=not-installed timerlat=not-installed hwlat=no-tracefs ");
    says(START, "ERR cyclictest cannot be started: not-installed\n");
    write_program("cyclictest", "exit 0");
    write_program("rtla", "exit 0");
    write_file("available_tracers", "function nop\n");
    says("TOOL LIST", "OK cyclictest=ready timerlat=no-tracer hwlat=no-tracer ");
    write_file("available_tracers", "timerlat hwlat nop\n");
    write_file("current_tracer", "nop\n");
    says("TOOL LIST", "OK cyclictest=ready timerlat=ready hwlat=ready ");
}

static void arguments_are_numbers_in_fixed_places(void **state)
{
    (void)state;
    write_program("cyclictest", "echo \"$*\"");
    says(START " priority=80 cpu=3", "OK name=cyclictest running=");
    assert_string_equal(state_at_its_end(), "OK name=cyclictest running=0 exit=0 bytes=38\n");
    says("TOOL READ", "OK 38\n-q -m -p 80 -D 1 -i 1000 -N -t 1 -a 3\n");
}

static void timerlat_has_its_own(void **state)
{
    (void)state;
    write_program("rtla", "echo \"$*\"");
    write_file("available_tracers", "timerlat\n");
    write_file("current_tracer", "nop\n");
    says("TOOL START name=timerlat duration_s=7 period_us=500 priority=9", "OK name=timerlat");
    state_at_its_end();
    says("TOOL READ", "timerlat hist -n -b 1000 -p 500 -d 7s -P f:9\n");
}

static void each_takes_the_words_that_it_knows(void **state)
{
    static const struct {
        const char *name, *program, *words, *arguments;
    } cases[] = {
        {"cyclictest", "cyclictest", "period_us=200 priority=99 all_cpus=1 histogram_us=400",
         "\n-q -m -p 99 -D 1 -i 200 -h 400 -S\n"},
        {"timerlat", "rtla", "period_us=200 all_cpus=1 histogram_us=400 cpu=1",
         "\ntimerlat hist -n -b 1000 -p 200 -d 1s -P o:0 -E 400\n"},
        {"signaltest", "signaltest", "priority=80", "\n-q -m -p 80 -D 1 -t 2 -a\n"},
        {"signaltest", "signaltest", "priority=80 cpu=1", "\n-q -m -p 80 -D 1 -t 2 -a 1\n"},
        {"ptsematest", "ptsematest", "period_us=500 priority=80",
         "\n-q -p 80 -D 1 -i 500 -t 1\n"},
        {"ptsematest", "ptsematest", "period_us=500 all_cpus=1", "\n-q -p 0 -D 1 -i 500 -S\n"},
        {"pi_stress", "pi_stress", "priority=80", "\n-q -m -D 1 -g 1 -u\n"},
        {"pi_stress", "pi_stress", "all_cpus=1", "\n-q -m -D 1\n"},
    };
    (void)state;
    write_file("available_tracers", "timerlat\n");
    write_file("current_tracer", "nop\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[160];
        write_program(cases[i].program, "echo \"$*\"");
        snprintf(line, sizeof line, "TOOL START name=%s duration_s=1 %s", cases[i].name,
                 cases[i].words);
        says(line, "OK ");
        state_at_its_end();
        says("TOOL READ", cases[i].arguments);
    }
    says("TOOL START name=ptsematest duration_s=1", "ERR ptsematest cannot be started: it needs");
}

/* As where the agent is kept from isolated processors. */
static void on_all_processors_is_on_those_the_agent_leaves_out_too(void **state)
{
    char expected[40], count[16];
    cpu_set_t before, one;
    (void)state;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    snprintf(count, sizeof count, "%d\n", CPU_COUNT(&before));
    snprintf(expected, sizeof expected, "OK %zu\n%s", strlen(count), count);
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    write_program("cyclictest", "nproc");
    says(START " priority=80 all_cpus=1", "OK name=cyclictest running=");
    state_at_its_end();
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
    says("TOOL READ", expected);
}

static void words_are_checked(void **state)
{
    static const char *const wrong[] = {
        "TOOL",
        "TOOL START",
        "TOOL START cyclictest",
        "TOOL START name=cyclictest",
        "TOOL START name=cyclictest;id duration_s=1",
        "TOOL START name=../sh duration_s=1 period_us=9",
        START " period_us=9",
        START " priority=100",
        START " cpu=4096",
        START " cpu=-1",
        START " cpu=1;id",
        START " program=sh",
        START " cpu",
        START " all_cpus=2",
        START " histogram_us=10001",
        "TOOL START name=cyclictest duration_s=0 period_us=1000",
        "TOOL START name=cyclictest duration_s=86401 period_us=1000",
        "TOOL START name=cyclictest duration_s=99999999999999999999 period_us=1000",
        "TOOL START name=hwlat duration_s=1 window_us=10 width_us=10 threshold_us=1",
        "TOOL START name=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa duration_s=1",
        "TOOL RUN cyclictest",
    };
    (void)state;
    write_program("cyclictest", "exit 0");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        says(wrong[i], "ERR ");
    says("TOOL START name= duration_s=1", "ERR TOOL START needs name first");
    says("TOOL STATE", "running=0");
    assert_int_equal(child, 0);
}

static void it_has_nothing_of_the_agents(void **state)
{
    (void)state;
    write_program("cyclictest", "ls /proc/self/fd | wc -w; echo $PATH$HOME$USER; cat");
    says(START, "OK ");
    state_at_its_end();
    fake_ask("TOOL READ\n");
    const char *text = strchr(fake_output, '\n') + 1;
    assert_int_equal(atoi(text), 4); /* three, and the folder that ls reads */
    assert_null(strstr(text, getenv("HOME") ? getenv("HOME") : "\n\n"));
}

static void what_it_prints_is_limited(void **state)
{
    char command[64];
    (void)state;
    snprintf(command, sizeof command, "while echo %s; do :; done", "0123456789abcdef");
    write_program("cyclictest", command);
    says(START, "OK ");
    assert_non_null(strstr(state_at_its_end(), "bytes=262144\n"));
    says("TOOL READ", "OK 262144\n0123456789abcdef\n");
    assert_int_equal(fake_output_size, strlen("OK 262144\n") + 262144);
}

static void one_that_runs_is_not_read_and_ends_with_stop(void **state)
{
    (void)state;
    write_program("cyclictest", "trap 'echo summary; exit 3' INT; echo begun; while :; do :; done");
    says(START, "running=1");
    while (!strstr(fake_ask("TOOL STATE\n"), "bytes=6"))
        ;
    says("TOOL READ", "ERR the tool runs");
    says("TOOL STOP", "running=0 exit=3 bytes=14\n");
    says("TOOL READ", "OK 14\nbegun\nsummary\n");
}

static void one_that_does_not_listen_is_killed(void **state)
{
    (void)state;
    write_program("cyclictest", "trap '' INT TERM; echo begun; while :; do :; done");
    says(START, "OK ");
    while (!strstr(fake_ask("TOOL STATE\n"), "bytes=6"))
        ;
    pid_t pid = child;
    says("TOOL STOP", "running=0 exit=137 bytes=6\n");
    assert_int_equal(kill(pid, 0), -1);
}

static void it_ends_with_the_host(void **state)
{
    (void)state;
    write_program("cyclictest", "trap 'exit 0' INT; while :; do :; done");
    for (int i = 0; i < 2; i++) {
        says(START, "running=1");
        pid_t pid = child;
        if (i)
            says("HELLO", "OK ");
        else
            fake_hang_up();
        assert_int_equal(kill(pid, 0), -1);
    }
}

static void none_while_armed(void **state)
{
    (void)state;
    says("ARM measurement=period period_ns=1000000 capacity=1", "OK\n");
    says(START, "ERR armed; send STOP first\n");
    says("TOOL READ", "ERR armed; send STOP first\n");
    says("STOP", "OK ");
    measure_reset();
}

static void a_tracer_that_cannot_be_set_says_so(void **state)
{
    (void)state;
    write_file("available_tracers", "hwlat nop\n");
    write_file("current_tracer", "nop\n");
    says("TOOL START name=hwlat duration_s=1 window_us=100 width_us=50 threshold_us=1", "OK ");
    assert_non_null(strstr(state_at_its_end(), "exit=1"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_missing_is_told, begin, end),
        cmocka_unit_test_setup_teardown(arguments_are_numbers_in_fixed_places, begin, end),
        cmocka_unit_test_setup_teardown(timerlat_has_its_own, begin, end),
        cmocka_unit_test_setup_teardown(each_takes_the_words_that_it_knows, begin, end),
        cmocka_unit_test_setup_teardown(on_all_processors_is_on_those_the_agent_leaves_out_too,
                                        begin, end),
        cmocka_unit_test_setup_teardown(words_are_checked, begin, end),
        cmocka_unit_test_setup_teardown(it_has_nothing_of_the_agents, begin, end),
        cmocka_unit_test_setup_teardown(what_it_prints_is_limited, begin, end),
        cmocka_unit_test_setup_teardown(one_that_runs_is_not_read_and_ends_with_stop, begin, end),
        cmocka_unit_test_setup_teardown(one_that_does_not_listen_is_killed, begin, end),
        cmocka_unit_test_setup_teardown(it_ends_with_the_host, begin, end),
        cmocka_unit_test_setup_teardown(none_while_armed, begin, end),
        cmocka_unit_test_setup_teardown(a_tracer_that_cannot_be_set_says_so, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
