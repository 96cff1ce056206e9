/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "blocks.h"

#include <string.h>

#include "crc32.h"
#include "measure.h"
#include "reply.h"
#include "tool.h"

#define RECORDS_AT_A_TIME 64u

bool block_of_output(struct session *session, struct text *rest)
{
    const struct port_tools *tools = session->port->tools;
    struct tool_state state;
    uint8_t bytes[1024];
    tools->look(&state);
    if (state.running || state.bytes > TOOL_OUTPUT_MAX) {
        text_say(rest, state.running ? "the tool runs; send TOOL STOP first"
                                     : "the tool has printed too much");
        return false;
    }
    reply_block(session, state.bytes);
    for (uint64_t at = 0; at < state.bytes;) {
        size_t left = (size_t)(state.bytes - at);
        size_t count = tools->read(at, bytes, left < sizeof bytes ? left : sizeof bytes);
        if (!count) {
            session->state = SESSION_LOST; /* a length was promised that cannot be kept */
            return true;
        }
        reply_bytes(session, bytes, count);
        at += count;
    }
    return true;
}

void block_of_environment(struct session *session)
{
    struct json json;
    json_begin(&json, session->environment, session->environment_size);
    if (session->port->environment)
        session->port->environment(&json);
    json_end(&json);
    reply_block(session, json.text.used);
    reply_bytes(session, json.text.bytes, json.text.used);
}

/* Call `use` with the encoded records, some at a time. */
static bool for_records(uint64_t first, uint32_t count, void (*use)(void *, const uint8_t *, size_t),
                        void *context)
{
    struct log_record records[RECORDS_AT_A_TIME];
    uint8_t bytes[RECORDS_AT_A_TIME * LOG_RECORD_SIZE];
    while (count) {
        uint32_t some = count < RECORDS_AT_A_TIME ? count : RECORDS_AT_A_TIME;
        if (!measure_read(first, some, records))
            return false;
        for (uint32_t i = 0; i < some; i++)
            record_encode(&records[i], bytes + i * LOG_RECORD_SIZE);
        use(context, bytes, some * LOG_RECORD_SIZE);
        first += some;
        count -= some;
    }
    return true;
}

static void add_to_crc(void *context, const uint8_t *bytes, size_t count)
{
    uint32_t *crc = context;
    *crc = crc32_add(*crc, bytes, count);
}

static void add_to_stream(void *context, const uint8_t *bytes, size_t count)
{
    reply_bytes(context, bytes, count);
}

/* Twice through the log, for the CRC and for the bytes, so that no memory is needed for a block. */
static bool send_log(struct session *session, uint64_t first, uint32_t count, struct text *why)
{
    uint8_t header[LOG_HEADER_SIZE];
    header_encode(count, first, session->port->counter.tick_hz, header);
    uint32_t crc = crc32_add(0, header, LOG_HEADER_SIZE - 4);
    if (!for_records(first, count, add_to_crc, &crc)) {
        text_say(why, "the log cannot be read");
        return false;
    }
    put_u32(header + LOG_HEADER_SIZE - 4, crc);
    reply_block(session, LOG_HEADER_SIZE + (uint64_t)count * LOG_RECORD_SIZE);
    reply_bytes(session, header, sizeof header);
    if (!for_records(first, count, add_to_stream, session))
        session->state = SESSION_LOST; /* a length was promised that cannot be kept */
    return true;
}

static bool parse_log(const char *words, uint64_t *first, uint64_t *count)
{
    size_t size = strcspn(words, " ");
    const char *second = words + size + strspn(words + size, " ");
    return parse_u64(words, size, first) && parse_u64(second, strlen(second), count);
}

void block_of_log(struct session *session, const char *words, struct text *rest)
{
    uint64_t first, count;
    if (measure_armed() && !measure_streams()) {
        text_say(rest, "armed; send STOP first");
    } else if (!parse_log(words, &first, &count)) {
        text_say(rest, "LOG needs the first record and a count");
    } else {
        uint64_t records = measure_records(first);
        uint64_t left = first < records ? records - first : 0;
        count = count < left ? count : left;
        if (send_log(session, first, count < LOG_CHUNK ? (uint32_t)count : LOG_CHUNK, rest))
            return;
    }
    reply_line(session, "ERR", rest);
}
