/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The line protocol of targets/PROTOCOL.md: bytes in, bytes out. */
#ifndef CORE_SESSION_H
#define CORE_SESSION_H

#include "port.h"

#define LINE_MAX_BYTES 512
#define LOG_CHUNK 65536u

enum session_state {
    SESSION_OPEN,
    SESSION_QUIT, /* the host has said QUIT */
    SESSION_LOST, /* the stream takes no more bytes */
};

struct session {
    const struct port *port;
    /* Send all of it; false if the host is gone. */
    bool (*send)(void *stream, const void *bytes, size_t count);
    void *stream;
    char *environment; /* a buffer for the answer to ENV */
    size_t environment_size;
    enum session_state state; /* for reading */
    /* Below: the session's own. */
    char line[LINE_MAX_BYTES + 1];
    size_t used;
    bool too_long;
};

/* Begin afresh on a new connection; the fields above the line buffer must be set. */
void session_begin(struct session *session);

/* Returns how many bytes it took: all, or up to the line that ended the session. */
size_t session_input(struct session *session, const char *bytes, size_t count);

/* The host is gone: a measurement that runs is ended. */
void session_end(struct session *session);

#endif
