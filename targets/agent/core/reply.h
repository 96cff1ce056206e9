/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What goes to the host. Once it is gone, nothing more does. */
#ifndef CORE_REPLY_H
#define CORE_REPLY_H

#include "session.h"

void reply_bytes(struct session *session, const void *bytes, size_t count);

/* One line: OK or ERR, and what there is to say; `rest` may be NULL. */
void reply_line(struct session *session, const char *status, const struct text *rest);

/* The line before a block of so many bytes. */
void reply_block(struct session *session, uint64_t length);

#endif
