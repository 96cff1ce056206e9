/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers that are a block of bytes behind their line. */
#ifndef CORE_BLOCKS_H
#define CORE_BLOCKS_H

#include "session.h"

/* What a tool has printed, on a port that has tools. False: nothing was sent, `rest` says why. */
bool block_of_output(struct session *session, struct text *rest);

void block_of_environment(struct session *session);

/* LOG's answer, a block or ERR. `words`: the first record, and how many. */
void block_of_log(struct session *session, const char *words, struct text *rest);

#endif
