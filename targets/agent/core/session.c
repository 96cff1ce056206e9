/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session.h"

#include <string.h>

#include "blocks.h"
#include "frequency.h"
#include "load.h"
#include "measure.h"
#include "pulse.h"
#include "reply.h"
#include "tool.h"

#ifndef AGENT_VERSION
#define AGENT_VERSION "0"
#endif
#define AGENT_NAME "rig-agent"
#define AWAIT_MS_MAX 5000u

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
    text_add_field(rest, "check", 1);
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
    if (!arm_parse(words, &options, rest))
        return false;
    if (!measure_armed()) { /* not later: to read it may wake a processor */
        frequency_watch(session->port, options.cpu);
        if (session->port->disturbances)
            session->port->disturbances->watch();
    }
    return measure_arm(session->port, &options, rest);
}

/* What ARM would say of these words, and how long a log can be. */
static bool check(struct session *session, const char *words, struct text *rest)
{
    struct arm_options options;
    struct measure_room room;
    pulse_release();
    if (!arm_parse(words, &options, rest) ||
        !measure_check(session->port, &options, &room, rest))
        return false;
    text_add_field(rest, "records", room.records);
    text_add_field(rest, "streams", room.streams);
    return true;
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

static void add_disturbances(const struct port *port, struct text *rest)
{
    struct disturbances most;
    if (!port->disturbances)
        return;
    port->disturbances->watched(&most);
    if (most.smis != UINT64_MAX)
        text_add_field(rest, "smis", most.smis);
    if (most.throttles != UINT64_MAX)
        text_add_field(rest, "thermal_throttles", most.throttles);
}

static bool stop(struct session *session, const char *words, struct text *rest)
{
    struct measure_summary end;
    (void)words;
    pulse_release();
    bool good = measure_stop(&end, rest);
    struct frequency_course course;
    bool watched = frequency_watched(session->port, &course);
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
    if (end.work_per_ms)
        text_add_field(rest, "work_per_ms", end.work_per_ms);
    if (end.policy)
        text_add_word(rest, "policy", end.policy);
    if (end.held_interrupt)
        session->port->interrupt->tell(rest);
    if (watched)
        frequency_add(&course, rest);
    add_disturbances(session->port, rest);
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
    } commands[] = {{"HELLO", hello}, {"CHECK", check}, {"ARM", arm}, {"STOP", stop}, {"PULSE", pulse},
                {"AWAIT", await}, {"LOAD", load}, {"FREQUENCY", frequency}, {"TOOL", tool}};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        const char *words = after(line, commands[i].name);
        if (words) {
            bool good = commands[i].run(session, words, rest);
            reply_line(session, good ? "OK" : "ERR", rest);
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
        if (!tool_is_for(session, &rest) || !block_of_output(session, &rest))
            reply_line(session, "ERR", &rest);
        return;
    }
    if (answer_with_line(session, line, &rest))
        return;
    if ((words = after(line, "LOG"))) {
        block_of_log(session, words, &rest);
    } else if (after(line, "QUIT")) {
        session->state = SESSION_QUIT;
    } else if (!after(line, "ENV")) {
        text_say(&rest, "unknown command; valid: HELLO ENV LOAD FREQUENCY CHECK ARM AWAIT STOP LOG PULSE TOOL QUIT");
        reply_line(session, "ERR", &rest);
    } else if (measure_armed()) {
        text_say(&rest, "armed; send STOP first");
        reply_line(session, "ERR", &rest);
    } else {
        block_of_environment(session);
    }
}

static void refuse(struct session *session, const char *why)
{
    char buffer[80];
    struct text rest;
    text_begin(&rest, buffer, sizeof buffer);
    text_add(&rest, why);
    reply_line(session, "ERR", &rest);
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
