/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Starts, watches and ends a load. Its processes are a group of their own, begun afresh from this
 * program's file, so that they have neither the agent's locked memory nor its open files.
 */
#define _GNU_SOURCE
#include "linux_loads.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define NAME_MAX_BYTES 32
#define FILES_MAX 1024

static pid_t leader; /* 0: none */
static char running[NAME_MAX_BYTES]; /* what was started, also once it has died */
static uint32_t workers;

static uint32_t cpus_online(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (uint32_t)count : 1;
}

/* In the child: what the agent has open or is allowed must not stay. */
static void become_load(const char *name, pid_t agent)
{
    const struct sched_param ordinary = {0};
    char program[] = "/proc/self/exe", option[] = "--load", word[NAME_MAX_BYTES];
    char *words[] = {program, option, word, NULL};
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != agent)
        _exit(1); /* it died before that */
    snprintf(word, sizeof word, "%s", name);
    sched_setscheduler(0, SCHED_OTHER, &ordinary);
    setpgid(0, 0);
    int nothing = open("/dev/null", O_RDWR);
    if (nothing >= 0)
        for (int file = 0; file < 3; file++)
            dup2(nothing, file);
    for (int file = 3; file < FILES_MAX; file++)
        close(file);
    execv(program, words);
    _exit(1);
}

static void stop(void)
{
    *running = '\0';
    if (!leader)
        return;
    kill(-leader, SIGKILL);
    kill(leader, SIGKILL); /* should it not have its group yet */
    while (waitpid(leader, NULL, 0) < 0 && errno == EINTR)
        ;
    leader = 0;
}

static bool start(const char *name, struct text *why)
{
    uint32_t count = strlen(name) < NAME_MAX_BYTES ? load_worker_count(name, cpus_online()) : 0;
    if (!count) {
        text_say(why, "no such load");
        return false;
    }
    stop();
    pid_t agent = getpid(), child = fork();
    if (child < 0) {
        text_say(why, "no process for a load: ");
        text_add(why, strerror(errno));
        return false;
    }
    if (!child)
        become_load(name, agent);
    setpgid(child, child); /* both sides do it: whoever is first */
    leader = child;
    workers = count;
    snprintf(running, sizeof running, "%s", name);
    return true;
}

/* Workers that are alive: children of the leader, which ends with the first of them that ends. */
static uint32_t alive(void)
{
    char path[64];
    uint32_t count = 0;
    int status, pid;
    if (!leader)
        return 0;
    if (waitpid(leader, &status, WNOHANG) == leader) {
        kill(-leader, SIGKILL);
        leader = 0;
        return 0;
    }
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)leader, (int)leader);
    FILE *file = fopen(path, "r");
    if (!file)
        return workers; /* a kernel without that list: the leader lives, and so do they */
    while (fscanf(file, "%d", &pid) == 1)
        count++;
    fclose(file);
    return count;
}

static void read_load(struct load_state *state)
{
    unsigned long long ticks[8] = {0};
    double average = 0;
    FILE *file = fopen("/proc/stat", "r");
    if (file) {
        int found = fscanf(file, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &ticks[0], &ticks[1],
                           &ticks[2], &ticks[3], &ticks[4], &ticks[5], &ticks[6], &ticks[7]);
        for (int i = 0; i < found; i++) {
            state->total_ticks += ticks[i];
            state->busy_ticks += i == 3 || i == 4 ? 0 : ticks[i]; /* idle, and waiting for disks */
        }
        fclose(file);
    }
    if ((file = fopen("/proc/loadavg", "r"))) {
        if (fscanf(file, "%lf", &average) == 1)
            state->average_permille = (uint64_t)(average * 1000);
        fclose(file);
    }
}

static void look(struct load_state *state)
{
    *state = (struct load_state){.alive = alive()};
    state->name = *running ? running : "idle";
    state->workers = *running ? workers : 0;
    read_load(state);
}

const struct port_loads linux_loads = {
    .names = "cpu,io,half,copy,rt-tasks,network", .start = start, .stop = stop, .look = look};
