/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * `rig-agent --keep WORD...`: the process above a load's program. It runs the words in a new folder
 * and ends all that comes of them, also what has left its group or its parent, when they end, when
 * it is told to, and when the agent dies.
 */
#define _GNU_SOURCE
#include "linux_loads.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define GRACE_MS 2000 /* to end by itself, so that it may clean up */
#define LOOK_MS 20
#define NOT_FOUND 127
#define NOT_EXECUTABLE 126
#define BY_SIGNAL 128

static char folder[256];

const char *load_place(void)
{
    const char *place = getenv("TMPDIR");
    return place && *place ? place : "/tmp";
}

static bool make_folder(void)
{
    const char *parent = load_place();
    if (snprintf(folder, sizeof folder, "%s/rig-load-XXXXXX", parent) >= (int)sizeof folder)
        snprintf(folder, sizeof folder, "/tmp/rig-load-XXXXXX");
    if (mkdtemp(folder) && chdir(folder) == 0)
        return true;
    *folder = '\0';
    return chdir("/") == 0;
}

static int remove_one(const char *path, const struct stat *about, int type, struct FTW *place)
{
    (void)about;
    (void)type;
    (void)place;
    remove(path);
    return 0;
}

static void remove_folder(void)
{
    if (*folder && chdir("/") == 0)
        nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

static pid_t run(char **words, const sigset_t *before)
{
    pid_t child = fork();
    if (child)
        return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigprocmask(SIG_SETMASK, before, NULL);
    execvp(words[0], words);
    _exit(errno == ENOENT || errno == ENOTDIR ? NOT_FOUND : NOT_EXECUTABLE);
}

/* Parent of a process; 0 if there is no such process any more. */
static pid_t parent_of(const char *pid)
{
    char path[300], line[512], *end;
    int parent = 0;
    snprintf(path, sizeof path, "/proc/%s/stat", pid);
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    /* A program's name may have blanks and brackets in it: what counts is behind the last one. */
    if (fgets(line, sizeof line, file) && (end = strrchr(line, ')')))
        sscanf(end + 1, " %*c %d", &parent);
    fclose(file);
    return parent;
}

/* Orphans have become children of this process. */
static void kill_children(void)
{
    DIR *all = opendir("/proc");
    struct dirent *entry;
    if (!all)
        return;
    while ((entry = readdir(all)))
        if (isdigit((unsigned char)entry->d_name[0]) && parent_of(entry->d_name) == getpid())
            kill((pid_t)atoi(entry->d_name), SIGKILL);
    closedir(all);
}

/* Takes what has ended; `status` gets that of `child`. False: none is left. */
static bool reap(pid_t child, int *status)
{
    int one;
    pid_t pid;
    while ((pid = waitpid(-1, &one, WNOHANG)) > 0)
        if (pid == child)
            *status = one;
    return pid == 0;
}

static void wait_a_little(const sigset_t *signals)
{
    const struct timespec little = {.tv_nsec = LOOK_MS * 1000000L};
    sigtimedwait(signals, NULL, &little);
}

/* First asked, then killed; returns when none is left. */
static void end_all(pid_t child, int *status, const sigset_t *signals)
{
    struct timespec begin, now;
    bool first = true;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    while (reap(child, status)) {
        if (first)
            kill(0, SIGTERM); /* blocked here */
        first = false;
        clock_gettime(CLOCK_MONOTONIC, &now);
        int64_t ms = (now.tv_sec - begin.tv_sec) * 1000LL + (now.tv_nsec - begin.tv_nsec) / 1000000;
        if (ms > GRACE_MS)
            kill_children();
        wait_a_little(signals);
    }
}

int load_keep(char **words)
{
    sigset_t signals, before;
    siginfo_t what;
    int status = -1;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGCHLD);
    sigprocmask(SIG_BLOCK, &signals, &before);
    prctl(PR_SET_NAME, "rig-load"); /* for whoever looks at the processes */
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_PDEATHSIG, SIGTERM); /* until here it was SIGKILL, from the agent */
    if (!make_folder())
        return NOT_EXECUTABLE;
    pid_t child = run(words, &before);
    bool asked = child < 0;
    while (!asked && status < 0) {
        asked = sigwaitinfo(&signals, &what) == SIGTERM;
        reap(child, &status);
    }
    end_all(child, &status, &signals);
    remove_folder();
    if (status < 0)
        return NOT_EXECUTABLE;
    return WIFSIGNALED(status) ? BY_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}
