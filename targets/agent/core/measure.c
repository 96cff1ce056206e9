/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure.h"

#include <string.h>

#include "log.h"
#include "loops/loop.h"
#include "shared.h"

enum state { IDLE, ARMED, STOPPED, STUCK };

#define BREATHE_EVERY 64u /* answers */
#define NS_PER_S UINT64_C(1000000000)

static struct {
    enum state state;
    const struct port *port;
    struct arm_options options;
    bool by_recorder; /* its handler answers */
    const struct loop_kind *loop; /* it is measured inside the target; else NULL */
    struct log answers;  /* written by one task, */
    struct log triggers; /* this by another, */
    struct log merged;   /* and both in order of time */
    struct measure_summary summary;
    uint64_t readable; /* records up to here, */
    uint64_t released; /* and from here: the host has those before */
    struct loop_run run;
    struct loop_kind beside; /* tasks that run beside the interrupts; no body: there are none */
    struct arm_options beside_options;
    struct measure_summary beside_summary;
    struct log beside_log; /* read behind the others' */
    uint32_t response; /* levels outlive a measurement: arming one must not make an edge */
} WHOLE_PAGES m SHARED;

/* --- the tasks ---------------------------------------------------------------------------------- */

static void toggle(struct ticks *ticks)
{
    m.response ^= 1;
    uint32_t sequence = (uint32_t)m.summary.handled & ((1u << m.options.sequence_bits) - 1);
    m.port->write_pins(sequence << 1 | m.response, ticks);
}

static void answer(uint32_t flags)
{
    struct ticks ticks;
    toggle(&ticks);
    log_add(&m.answers, m.summary.handled, ticks.before, ticks.after, flags);
}

/* The handler's entry is asked for behind the pin write, so that it delays no answer. */
static void answer_interrupt(uint32_t flags)
{
    struct ticks ticks;
    uint64_t age_ns, now, lead = 0;
    toggle(&ticks);
    if (m.port->interrupt_age && m.port->interrupt_age(&age_ns, &now)) {
        lead = ticks.before - (now - age_ns * m.port->counter.tick_hz / NS_PER_S);
        if (lead <= UINT32_MAX) /* also of a clock that was set back meanwhile */
            flags |= RECORD_ENTRY;
    }
    log_add_entered(&m.answers, m.summary.handled, ticks.before, ticks.after, flags,
                    flags & RECORD_ENTRY ? (uint32_t)lead : 0);
}

static bool enough(void)
{
    return m.options.count && m.summary.handled >= m.options.count;
}

/* After an answer, when nobody is waiting for one; it is not in any figure but under overload. */
static void breathe(uint64_t answers)
{
    if (m.port->breathe && answers % BREATHE_EVERY == 0 && m.port->breathe())
        m.summary.throttled++;
}

static void answer_interrupts(void)
{
    if (m.port->breathe_begin)
        m.port->breathe_begin();
    for (uint64_t answers = 1; !enough(); answers++) {
        uint64_t interrupts = 1;
        enum port_event event = m.port->wait_interrupt(&interrupts);
        if (event != PORT_DUE) {
            m.summary.failed = event == PORT_FAILED;
            return;
        }
        m.summary.handled += interrupts;
        answer_interrupt(interrupts > 1 ? RECORD_COALESCED : 0);
        m.summary.unanswered += interrupts - 1;
        breathe(answers);
    }
}

/* The answer before the one just logged ended too late. */
static void note_overrun(void)
{
    m.summary.overruns++;
    if (m.answers.before_last)
        m.answers.before_last->flags |= RECORD_OVERRUN;
}

static void answer_periods(void)
{
    while (!enough()) {
        struct timer_wake wake = {.periods = 1};
        enum port_event event = m.port->timer_wait(&wake);
        if (event != PORT_DUE) {
            m.summary.failed = event == PORT_FAILED;
            return;
        }
        m.summary.handled += wake.periods;
        answer(wake.periods > 1 ? RECORD_MISSED : 0);
        m.summary.unanswered += wake.periods - 1;
        if (wake.overrun_before)
            note_overrun();
    }
}

/* One pulse; in the log of whoever answers. */
static void make_trigger(uint64_t number, uint32_t flags)
{
    struct ticks ticks;
    if (m.by_recorder) {
        m.port->recorder->trigger();
        return;
    }
    if (m.port->write_trigger(&ticks))
        flags |= RECORD_OVERLAP;
    log_add(&m.triggers, number, ticks.before, ticks.after, flags | RECORD_TRIGGER);
}

static void make_triggers(void)
{
    uint64_t periods = 0, triggers = 0;
    while (!m.options.count || triggers < m.options.count) {
        struct timer_wake wake = {.periods = 1};
        if (m.port->timer_wait(&wake) != PORT_DUE)
            break;
        periods += wake.periods;
        make_trigger(periods, wake.periods > 1 ? RECORD_MISSED : 0);
        triggers++;
    }
    m.summary.triggers = triggers;
}

/* The task to be interrupted. */
static void spin(void)
{
    while (!m.port->stopping())
        m.port->recorder->look();
}

/* --- arm ---------------------------------------------------------------------------------------- */

/* Triggers are logged by another task than answers, unless the recorder logs both. */
static bool needs_merging(void)
{
    return m.options.self_trigger && !m.by_recorder;
}

static bool take_log(struct log *log, uint64_t capacity, struct text *why)
{
    if (capacity > SIZE_MAX / LOG_RECORD_SIZE) {
        text_say(why, "this target cannot hold a log of that capacity");
        return false;
    }
    log->records = m.port->take((size_t)capacity * LOG_RECORD_SIZE, why);
    log->capacity = log->records ? capacity : 0;
    return log->records;
}

/* Two values each period. */
static bool take_log_beside(struct text *why)
{
    const struct arm_options *options = &m.beside_options;
    uint64_t capacity = 0;
    for (uint32_t i = 0; i < options->periodic_count; i++)
        capacity += 2 * (options->count * options->periodic[0].period_ns /
                             options->periodic[i].period_ns +
                         1);
    if (capacity <= CAPACITY_MAX)
        return take_log(&m.beside_log, capacity, why);
    text_say(why, "duration_ns is too long for the shortest period");
    return false;
}

static bool take_logs(struct text *why)
{
    uint64_t capacity = m.options.capacity;
    if (m.beside.body && !take_log_beside(why))
        return false;
    if (m.by_recorder)
        return true; /* it has the log */
    return take_log(&m.answers, capacity, why) &&
           (!needs_merging() || (take_log(&m.triggers, capacity, why) &&
                                 take_log(&m.merged, 2 * capacity, why)));
}

static void give_back(struct log *log)
{
    if (log->records)
        m.port->give_back(log->records, (size_t)log->capacity * LOG_RECORD_SIZE);
    *log = (struct log){0};
}

static void give_back_logs(void)
{
    give_back(&m.answers);
    give_back(&m.triggers);
    give_back(&m.merged);
    give_back(&m.beside_log);
}

uint32_t measure_offers(const struct port *port)
{
    return port->measurements | (port->recorder ? port->recorder->measurements : 0) |
           (port->inside && port->now_ticks ? port->inside->measurements : 0);
}

static bool refuse_measurement(const struct port *port, struct text *why)
{
    uint32_t can = measure_offers(port);
    text_say(why, "port ");
    text_add(why, port->name);
    text_add(why, " cannot measure ");
    text_add(why, measurement_name(m.options.measurement));
    text_add(why, "; it can measure");
    for (unsigned i = 0; i < MEASUREMENTS_COUNT; i++)
        if (can & 1u << i) {
            text_add(why, " ");
            text_add(why, measurement_name((enum measurement)i));
        }
    if (m.options.measurement < MEASURE_INTERRUPT_TO_TASK ||
        m.options.measurement == MEASURE_INTERRUPT_DISPATCH)
        text_add(why, "; a handler in the kernel needs port kmod");
    return false;
}

/* Whether the log can be read while it is written. */
static bool streams(const struct port *port)
{
    return !m.beside.body &&
           (m.by_recorder ? port->recorder->release != NULL : !needs_merging());
}

static bool refuse_state(struct text *why)
{
    text_say(why, m.state == ARMED ? "armed already; send STOP first"
                                   : "a task does not end; restart the agent");
    return false;
}

/* The loop's own words, without a pin. It ends by itself after the duration. */
static void prepare_beside(void)
{
    m.beside = (struct loop_kind){0};
    if (m.loop || !(m.options.given & GIVEN_PERIODIC))
        return;
    m.beside = *loop_of(MEASURE_LOOP_periodic_tasks);
    m.beside.needs_pin = false;
    m.beside_options = m.options;
    m.beside_options.measurement = MEASURE_LOOP_periodic_tasks;
    m.beside_options.given = GIVEN_PERIODIC;
    m.beside_options.sequence_bits = 0;
    m.beside_options.count = m.options.duration_ns / m.options.periodic[0].period_ns + 1;
    m.beside_summary = (struct measure_summary){0};
}

static bool check(const struct port *port, struct text *why)
{
    const struct arm_options *options = &m.options;
    uint32_t bit = 1u << options->measurement;
    m.by_recorder = port->recorder && port->recorder->measurements & bit;
    m.loop = loop_of(options->measurement);
    prepare_beside();
    if (!(measure_offers(port) & bit))
        return refuse_measurement(port, why);
    if (m.beside.body && !(measure_offers(port) & 1u << MEASURE_LOOP_periodic_tasks)) {
        text_say(why, "this port has no periodic tasks beside interrupts");
        return false;
    }
    if (options->sequence_bits > port->sequence_bits) {
        text_say(why, "sequence_bits is more than the pins of port ");
        text_add(why, port->name);
        text_add(why, ": ");
        text_add_u64(why, port->sequence_bits);
        return false;
    }
    if (options->self_trigger && !(m.by_recorder ? port->recorder->trigger != NULL
                                                 : port->write_trigger != NULL)) {
        text_say(why, "this port cannot trigger itself");
        return false;
    }
    if (options->stream && !streams(port)) {
        text_say(why, "stream is not possible here: ");
        text_add(why, m.beside.body     ? "periodic tasks have their values in it at the end"
                      : needs_merging() ? "two tasks log, one triggers and one answers"
                                        : "the log cannot be read while it is written");
        return false;
    }
    return true;
}

static void do_nothing(void)
{
}

/* Take and give back all that can be had without an edge or an interrupt. */
static bool rehearse(const struct port *port, struct text *why)
{
    const struct arm_options *options = &m.options;
    if (m.by_recorder && port->recorder->check && !port->recorder->check(options, why))
        return false;
    if (!m.loop) {
        if (!port->attach(options, why))
            return false;
        port->detach();
    }
    if (m.by_recorder)
        return true;
    if (port->set_policy)
        port->set_policy(options);
    bool good = port->start_task(do_nothing, options->priority, options->cpu, why);
    return port->stop_tasks() && good;
}

/* How many records a log could hold now without taking memory that the system needs. */
static uint64_t room(const struct port *port)
{
    uint64_t most = m.by_recorder ? port->recorder->capacity_max : CAPACITY_MAX;
    uint64_t logs = needs_merging() ? 4 : 1; /* both, and as much for the merged one */
    uint64_t records = port->memory_available ? port->memory_available() / 2 / logs / LOG_RECORD_SIZE
                                              : most;
    return records < most ? records : most;
}

bool measure_check(const struct port *port, const struct arm_options *options,
                   struct measure_room *answer, struct text *why)
{
    if (m.state == ARMED || m.state == STUCK)
        return refuse_state(why);
    measure_forget();
    m.port = port;
    m.options = *options;
    if (!check(port, why) || !rehearse(port, why))
        return false;
    *answer = (struct measure_room){.records = room(port), .streams = streams(port)};
    return true;
}

static void (*task_of(enum measurement measurement))(void)
{
    if (measurement == MEASURE_INTERRUPT_DISPATCH)
        return spin;
    if (m.by_recorder)
        return NULL;
    return measurement == MEASURE_PERIOD ? answer_periods : answer_interrupts;
}

static bool hold_interrupt(struct text *why)
{
    const struct port *port = m.port;
    if (!(m.options.given & GIVEN_INTERRUPT))
        return true;
    if (!port->interrupt) {
        text_say(why, "this system's agent does not move interrupts");
        return false;
    }
    int32_t number = port->interrupt_number ? port->interrupt_number() : -1;
    m.summary.held_interrupt = port->interrupt->hold(number, &m.options, why);
    return m.summary.held_interrupt;
}

static bool release_interrupt(struct text *why)
{
    return !m.summary.held_interrupt || m.port->interrupt->release(why);
}

static bool start(bool *attached, bool *recording, struct text *why)
{
    const struct port *port = m.port;
    const struct arm_options *options = &m.options;
    *attached = *recording = false;
    if (m.loop)
        return take_logs(why) && loop_start(m.loop, &m.run, why);
    if (!take_logs(why) || !port->attach(options, why))
        return false;
    *attached = true;
    if (m.by_recorder) {
        if (!port->recorder->arm(options, why))
            return false;
        *recording = true;
    }
    if (!hold_interrupt(why))
        return false;
    bool timed = options->self_trigger ||
                 (options->measurement == MEASURE_PERIOD && !m.by_recorder);
    if (timed && !port->timer_start(options->timer, options->period_ns, why))
        return false;
    void (*body)(void) = task_of(options->measurement);
    if (port->set_policy)
        port->set_policy(options);
    else if (options->policy != POLICY_FIFO && !m.by_recorder) {
        text_say(why, "tasks of this port have no other policy than fifo");
        return false;
    }
    if (body && !port->start_task(body, options->priority, options->cpu, why))
        return false;
    const struct loop_run beside = {
        .port = port, .options = &m.beside_options, .log = &m.beside_log,
        .summary = &m.beside_summary,
    };
    if (m.beside.body && !loop_start(&m.beside, &beside, why))
        return false;
    /* Below the answering task: that one must be able to interrupt it. */
    int32_t below = options->priority > 1 ? options->priority - 1 : options->priority;
    return !options->self_trigger || port->start_task(make_triggers, below, options->cpu, why);
}

/* False: one does not end. */
static bool stop_all_tasks(void)
{
    bool beside = !m.beside.body || loop_stop();
    return (m.loop ? loop_stop() : m.port->stop_tasks()) && beside;
}

static void undo(bool attached, bool recording)
{
    struct recorder_summary ignored;
    char words[1];
    struct text nothing;
    text_begin(&nothing, words, sizeof words);
    if (!stop_all_tasks())
        m.state = STUCK;
    if (m.port->timer_stop)
        m.port->timer_stop();
    release_interrupt(&nothing);
    if (recording)
        m.port->recorder->stop(&ignored, &nothing);
    if (attached)
        m.port->detach();
    if (m.state != STUCK)
        give_back_logs();
}

bool measure_arm(const struct port *port, const struct arm_options *options, struct text *why)
{
    bool attached, recording;
    if (m.state == ARMED || m.state == STUCK)
        return refuse_state(why);
    measure_forget();
    m.port = port;
    m.options = *options;
    m.summary = (struct measure_summary){0};
    m.run = (struct loop_run){
        .port = port, .options = &m.options, .log = &m.answers, .summary = &m.summary,
        .answer = answer, .toggle = toggle,
    };
    if (!check(port, why))
        return false;
    if (!start(&attached, &recording, why)) {
        undo(attached, recording);
        return false;
    }
    m.state = ARMED;
    return true;
}

bool measure_armed(void)
{
    return m.state == ARMED;
}

bool measure_await(uint32_t timeout_ms)
{
    return m.state != ARMED || (m.loop && m.port->inside->await_crew(timeout_ms));
}

/* --- stop and read ------------------------------------------------------------------------------ */

static bool account_recorder(struct text *why)
{
    struct recorder_summary end;
    if (!m.port->recorder->stop(&end, why))
        return false;
    m.summary.handled = end.handled;
    m.summary.records = end.records;
    m.summary.dropped = end.dropped;
    m.summary.throttled = end.throttled;
    uint64_t writes = end.records + end.dropped;
    if (!m.options.self_trigger && m.options.measurement != MEASURE_INTERRUPT_DISPATCH &&
        end.handled > writes) /* else not each record is an answer */
        m.summary.unanswered = end.handled - writes;
    return true;
}

static bool account_own(void)
{
    const struct log *log = &m.answers;
    if (needs_merging()) {
        log_merge(&m.answers, &m.triggers, &m.merged);
        log = &m.merged;
    }
    m.summary.records = log->count;
    m.summary.dropped = log->dropped;
    return true;
}

static bool account(struct text *why)
{
    bool good = m.by_recorder ? account_recorder(why) : account_own();
    if (m.beside.body) {
        m.summary.records += m.beside_log.count;
        m.summary.work_per_ms = m.beside_summary.work_per_ms;
        m.summary.failed |= m.beside_summary.failed;
    }
    return good;
}

bool measure_stop(struct measure_summary *summary, struct text *why)
{
    if (m.state == STUCK) {
        text_say(why, "a task does not end; restart the agent");
        return false;
    }
    bool good = true;
    if (m.state == ARMED) {
        if (!stop_all_tasks()) {
            m.state = STUCK;
            return measure_stop(summary, why);
        }
        if (m.port->timer_stop)
            m.port->timer_stop();
        bool given_back = release_interrupt(why);
        good = account(why) && given_back;
        if (m.options.given & GIVEN_POLICY && m.port->policy && !m.by_recorder)
            m.summary.policy = m.port->policy();
        m.readable = m.summary.records;
        if (!m.loop)
            m.port->detach();
        m.state = STOPPED;
    }
    if (good && m.summary.failed) {
        text_say(why, "the device failed while armed; the log ends there");
        m.summary.failed = false;
        good = false;
    }
    *summary = m.summary;
    return good;
}

bool measure_streams(void)
{
    return m.state == ARMED && m.options.stream;
}

/* The last two records may still get a flag. */
#define UNSETTLED 2u

static uint64_t release_own(uint64_t first)
{
    struct log *log = &m.answers;
    unsigned published = atomic_load_explicit(&log->published, memory_order_acquire);
    unsigned new = published - (unsigned)m.released;
    uint64_t settled = m.released + (new > UNSETTLED ? new - UNSETTLED : 0);
    if (first > m.released && first <= settled) {
        m.released = first;
        atomic_store_explicit(&log->released, (unsigned)first, memory_order_release);
    }
    return settled;
}

/* What the host asks for first it has all before of. */
static uint64_t release(uint64_t first)
{
    if (!m.by_recorder)
        return release_own(first);
    const struct port_recorder *recorder = m.port->recorder;
    uint64_t records = recorder->release(m.released);
    if (first <= m.released || first > records)
        return records;
    m.released = first;
    return recorder->release(first);
}

uint64_t measure_records(uint64_t first)
{
    if (measure_streams())
        m.readable = release(first);
    return m.state == ARMED || m.state == STOPPED ? m.readable : 0;
}

static void read_own(uint64_t first, uint32_t count, struct log_record *records)
{
    const struct log *log = needs_merging() ? &m.merged : &m.answers;
    for (uint32_t i = 0; i < count; i++)
        records[i] = log->records[(first + i) % log->capacity];
}

/* Behind the last interrupt: numbers of records and of what was handled go on from there. */
static void read_beside(uint64_t own, uint64_t first, uint32_t count, struct log_record *records)
{
    for (uint32_t i = 0; i < count; i++) {
        records[i] = m.beside_log.records[first + i];
        records[i].sequence += own;
        records[i].handled += m.summary.handled;
    }
}

bool measure_read(uint64_t first, uint32_t count, struct log_record *records)
{
    if (first < m.released || first > m.readable || count > m.readable - first)
        return false;
    uint64_t own = m.readable - m.beside_log.count;
    uint32_t before = first >= own ? 0 : own - first < count ? (uint32_t)(own - first) : count;
    read_beside(own, first + before - own, count - before, records + before);
    if (m.by_recorder)
        return !before || m.port->recorder->read(first, before, records);
    read_own(first, before, records);
    return true;
}

void measure_forget(void)
{
    struct measure_summary summary;
    char words[1];
    struct text nothing;
    text_begin(&nothing, words, sizeof words);
    if (m.state == ARMED)
        measure_stop(&summary, &nothing);
    if (m.state == STUCK)
        return;
    if (m.port)
        give_back_logs();
    m.readable = m.released = 0;
    m.state = IDLE;
}

void measure_pins_are_low(void)
{
    m.response = 0;
}

void measure_reset(void)
{
    measure_forget();
    memset(&m, 0, sizeof m);
}
