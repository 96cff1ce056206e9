/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reply.h"

void reply_bytes(struct session *session, const void *bytes, size_t count)
{
    if (session->state == SESSION_OPEN && !session->send(session->stream, bytes, count))
        session->state = SESSION_LOST;
}

void reply_line(struct session *session, const char *status, const struct text *rest)
{
    char buffer[LINE_MAX_BYTES + 1];
    struct text line;
    text_begin(&line, buffer, sizeof buffer - 1);
    text_add(&line, status);
    if (rest && rest->used) {
        text_add(&line, " ");
        text_add(&line, rest->bytes);
    }
    line.size++;
    text_add(&line, "\n");
    reply_bytes(session, line.bytes, line.used);
}

void reply_block(struct session *session, uint64_t length)
{
    char buffer[24];
    struct text text;
    text_begin(&text, buffer, sizeof buffer);
    text_add_u64(&text, length);
    reply_line(session, "OK", &text);
}
