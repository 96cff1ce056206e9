/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Both limits of a processor's frequency are set to one value, which every governor and driver keeps
 * to. They are given back on release, and just so when the agent is killed (linux_giver.h).
 */
#define _GNU_SOURCE
#include "linux_frequency.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "linux_giver.h"

#define LIST_BYTES 200
#define WATCHED_MAX 64u
#define CURRENT "scaling_cur_freq"
#define CHANGES "stats/total_trans"
#define BUSY_NS 50000000
#define LOWEST "scaling_min_freq"
#define HIGHEST "scaling_max_freq"

static const char *folder = "/sys/devices/system/cpu";
static struct {
    uint64_t khz; /* 0: nothing is held */
    uint32_t cpu;
    uint64_t minimum_khz, maximum_khz; /* to be given back */
    struct giver giver;
} held;
static struct frequency_course watches[WATCHED_MAX];
static size_t watching;
static bool watches_one;

void linux_frequency_folder(const char *other)
{
    folder = other;
}

static bool refuse(struct text *why, uint32_t cpu, const char *what, int error)
{
    text_say(why, "cpu ");
    text_add_u64(why, cpu);
    text_add(why, what);
    if (error) {
        text_add(why, ": ");
        text_add(why, strerror(error));
    }
    return false;
}

/* --- files -------------------------------------------------------------------------------------- */

static int open_file(uint32_t cpu, const char *name, int flags)
{
    char path[256];
    if (snprintf(path, sizeof path, "%s/cpu%u/cpufreq/%s", folder, cpu, name) >= (int)sizeof path)
        return -1;
    return open(path, flags | O_CLOEXEC);
}

/* All of a short file without what ends its line; "" if it cannot be read, or not as a whole. */
static void read_text(uint32_t cpu, const char *name, char *text, size_t size)
{
    int file = open_file(cpu, name, O_RDONLY);
    ssize_t count = file < 0 ? 0 : read(file, text, size);
    if (file >= 0)
        close(file);
    size_t used = count > 0 && (size_t)count < size ? (size_t)count : 0;
    while (used && strchr(" \n", text[used - 1]))
        used--;
    text[used] = '\0';
}

/* 0 if there is none. */
static uint64_t read_khz(uint32_t cpu, const char *name)
{
    char text[32];
    uint64_t khz;
    read_text(cpu, name, text, sizeof text);
    return parse_u64(text, strlen(text), &khz) ? khz : 0;
}

/* Returns 0, or errno. */
static int write_khz(uint32_t cpu, const char *name, uint64_t khz)
{
    char digits[24];
    int size = snprintf(digits, sizeof digits, "%llu", (unsigned long long)khz);
    int file = open_file(cpu, name, O_WRONLY | O_TRUNC);
    if (file < 0)
        return errno;
    int error = write(file, digits, (size_t)size) == size ? 0 : errno;
    close(file);
    return error;
}

/* Older kernels refuse a lower limit above the upper one: the order of writing is not free. */
static int set_limits(uint32_t cpu, uint64_t minimum_khz, uint64_t maximum_khz)
{
    bool up = minimum_khz > read_khz(cpu, HIGHEST);
    int error = up ? write_khz(cpu, HIGHEST, maximum_khz) : write_khz(cpu, LOWEST, minimum_khz);
    if (error)
        return error;
    return up ? write_khz(cpu, LOWEST, minimum_khz) : write_khz(cpu, HIGHEST, maximum_khz);
}

static bool give_back(void)
{
    return set_limits(held.cpu, held.minimum_khz, held.maximum_khz) == 0;
}

/* --- the port ----------------------------------------------------------------------------------- */

static bool release(struct text *why)
{
    if (held.khz && !giver_end(&held.giver) && !give_back()) {
        refuse(why, held.cpu, "'s limits were not given back; write ", 0);
        text_add_u64(why, held.minimum_khz);
        text_add(why, " to its cpufreq/" LOWEST " and ");
        text_add_u64(why, held.maximum_khz);
        text_add(why, " to " HIGHEST);
        return false;
    }
    held.khz = 0;
    return true;
}

/* An idle processor tells of no frequency, or of one long past. */
static void keep_busy(uint32_t cpu)
{
    cpu_set_t before, only;
    struct timespec start, now;
    CPU_ZERO(&only);
    if (cpu >= CPU_SETSIZE || sched_getaffinity(0, sizeof before, &before) != 0)
        return;
    CPU_SET(cpu, &only);
    if (sched_setaffinity(0, sizeof only, &only) != 0)
        return;
    clock_gettime(CLOCK_MONOTONIC, &start);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - start.tv_sec) * 1000000000LL + (now.tv_nsec - start.tv_nsec) < BUSY_NS);
    sched_setaffinity(0, sizeof before, &before);
}

static bool may_write(uint32_t cpu)
{
    int low = open_file(cpu, LOWEST, O_WRONLY), high = open_file(cpu, HIGHEST, O_WRONLY);
    if (low >= 0)
        close(low);
    if (high >= 0)
        close(high);
    return low >= 0 && high >= 0;
}

static bool read_limits(uint32_t cpu, uint64_t *minimum_khz, uint64_t *maximum_khz,
                        struct text *why)
{
    *minimum_khz = read_khz(cpu, LOWEST);
    *maximum_khz = read_khz(cpu, HIGHEST);
    if (*minimum_khz && *minimum_khz <= *maximum_khz)
        return true;
    return refuse(why, cpu, " has no cpufreq: this kernel does not set its frequency", 0);
}

static bool begin_hold(uint32_t cpu, uint64_t minimum_khz, uint64_t maximum_khz, struct text *why)
{
    if (!may_write(cpu))
        return refuse(why, cpu, "'s frequency may not be set; start the agent as root", errno);
    held.cpu = cpu;
    held.minimum_khz = minimum_khz;
    held.maximum_khz = maximum_khz;
    if (giver_start(&held.giver, "rig-frequency", give_back))
        return true;
    return refuse(why, cpu, ": no process for what gives it back", errno);
}

static bool hold(uint32_t cpu, uint64_t khz, struct text *why)
{
    uint64_t minimum_khz = held.minimum_khz, maximum_khz = held.maximum_khz;
    if (held.khz && (held.cpu != cpu || !held.giver.process) && !release(why))
        return false;
    if (!held.khz && !read_limits(cpu, &minimum_khz, &maximum_khz, why))
        return false;
    if (khz < minimum_khz || khz > maximum_khz) {
        text_say(why, "khz must be from ");
        text_add_u64(why, minimum_khz);
        text_add(why, " to ");
        text_add_u64(why, maximum_khz);
        return false;
    }
    if (!held.khz && !begin_hold(cpu, minimum_khz, maximum_khz, why))
        return false;
    held.khz = khz;
    int error = set_limits(cpu, khz, khz);
    if (error) {
        if (release(why))
            refuse(why, cpu, "'s frequency cannot be set", error);
        return false;
    }
    keep_busy(cpu);
    return true;
}

/* Words with commas between; "" if one is of other characters than names and numbers are. */
static const char *read_list(uint32_t cpu, const char *name, char *text)
{
    read_text(cpu, name, text, LIST_BYTES);
    for (char *at = text; *at; at++) {
        bool word = (*at >= 'a' && *at <= 'z') || (*at >= '0' && *at <= '9') || strchr("_-", *at);
        if (*at != ' ' && !word)
            return "";
        *at = *at == ' ' ? ',' : *at;
    }
    return text;
}

static bool look(uint32_t cpu, struct frequency_state *state, struct text *why)
{
    static char governor[LIST_BYTES], governors[LIST_BYTES], steps[LIST_BYTES];
    if (!read_limits(cpu, &state->minimum_khz, &state->maximum_khz, why))
        return false;
    if (held.khz && held.cpu == cpu) {
        state->minimum_khz = held.minimum_khz;
        state->maximum_khz = held.maximum_khz;
        state->held_khz = held.khz;
    }
    state->current_khz = read_khz(cpu, CURRENT);
    state->governor = read_list(cpu, "scaling_governor", governor);
    state->governors = read_list(cpu, "scaling_available_governors", governors);
    state->steps_khz = read_list(cpu, "scaling_available_frequencies", steps);
    return true;
}

static uint64_t changes_of(uint32_t cpu)
{
    char text[32];
    uint64_t changes;
    read_text(cpu, CHANGES, text, sizeof text);
    return parse_u64(text, strlen(text), &changes) ? changes : UINT64_MAX;
}

static void watch(int32_t one)
{
    uint32_t cpu = one < 0 ? 0 : (uint32_t)one, last = one < 0 ? WATCHED_MAX - 1 : cpu;
    watches_one = one >= 0;
    for (watching = 0; cpu <= last; cpu++) {
        if (watches_one)
            keep_busy(cpu);
        uint64_t khz = read_khz(cpu, CURRENT);
        if (khz)
            watches[watching++] = (struct frequency_course){cpu, khz, 0, changes_of(cpu)};
    }
}

/* By how many changes, then by how much of the first frequency. */
static bool is_more(const struct frequency_course *course, const struct frequency_course *than)
{
    uint64_t changes[2] = {course->changes, than->changes};
    double parts[2] = {(double)course->last_khz / (double)course->first_khz - 1,
                       (double)than->last_khz / (double)than->first_khz - 1};
    for (int i = 0; i < 2; i++) {
        changes[i] = changes[i] == UINT64_MAX ? 0 : changes[i];
        parts[i] = parts[i] < 0 ? -parts[i] : parts[i];
    }
    return changes[0] != changes[1] ? changes[0] > changes[1] : parts[0] > parts[1];
}

/* An idle processor tells of a frequency long past: one that is to be compared is kept busy first. */
static bool watched(struct frequency_course *most)
{
    for (size_t i = 0; i < watching; i++) {
        struct frequency_course *course = &watches[i];
        uint64_t changes = changes_of(course->cpu);
        bool told = changes != UINT64_MAX && course->changes <= changes;
        if (watches_one)
            keep_busy(course->cpu);
        course->last_khz = read_khz(course->cpu, CURRENT);
        course->changes = told ? changes - course->changes : UINT64_MAX;
        if (i == 0 || is_more(course, most))
            *most = *course;
    }
    bool any = watching && most->last_khz;
    watching = 0;
    return any;
}

const struct port_frequency linux_frequency = {
    .look = look, .hold = hold, .release = release, .watch = watch, .watched = watched};
