/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session.h"

#include <string.h>

#include "crc32.h"
#include "frequency.h"
#include "load.h"
#include "measure.h"
#include "pulse.h"
#include "tool.h"

#ifndef AGENT_VERSION
#define AGENT_VERSION "0"
#endif
#define AGENT_NAME "rig-agent"
#define RECORDS_AT_A_TIME 64u
#define AWAIT_MS_MAX 5000u

/* --- out ---------------------------------------------------------------------------------------- */

static void send_bytes(struct session *session, const void *bytes, size_t count)
{
    if (session->state == SESSION_OPEN && !session->send(session->stream, bytes, count))
        session->state = SESSION_LOST;
}

/* One line: OK or ERR, and what there is to say. */
static void send_line(struct session *session, const char *status, const struct text *rest)
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
    send_bytes(session, line.bytes, line.used);
}

static void send_block_start(struct session *session, uint64_t length)
{
    char buffer[24];
    struct text text;
    text_begin(&text, buffer, sizeof buffer);
    text_add_u64(&text, length);
    send_line(session, "OK", &text);
}

/* --- commands ----------------------------------------------------------------------------------- */

/* True: `rest` is the answer after OK. False: it is why not. */
typedef bool command(struct session *session, const char *words, struct text *rest);

static uint32_t measurements_of(const struct port *port)
{
    return measure_offers(port);
}

static void add_measurements(struct text *text, const struct port *port)
{
    const char *before = " measurements=";
    for (unsigned i = 0; i < MEASUREMENTS_COUNT; i++)
        if (measurements_of(port) & 1u << i) {
            text_add(text, before);
            text_add(text, measurement_name((enum measurement)i));
            before = ",";
        }
}

static void stop_load(const struct session *session)
{
    if (session->port->loads)
        load_stop(session->port->loads);
}

static void stop_tool(const struct session *session)
{
    if (session->port->tools)
        session->port->tools->stop();
}

/* A greeting begins a session: what an earlier host left armed is stopped. */
static bool hello(struct session *session, const char *words, struct text *rest)
{
    const struct port_counter *counter = &session->port->counter;
    struct measure_summary ignored;
    (void)words;
    pulse_release();
    if (measure_armed())
        measure_stop(&ignored, rest);
    text_say(rest, AGENT_NAME " version=" AGENT_VERSION);
    text_add_field(rest, "log", LOG_FORMAT);
    text_add_field(rest, "tick_hz", counter->tick_hz);
    text_add_word(rest, "counter", counter->name);
    text_add_field(rest, "invariant", counter->invariant);
    text_add_word(rest, "rate", counter->rate_source);
    text_add_word(rest, "port", session->port->name);
    text_add_field(rest, "sequence_pins", session->port->sequence_bits);
    add_measurements(rest, session->port);
    stop_tool(session);
    stop_load(session);
    frequency_release(session->port);
    if (session->port->loads)
        load_greet(session->port->loads, rest);
    if (session->port->frequency)
        text_add_field(rest, "frequency", 1);
    if (session->port->tools)
        text_add_field(rest, "tools", 1);
    return true;
}

static bool arm(struct session *session, const char *words, struct text *rest)
{
    struct arm_options options;
    pulse_release();
    return arm_parse(words, &options, rest) && measure_arm(session->port, &options, rest);
}

static bool pulse(struct session *session, const char *words, struct text *rest)
{
    struct pulse_options options;
    if (measure_armed()) {
        text_say(rest, "armed; send STOP first");
        return false;
    }
    if (!pulse_parse(words, &options, rest) || !pulse_pins(session->port, &options, rest))
        return false;
    measure_pins_are_low();
    return true;
}

/* The only line while armed that ends nothing: so that a host knows when to send STOP. */
static bool await(struct session *session, const char *words, struct text *rest)
{
    uint64_t timeout_ms;
    (void)session;
    if (!parse_u64(words, strlen(words), &timeout_ms) || timeout_ms > AWAIT_MS_MAX) {
        text_say(rest, "AWAIT needs a time from 0 to 5000 ms");
        return false;
    }
    if (!measure_armed()) {
        text_say(rest, "not armed");
        return false;
    }
    text_add_field(rest, "ended", measure_await((uint32_t)timeout_ms));
    return true;
}

static bool stop(struct session *session, const char *words, struct text *rest)
{
    struct measure_summary end;
    (void)words;
    pulse_release();
    bool good = measure_stop(&end, rest);
    frequency_release(session->port); /* it was held for this measurement */
    if (!good)
        return false;
    text_add_field(rest, "handled", end.handled);
    text_add_field(rest, "records", end.records);
    text_add_field(rest, "dropped", end.dropped);
    text_add_field(rest, "unanswered", end.unanswered);
    text_add_field(rest, "overruns", end.overruns);
    text_add_field(rest, "triggers", end.triggers);
    if (end.throttled)
        text_add_field(rest, "throttled", end.throttled);
    return true;
}

static bool load(struct session *session, const char *words, struct text *rest)
{
    const struct port_loads *loads = session->port->loads;
    if (loads && !measure_armed())
        return load_command(loads, words, rest);
    text_say(rest, loads ? "armed; send STOP first" : "this system's agent has no loads");
    return false;
}

static bool frequency(struct session *session, const char *words, struct text *rest)
{
    if (measure_armed()) {
        text_say(rest, "armed; send STOP first");
        return false;
    }
    return frequency_answer(session->port, words, rest);
}

static bool tool_is_for(const struct session *session, struct text *rest)
{
    const struct port_tools *tools = session->port->tools;
    if (tools && !measure_armed())
        return true;
    text_say(rest, tools ? "armed; send STOP first" : "this system's agent starts no tools");
    return false;
}

static bool tool(struct session *session, const char *words, struct text *rest)
{
    return tool_is_for(session, rest) && tool_command(session->port->tools, words, rest);
}

/* What a tool has printed, as a block. */
static bool send_output(struct session *session, struct text *rest)
{
    const struct port_tools *tools = session->port->tools;
    struct tool_state state;
    uint8_t bytes[1024];
    if (!tool_is_for(session, rest))
        return false;
    tools->look(&state);
    if (state.running || state.bytes > TOOL_OUTPUT_MAX) {
        text_say(rest, state.running ? "the tool runs; send TOOL STOP first"
                                     : "the tool has printed too much");
        return false;
    }
    send_block_start(session, state.bytes);
    for (uint64_t at = 0; at < state.bytes;) {
        size_t left = (size_t)(state.bytes - at);
        size_t count = tools->read(at, bytes, left < sizeof bytes ? left : sizeof bytes);
        if (!count) {
            session->state = SESSION_LOST; /* a length was promised that cannot be kept */
            return true;
        }
        send_bytes(session, bytes, count);
        at += count;
    }
    return true;
}

static void send_environment(struct session *session)
{
    struct json json;
    json_begin(&json, session->environment, session->environment_size);
    if (session->port->environment)
        session->port->environment(&json);
    json_end(&json);
    send_block_start(session, json.text.used);
    send_bytes(session, json.text.bytes, json.text.used);
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
    send_bytes(context, bytes, count);
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
    send_block_start(session, LOG_HEADER_SIZE + (uint64_t)count * LOG_RECORD_SIZE);
    send_bytes(session, header, sizeof header);
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

static void answer_log(struct session *session, const char *words, struct text *rest)
{
    uint64_t first, count, records = measure_records();
    if (measure_armed()) {
        text_say(rest, "armed; send STOP first");
    } else if (!parse_log(words, &first, &count)) {
        text_say(rest, "LOG needs the first record and a count");
    } else {
        uint64_t left = first < records ? records - first : 0;
        count = count < left ? count : left;
        if (send_log(session, first, count < LOG_CHUNK ? (uint32_t)count : LOG_CHUNK, rest))
            return;
    }
    send_line(session, "ERR", rest);
}

/* --- lines -------------------------------------------------------------------------------------- */

static const char *after(const char *line, const char *name)
{
    size_t size = strlen(name);
    if (strncmp(line, name, size) != 0 || (line[size] && line[size] != ' '))
        return NULL;
    return line + size + strspn(line + size, " ");
}

static bool answer_with_line(struct session *session, const char *line, struct text *rest)
{
    static const struct {
        const char *name;
        command *run;
    } commands[] = {{"HELLO", hello}, {"ARM", arm}, {"STOP", stop}, {"PULSE", pulse},
                {"AWAIT", await}, {"LOAD", load}, {"FREQUENCY", frequency}, {"TOOL", tool}};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        const char *words = after(line, commands[i].name);
        if (words) {
            bool good = commands[i].run(session, words, rest);
            send_line(session, good ? "OK" : "ERR", rest);
            return true;
        }
    }
    return false;
}

static void execute(struct session *session, const char *line)
{
    char buffer[LINE_MAX_BYTES - 4];
    struct text rest;
    const char *words;
    text_begin(&rest, buffer, sizeof buffer);
    if ((words = after(line, "TOOL")) && strcmp(words, "READ") == 0) {
        if (!send_output(session, &rest))
            send_line(session, "ERR", &rest);
        return;
    }
    if (answer_with_line(session, line, &rest))
        return;
    if ((words = after(line, "LOG"))) {
        answer_log(session, words, &rest);
    } else if (after(line, "QUIT")) {
        session->state = SESSION_QUIT;
    } else if (!after(line, "ENV")) {
        text_say(&rest, "unknown command; valid: HELLO ENV LOAD FREQUENCY ARM AWAIT STOP LOG PULSE TOOL QUIT");
        send_line(session, "ERR", &rest);
    } else if (measure_armed()) {
        text_say(&rest, "armed; send STOP first");
        send_line(session, "ERR", &rest);
    } else {
        send_environment(session);
    }
}

static void refuse(struct session *session, const char *why)
{
    char buffer[80];
    struct text rest;
    text_begin(&rest, buffer, sizeof buffer);
    text_add(&rest, why);
    send_line(session, "ERR", &rest);
}

static bool is_clean(const char *line, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (line[i] < 0x20 || line[i] > 0x7e)
            return false;
    return true;
}

static void end_of_line(struct session *session)
{
    /* Consoles send CR LF, hands leave blanks. */
    while (session->used && strchr("\r ", session->line[session->used - 1]))
        session->used--;
    session->line[session->used] = '\0';
    if (session->too_long)
        refuse(session, "line longer than 512 bytes");
    else if (!is_clean(session->line, session->used))
        refuse(session, "lines are of printable ASCII characters");
    else
        execute(session, session->line);
    session->used = 0;
    session->too_long = false;
}

void session_begin(struct session *session)
{
    session->used = 0;
    session->too_long = false;
    session->state = SESSION_OPEN;
}

size_t session_input(struct session *session, const char *bytes, size_t count)
{
    size_t i;
    for (i = 0; i < count && session->state == SESSION_OPEN; i++) {
        if (bytes[i] == '\n')
            end_of_line(session);
        else if (session->used == LINE_MAX_BYTES)
            session->too_long = true;
        else
            session->line[session->used++] = bytes[i];
    }
    return i;
}

void session_end(struct session *session)
{
    char words[1];
    struct text nothing;
    struct measure_summary ignored;
    text_begin(&nothing, words, sizeof words);
    pulse_release();
    if (measure_armed())
        measure_stop(&ignored, &nothing);
    stop_tool(session);
    stop_load(session);
    frequency_release(session->port);
}
