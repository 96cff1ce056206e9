/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The interrupt of the pins goes to one processor, and its threads have one priority, for one
 * measurement. Both are given back at its end, and just so when the agent is killed (linux_giver.h).
 */
#define _GNU_SOURCE
#include "linux_interrupt.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "linux_giver.h"
#include "system.h"

#define LIST_BYTES 256
#define THREADS_MAX 16

static struct {
    bool is_held;
    int32_t number;
    bool moved;
    char before[LIST_BYTES]; /* processors */
    struct {
        pid_t process;
        int policy;
        struct sched_param parameters;
    } threads[THREADS_MAX]; /* those that were changed */
    size_t count;
    struct giver giver;
    char told_processors[LIST_BYTES]; /* as the kernel had it at last */
    int told_priority;                /* 0: not changed */
} held;

/* --- files -------------------------------------------------------------------------------------- */

static int open_file(const char *name, int flags)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/irq/%d/%s", (int)held.number, name);
    return open(path, flags | O_CLOEXEC);
}

/* One short line; "" if it cannot be read. */
static void read_line(const char *name, char *text, size_t size)
{
    int file = open_file(name, O_RDONLY);
    ssize_t count = file < 0 ? 0 : read(file, text, size - 1);
    if (file >= 0)
        close(file);
    text[count > 0 ? count : 0] = '\0';
    text[strcspn(text, "\n")] = '\0';
}

/* Returns 0, or errno. */
static int write_processors(const char *list)
{
    int file = open_file("smp_affinity_list", O_WRONLY);
    if (file < 0)
        return errno;
    int error = write(file, list, strlen(list)) == (ssize_t)strlen(list) ? 0 : errno;
    close(file);
    return error;
}

int32_t linux_interrupt_of(const char *handler)
{
    struct dirent *entry;
    int32_t found = -1;
    DIR *all = opendir("/proc/irq");
    while (all && found < 0 && (entry = readdir(all))) {
        char path[300];
        snprintf(path, sizeof path, "/proc/irq/%s/%s", entry->d_name, handler);
        if (isdigit((unsigned char)entry->d_name[0]) && access(path, F_OK) == 0)
            found = atoi(entry->d_name);
    }
    if (all)
        closedir(all);
    return found;
}

/* --- threads, which are named irq/N-handler ------------------------------------------------------- */

static bool is_thread_of(const char *process)
{
    char path[300], name[32] = "", wanted[16];
    snprintf(path, sizeof path, "/proc/%s/comm", process);
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    bool read = fgets(name, sizeof name, file);
    fclose(file);
    snprintf(wanted, sizeof wanted, "irq/%d-", (int)held.number);
    return read && strncmp(name, wanted, strlen(wanted)) == 0;
}

static bool find_threads(void)
{
    struct dirent *entry;
    DIR *all = opendir("/proc");
    held.count = 0;
    while (all && held.count < THREADS_MAX && (entry = readdir(all))) {
        pid_t process = atoi(entry->d_name);
        if (process <= 0 || !is_thread_of(entry->d_name))
            continue;
        held.threads[held.count].process = process;
        held.threads[held.count].policy = sched_getscheduler(process);
        if (sched_getparam(process, &held.threads[held.count].parameters) == 0)
            held.count++;
    }
    if (all)
        closedir(all);
    return held.count > 0;
}

static int set_priority(int32_t priority)
{
    const struct sched_param parameters = {.sched_priority = priority};
    for (size_t i = 0; i < held.count; i++)
        if (sched_setscheduler(held.threads[i].process, SCHED_FIFO, &parameters) != 0)
            return errno;
    return 0;
}

/* A thread that has ended, with its handler, needs nothing. */
static bool give_back(void)
{
    bool good = !held.moved || write_processors(held.before) == 0;
    for (size_t i = 0; i < held.count; i++)
        if (sched_setscheduler(held.threads[i].process, held.threads[i].policy,
                               &held.threads[i].parameters) != 0 && errno != ESRCH)
            good = false;
    return good;
}

/* --- the port ----------------------------------------------------------------------------------- */

/* Some controllers move an interrupt when the next one comes: what is in force shows at the end. */
static void look_at_the_end(void)
{
    struct sched_param parameters = {0};
    read_line("effective_affinity_list", held.told_processors, sizeof held.told_processors);
    if (!*held.told_processors)
        read_line("smp_affinity_list", held.told_processors, sizeof held.told_processors);
    if (held.count && sched_getparam(held.threads[0].process, &parameters) == 0)
        held.told_priority = parameters.sched_priority;
}

static bool release(struct text *why)
{
    if (held.is_held)
        look_at_the_end();
    if (!held.is_held || giver_end(&held.giver) || give_back()) {
        held.is_held = false;
        return true;
    }
    text_say(why, "interrupt ");
    text_add_u64(why, (uint64_t)held.number);
    text_add(why, " was not given back; write ");
    text_add(why, held.before);
    text_add(why, " to its smp_affinity_list in /proc/irq, and see its threads' priorities");
    return false;
}

static bool refuse(struct text *why, const char *what, int error)
{
    text_say(why, "interrupt ");
    text_add_u64(why, (uint64_t)held.number);
    text_add(why, what);
    if (error) {
        text_add(why, ": ");
        text_add(why, strerror(error));
    }
    if (error == EACCES || error == EPERM)
        text_add(why, "; start the agent as root");
    if (error == EIO)
        text_add(why, "; its controller keeps it where it is: leave out interrupt_cpu");
    if (error == EINVAL)
        text_add(why, "; is that processor there?");
    return false;
}

static bool set(const struct arm_options *options, struct text *why)
{
    char digits[16];
    int error = 0;
    snprintf(digits, sizeof digits, "%d", (int)options->interrupt_cpu);
    if (held.moved && (error = write_processors(digits)))
        return refuse(why, " does not go to that processor", error);
    if (options->interrupt_priority && (error = set_priority(options->interrupt_priority)))
        return refuse(why, "'s thread does not get that priority", error);
    return true;
}

static bool hold(int32_t number, const struct arm_options *options, struct text *why)
{
    memset(&held, 0, sizeof held);
    held.number = number;
    held.moved = options->interrupt_cpu >= 0;
    if (number < 0) {
        text_say(why, "this port does not know the number of its interrupt: leave out interrupt_cpu "
                      "and interrupt_priority");
        return false;
    }
    read_line("smp_affinity_list", held.before, sizeof held.before);
    if (held.moved && !*held.before)
        return refuse(why, " has no list of processors in /proc/irq", 0);
    if (options->interrupt_priority && !find_threads())
        return refuse(why, " has no thread, its handler interrupts: leave out interrupt_priority, or "
                           "start the kernel with threadirqs", 0);
    if (!giver_start(&held.giver, "rig-interrupt", give_back))
        return refuse(why, ": no process for what gives it back", errno);
    held.is_held = true;
    if (set(options, why))
        return true;
    char words[8];
    struct text ignored;
    text_begin(&ignored, words, sizeof words);
    release(&ignored);
    return false;
}

static void tell(struct text *rest)
{
    text_add_field(rest, "interrupt", (uint64_t)held.number);
    if (*held.told_processors)
        text_add_word(rest, "interrupt_cpus", held.told_processors);
    if (held.told_priority)
        text_add_field(rest, "interrupt_priority", (uint64_t)held.told_priority);
}

const struct port_interrupt linux_interrupt = {.hold = hold, .release = release, .tell = tell};
