/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A child process that gives back what the agent has changed of the system, also if that is killed. */
#ifndef PORTS_LINUX_GIVER_H
#define PORTS_LINUX_GIVER_H

#include <stdbool.h>
#include <sys/types.h>

struct giver {
    pid_t process; /* 0: it has ended */
    int pipe;      /* it waits for the end of this */
};

/* Start it, with what is known now. False: errno says why. */
bool giver_start(struct giver *giver, const char *name, bool (*give_back)(void));

/* Let it give back. False: there is none, or it could not. */
bool giver_end(struct giver *giver);

#endif
