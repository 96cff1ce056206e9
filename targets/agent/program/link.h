/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The byte stream to the host. */
#ifndef PROGRAM_LINK_H
#define PROGRAM_LINK_H

#include <stddef.h>
#include <sys/types.h>

#include "../core/text.h"
#include "options.h"

/* Open what the options say; a listening socket says on standard error where it listens. */
bool link_open(const struct options *options, struct text *why);

/* Wait for a host. False: there will be none. */
bool link_accept(void);

/* As read(2), and -1 also if a signal asks the agent to end. */
ssize_t link_receive(char *bytes, size_t size);

/* All of it, or false if the host is gone; for struct session. */
bool link_send(void *unused, const void *bytes, size_t count);

/* The host has quit. */
void link_hang_up(void);

/* Whether one host after the other speaks on the same stream. */
bool link_is_shared(void);

/* Whether another host may come after this one. */
bool link_stays(void);

#endif
