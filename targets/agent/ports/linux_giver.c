/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "linux_giver.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define FILES_MAX 1024

/* Nothing else of the agent's may stay open: its host would not see that it has died. */
static void drop_files(int kept)
{
    int nothing = open("/dev/null", O_RDWR);
    for (int file = 0; file < 3 && nothing >= 0; file++)
        dup2(nothing, file);
    for (int file = 3; file < FILES_MAX; file++)
        if (file != kept)
            close(file);
}

static void wait_and_give_back(int from_agent, const char *name, bool (*give_back)(void))
{
    sigset_t all;
    char byte;
    ssize_t count;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    setsid(); /* what ends the agent's group must not end this */
    prctl(PR_SET_NAME, name);
    drop_files(from_agent);
    do
        count = read(from_agent, &byte, 1);
    while (count > 0 || (count < 0 && errno == EINTR));
    _exit(give_back() ? 0 : 1);
}

bool giver_start(struct giver *giver, const char *name, bool (*give_back)(void))
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    pid_t child = fork();
    if (child == 0) {
        close(ends[1]);
        wait_and_give_back(ends[0], name, give_back);
    }
    int error = errno;
    close(ends[0]);
    if (child < 0) {
        close(ends[1]);
        errno = error;
        return false;
    }
    *giver = (struct giver){child, ends[1]};
    return true;
}

bool giver_end(struct giver *giver)
{
    int status = 1;
    pid_t ended;
    if (!giver->process)
        return false;
    close(giver->pipe);
    do
        ended = waitpid(giver->process, &status, 0);
    while (ended < 0 && errno == EINTR);
    giver->process = 0;
    return ended > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
