/* SPDX-License-Identifier: GPL-3.0-or-later */
/* FREQUENCY over Linux's port, on files as cpufreq has them, in a folder of the test's own. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../core/measure.h"
#include "../ports/linux_frequency.h"
#include "fake_port.h"

static char folder[64];

static const char *path_of(unsigned cpu, const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/cpu%u/cpufreq/%s", folder, cpu, name);
    return path;
}

static void put(unsigned cpu, const char *name, const char *text)
{
    FILE *file = fopen(path_of(cpu, name), "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static unsigned long get(unsigned cpu, const char *name)
{
    unsigned long khz;
    FILE *file = fopen(path_of(cpu, name), "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%lu", &khz), 1);
    fclose(file);
    return khz;
}

static void limits_are(unsigned cpu, unsigned long minimum_khz, unsigned long maximum_khz)
{
    assert_int_equal(get(cpu, "scaling_min_freq"), minimum_khz);
    assert_int_equal(get(cpu, "scaling_max_freq"), maximum_khz);
}

static void make_cpu(unsigned cpu)
{
    char path[128];
    snprintf(path, sizeof path, "%s/cpu%u", folder, cpu);
    assert_int_equal(mkdir(path, 0700), 0);
    strcat(path, "/cpufreq");
    assert_int_equal(mkdir(path, 0700), 0);
    put(cpu, "scaling_min_freq", "800000\n");
    put(cpu, "scaling_max_freq", "3600000\n");
    put(cpu, "scaling_cur_freq", "1200000\n");
    put(cpu, "scaling_governor", "schedutil\n");
    put(cpu, "scaling_available_governors", "performance powersave schedutil \n");
    put(cpu, "scaling_available_frequencies", "3600000 2000000 800000 \n");
}

static int begin(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/rig-frequency-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    linux_frequency_folder(folder);
    make_cpu(0);
    make_cpu(1);
    fake_begin();
    fake.port.frequency = &linux_frequency;
    return 0;
}

static int end(void **state)
{
    char command[128];
    (void)state;
    measure_reset();
    fake_ask("FREQUENCY RELEASE\n");
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return fake.blocks == 0 ? system(command) : -1;
}

static void hold(const char *khz)
{
    char line[80];
    snprintf(line, sizeof line, "FREQUENCY HOLD cpu=0 khz=%s\n", khz);
    assert_memory_equal(fake_ask(line), "OK cpu=0 ", 9);
}

static void it_says_what_there_is(void **state)
{
    (void)state;
    assert_string_equal(fake_ask("FREQUENCY STATE cpu=1\n"),
                        "OK cpu=1 minimum_khz=800000 maximum_khz=3600000 held_khz=0 "
                        "current_khz=1200000 governor=schedutil "
                        "governors=performance,powersave,schedutil "
                        "steps_khz=3600000,2000000,800000\n");
    assert_non_null(strstr(fake_ask("HELLO\n"), " frequency=1"));
}

static void what_it_does_not_know_it_does_not_say(void **state)
{
    char many[400] = "";
    (void)state;
    while (strlen(many) < 300)
        strcat(many, "2000000 ");
    put(0, "scaling_available_frequencies", many);
    put(0, "scaling_governor", "a\x01=b\n");
    unlink(path_of(0, "scaling_available_governors"));
    put(0, "scaling_cur_freq", "<unknown>\n");
    assert_string_equal(fake_ask("FREQUENCY STATE cpu=0\n"),
                        "OK cpu=0 minimum_khz=800000 maximum_khz=3600000 held_khz=0\n");
}

static void it_is_held_and_given_back(void **state)
{
    (void)state;
    hold("2000000");
    limits_are(0, 2000000, 2000000);
    assert_non_null(strstr(fake_output, "minimum_khz=800000 maximum_khz=3600000 held_khz=2000000"));
    hold("800000");
    limits_are(0, 800000, 800000);
    limits_are(1, 800000, 3600000);
    assert_string_equal(fake_ask("FREQUENCY RELEASE\n"), "OK\n");
    limits_are(0, 800000, 3600000);
    assert_string_equal(fake_ask("FREQUENCY RELEASE\n"), "OK\n");
    assert_non_null(strstr(fake_ask("FREQUENCY STATE cpu=0\n"), " held_khz=0"));
}

static void it_ends_with_the_measurement_and_with_the_host(void **state)
{
    const char *lines[] = {"STOP\n", "HELLO\n"};
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        hold("800000");
        fake_ask(lines[i]);
        limits_are(0, 800000, 3600000);
    }
    hold("800000");
    fake_hang_up();
    limits_are(0, 800000, 3600000);
}

static void it_lasts_while_it_is_measured(void **state)
{
    (void)state;
    hold("2000000");
    assert_string_equal(fake_ask("ARM measurement=interrupt_to_task capacity=9\n"), "OK\n");
    const char *armed = "ERR armed; send STOP first\n";
    assert_string_equal(fake_ask("FREQUENCY RELEASE\n"), armed);
    assert_string_equal(fake_ask("FREQUENCY HOLD cpu=0 khz=800000\n"), armed);
    limits_are(0, 2000000, 2000000);
    assert_memory_equal(fake_ask("STOP\n"), "OK handled=", 11);
    limits_are(0, 800000, 3600000);
}

static void what_became_of_it_is_told_with_the_account(void **state)
{
    (void)state;
    fake_ask("ARM measurement=interrupt_to_task capacity=9 cpu=0\n");
    assert_non_null(strstr(fake_ask("STOP\n"), " frequency_cpu=0 frequency_first_khz=1200000 "
                                               "frequency_last_khz=1200000\n"));
    char stats[160];
    strcpy(stats, path_of(1, "stats"));
    assert_int_equal(mkdir(stats, 0700), 0);
    put(1, "stats/total_trans", "40\n");
    fake_ask("ARM measurement=interrupt_to_task capacity=9\n");
    put(0, "scaling_cur_freq", "1300000\n");
    put(1, "stats/total_trans", "43\n"); /* that it is where it was says little */
    assert_non_null(strstr(fake_ask("STOP\n"), " frequency_cpu=1 frequency_first_khz=1200000 "
                                               "frequency_last_khz=1200000 frequency_changes=3\n"));
    assert_null(strstr(fake_ask("STOP\n"), "frequency")); /* the last account again */
}

static void another_processor_gives_back_the_first(void **state)
{
    (void)state;
    hold("2000000");
    assert_memory_equal(fake_ask("FREQUENCY HOLD cpu=1 khz=3600000\n"), "OK cpu=1 ", 9);
    limits_are(0, 800000, 3600000);
    limits_are(1, 3600000, 3600000);
}

static void the_upper_limit_goes_first_on_the_way_up(void **state)
{
    char buffer[sizeof(struct inotify_event) + NAME_MAX + 1]
        __attribute__((aligned(__alignof__(struct inotify_event))));
    const struct inotify_event *event = (const void *)buffer;
    (void)state;
    hold("800000");
    int watch = inotify_init1(IN_NONBLOCK);
    assert_true(inotify_add_watch(watch, path_of(0, ""), IN_CLOSE_WRITE) >= 0);
    hold("3600000");
    assert_true(read(watch, buffer, sizeof buffer) > 0);
    close(watch);
    assert_string_equal(event->name, "scaling_max_freq");
    limits_are(0, 3600000, 3600000);
}

static void nonsense_is_refused(void **state)
{
    const char *lines[] = {"", " STATE", " STATE cpu=x", " STATE cpu=4096", " STATE cpu=0 khz=1",
                           " HOLD", " HOLD cpu=0", " HOLD khz=800000", " HOLD cpu=0 khz=-1",
                           " HOLD cpu=0 khz=800000 khz=1", " HOLD cpu=0 khz=", " RELEASE cpu=0",
                           " HOLD cpu=0 khz=18446744073709551615", " STATES cpu=0",
                           " HOLD cpu=0 khz=99999999999999999999"};
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char line[100];
        snprintf(line, sizeof line, "FREQUENCY%s\n", lines[i]);
        assert_memory_equal(fake_ask(line), "ERR FREQUENCY needs ", 20);
    }
    assert_string_equal(fake_ask("FREQUENCY HOLD cpu=0 khz=799999\n"),
                        "ERR khz must be from 800000 to 3600000\n");
    assert_string_equal(fake_ask("FREQUENCY HOLD cpu=0 khz=3600001\n"),
                        "ERR khz must be from 800000 to 3600000\n");
    limits_are(0, 800000, 3600000);
}

static void why_not_is_said(void **state)
{
    (void)state;
    assert_string_equal(fake_ask("FREQUENCY HOLD cpu=2 khz=800000\n"),
                        "ERR cpu 2 has no cpufreq: this kernel does not set its frequency\n");
    /* Readable numbers that not even root may write. */
    put(0, "scaling_min_freq", "1\n");
    unlink(path_of(0, "scaling_max_freq"));
    assert_int_equal(symlink("/proc/sys/kernel/random/poolsize", path_of(0, "scaling_max_freq")), 0);
    assert_string_equal(fake_ask("FREQUENCY HOLD cpu=0 khz=2\n"),
                        "ERR cpu 0's frequency may not be set; start the agent as root: "
                        "Permission denied\n");
    assert_int_equal(get(0, "scaling_min_freq"), 1);
    fake.port.frequency = NULL;
    assert_string_equal(fake_ask("FREQUENCY STATE cpu=0\n"),
                        "ERR this system's agent cannot change a processor's frequency\n");
    fake.port.frequency = &linux_frequency;
}

static void what_cannot_be_given_back_is_told_and_tried_again(void **state)
{
    char here[256], away[300];
    (void)state;
    hold("2000000");
    strcpy(here, path_of(0, ""));
    here[strlen(here) - 1] = '\0';
    snprintf(away, sizeof away, "%s-away", here);
    assert_int_equal(rename(here, away), 0);
    const char *said = "ERR cpu 0's limits were not given back; write 800000 to its "
                       "cpufreq/scaling_min_freq and 3600000 to scaling_max_freq\n";
    assert_string_equal(fake_ask("FREQUENCY RELEASE\n"), said);
    assert_string_equal(fake_ask("FREQUENCY HOLD cpu=0 khz=800000\n"), said);
    assert_int_equal(rename(away, here), 0);
    limits_are(0, 2000000, 2000000);
    assert_string_equal(fake_ask("FREQUENCY RELEASE\n"), "OK\n");
    limits_are(0, 800000, 3600000);
}

static int keeper(void)
{
    int pid = 0;
    FILE *file = fopen("/proc/thread-self/children", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%d", &pid), 1);
    fclose(file);
    return pid;
}

static void it_is_given_back_without_the_child_too(void **state)
{
    (void)state;
    hold("2000000");
    kill(keeper(), SIGTERM); /* does nothing */
    kill(keeper(), SIGKILL);
    assert_string_equal(fake_ask("FREQUENCY RELEASE\n"), "OK\n");
    limits_are(0, 800000, 3600000);
}

static void it_is_given_back_when_the_agent_is_killed(void **state)
{
    (void)state;
    int status;
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    pid_t agent = fork();
    if (agent == 0) {
        fake_ask("FREQUENCY HOLD cpu=0 khz=2000000\n");
        if (get(0, "scaling_max_freq") == 2000000)
            raise(SIGKILL);
        _exit(1);
    }
    assert_int_equal(waitpid(agent, &status, 0), agent);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    assert_true(wait(&status) > 0); /* the orphan */
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    limits_are(0, 800000, 3600000);
}

#define HELD(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        HELD(it_says_what_there_is),
        HELD(what_it_does_not_know_it_does_not_say),
        HELD(it_is_held_and_given_back),
        HELD(it_ends_with_the_measurement_and_with_the_host),
        HELD(it_lasts_while_it_is_measured),
        HELD(another_processor_gives_back_the_first),
        HELD(what_became_of_it_is_told_with_the_account),
        HELD(the_upper_limit_goes_first_on_the_way_up),
        HELD(nonsense_is_refused),
        HELD(why_not_is_said),
        HELD(what_cannot_be_given_back_is_told_and_tried_again),
        HELD(it_is_given_back_without_the_child_too),
        HELD(it_is_given_back_when_the_agent_is_killed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
