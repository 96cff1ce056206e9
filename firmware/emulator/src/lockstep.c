/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The frames are described in README.md; rig/virtual/emulator.py is the other end. */
#include "lockstep.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/socket.h>

#include "events.h"
#include "fault.h"
#include "registers.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "frames are little-endian");

enum {
    INPUTS_MAX = 4096,
    HOLD_MAX_MS = 60000,

    FLAG_STOP_RISING = 1 << 0,
    FLAG_STOP_FALLING = 1 << 1,
    FLAG_HOLD = 1 << 2,
    FLAG_ANSWERS = 1 << 3,
    FLAGS_KNOWN = FLAG_STOP_RISING | FLAG_STOP_FALLING | FLAG_HOLD | FLAG_ANSWERS,

    /* A tenth off is the most that a clock of the bench may be. */
    CLOCK_PPB_MIN = 900000000,
    CLOCK_PPB_MAX = 1100000000,

    REASON_LIMIT = 0,
    REASON_EDGE = 1,
    REASON_HOLD = 2,

    STATE_ARMED = 1 << 0,
    STATE_TRANSMITTING = 1 << 1,
    STATE_HOST_TURN = 1 << 2,
    STATE_PENDING_INPUT = 1 << 3,

    NS_PER_MS = 1000000,
};

static const char grant_magic[4] = {'G', 'R', 'N', 'T'};
static const char report_magic[4] = {'R', 'P', 'R', 'T'};

struct wire_edge {
    uint64_t time; /* a cycle; of an answer in a report its true time in ps */
    uint8_t line; /* in a grant 0, the response; in a report an enum bench_line */
    uint8_t level;
    uint8_t pad[6];
};

struct grant_head {
    char magic[4];
    uint16_t flags;
    uint16_t n_inputs;
    uint64_t until_cycle;
    uint32_t hold_ms;
    uint32_t hold_after_cycles;
};

struct report_head {
    char magic[4];
    uint8_t reason;
    uint8_t state;
    uint16_t n_edges;
    uint64_t cycle;
    uint64_t bytes_from_host;
    uint64_t bytes_to_host;
};

struct answers_head {
    uint64_t clock_ppb;
    uint64_t free_ps;
    uint64_t apart_ps;
    uint16_t count;
    uint8_t interrupt_level;
    uint8_t level;
    uint8_t pad[4];
};

struct grant {
    struct grant_head head;
    /* n_inputs times struct wire_edge; with FLAG_ANSWERS struct answers_head and its latencies */
    uint8_t rest[INPUTS_MAX * sizeof(struct wire_edge) + sizeof(struct answers_head) +
                 ANSWERS_MAX * sizeof(uint64_t)];
};

struct report {
    struct report_head head;
    struct wire_edge edges[BENCH_EDGES_MAX];
};

_Static_assert(sizeof(struct wire_edge) == 16, "no padding on the wire");
_Static_assert(sizeof(struct grant_head) == 24, "no padding on the wire");
_Static_assert(sizeof(struct report_head) == 32, "no padding on the wire");
_Static_assert(sizeof(struct answers_head) == 32, "no padding on the wire");

struct lockstep {
    struct bench *bench;
    int socket;
    union {
        struct grant grant;
        uint8_t bytes[sizeof(struct grant)];
    } received;
    size_t received_bytes;
    struct report report;
    bool host_excused; /* a hold ran out: no more of them until the host speaks */
    uint64_t excused_bytes_from_host;
};

static bool lockstep_refuse(const char *wrong, uint64_t value)
{
    fault_say("lockstep grant refused: %s (%" PRIu64 "); see firmware/emulator/README.md", wrong,
              value);
    return false;
}

static bool lockstep_check_head(const struct grant_head *head)
{
    if (memcmp(head->magic, grant_magic, sizeof grant_magic) != 0)
        return lockstep_refuse("it does not start with GRNT", (uint8_t)head->magic[0]);
    if (head->flags & ~FLAGS_KNOWN)
        return lockstep_refuse("unknown flags", head->flags);
    if (head->n_inputs > INPUTS_MAX)
        return lockstep_refuse("more than 4096 inputs", head->n_inputs);
    if (head->hold_ms > HOLD_MAX_MS)
        return lockstep_refuse("a hold of more than 60000 ms", head->hold_ms);
    return true;
}

static size_t lockstep_inputs_bytes(const struct lockstep *lockstep)
{
    return lockstep->received.grant.head.n_inputs * sizeof(struct wire_edge);
}

static struct answers_head lockstep_answers_head(const struct lockstep *lockstep)
{
    struct answers_head head;

    memcpy(&head, lockstep->received.grant.rest + lockstep_inputs_bytes(lockstep), sizeof head);
    return head;
}

/* How many bytes the grant has that is being received; as much of it as is known by now. */
static size_t lockstep_expected(const struct lockstep *lockstep)
{
    const struct grant_head *head = &lockstep->received.grant.head;

    if (lockstep->received_bytes < sizeof *head)
        return sizeof *head;
    const size_t inputs = sizeof *head + lockstep_inputs_bytes(lockstep);
    if (!(head->flags & FLAG_ANSWERS))
        return inputs;
    const size_t heads = inputs + sizeof(struct answers_head);
    if (lockstep->received_bytes < heads)
        return heads;
    const size_t count = lockstep_answers_head(lockstep).count;
    return heads + (count > ANSWERS_MAX ? 0 : count) * sizeof(uint64_t);
}

/* Returns false if there is no grant to serve; status is then what to end with. */
static bool lockstep_receive(struct lockstep *lockstep, int *status)
{
    *status = EXIT_CLEAN;
    lockstep->received_bytes = 0;
    for (;;) {
        if (events_ending())
            return false;
        if (!(bench_wait(lockstep->bench, POLLIN, -1) & POLLIN))
            continue;
        ssize_t count = recv(lockstep->socket, lockstep->received.bytes + lockstep->received_bytes,
                             sizeof lockstep->received - lockstep->received_bytes, 0);
        if (count <= 0)
            return false;
        lockstep->received_bytes += (size_t)count;
        *status = EXIT_FAULT;
        if (lockstep->received_bytes >= sizeof(struct grant_head) &&
            !lockstep_check_head(&lockstep->received.grant.head))
            return false;
        if (lockstep->received_bytes > lockstep_expected(lockstep))
            return lockstep_refuse("bytes after its end, before the report",
                                   lockstep->received_bytes);
        if (lockstep->received_bytes == lockstep_expected(lockstep) &&
            lockstep->received_bytes >= sizeof(struct grant_head))
            return true;
    }
}

static bool lockstep_queue_inputs(struct lockstep *lockstep)
{
    const struct grant *grant = &lockstep->received.grant;

    for (size_t i = 0; i < grant->head.n_inputs; i++) {
        struct wire_edge input;
        memcpy(&input, grant->rest + i * sizeof input, sizeof input);
        if (input.line != 0 || input.level > 1)
            return lockstep_refuse("an input with a line or level that is not 0 or 1", i);
        if (!response_pin_add(&lockstep->bench->response, input.time, input.level))
            return lockstep_refuse("more than 16384 inputs wait to be fed", i);
    }
    return true;
}

/* Answers are given for one grant: those that are not taken in it are forgotten. */
static bool lockstep_take_answers(struct lockstep *lockstep)
{
    struct answers *answers = &lockstep->bench->answers;

    answers->clock_ppb = 0;
    if (!(lockstep->received.grant.head.flags & FLAG_ANSWERS))
        return true;
    const struct answers_head head = lockstep_answers_head(lockstep);
    if (head.count > ANSWERS_MAX)
        return lockstep_refuse("more than 4096 answers", head.count);
    if (head.clock_ppb < CLOCK_PPB_MIN || head.clock_ppb > CLOCK_PPB_MAX)
        return lockstep_refuse("a clock that is off by more than a tenth", head.clock_ppb);
    if (head.interrupt_level > 1 || head.level > 1)
        return lockstep_refuse("answers with a level that is not 0 or 1", head.level);
    answers->clock_ppb = head.clock_ppb;
    answers->free_ps = head.free_ps;
    answers->apart_ps = head.apart_ps;
    answers->interrupt_level = head.interrupt_level;
    answers->level = head.level;
    answers->count = head.count;
    answers->taken = 0;
    memcpy(answers->latency_ps,
           lockstep->received.grant.rest + lockstep_inputs_bytes(lockstep) + sizeof head,
           head.count * sizeof answers->latency_ps[0]);
    return true;
}

/* When virtual time has to wait for the host, if the firmware sends nothing more; UINT64_MAX for
 * never. */
static uint64_t lockstep_hold_cycle(struct lockstep *lockstep)
{
    const struct grant_head *head = &lockstep->received.grant.head;
    const struct serial *serial = &lockstep->bench->serial;

    if (serial->bytes_from_host != lockstep->excused_bytes_from_host)
        lockstep->host_excused = false;
    if (!(head->flags & FLAG_HOLD) || lockstep->host_excused || !serial_host_turn(serial))
        return UINT64_MAX;
    return serial->spoke_cycle + head->hold_after_cycles;
}

/* Virtual time stands while the host thinks. Returns false if it thought too long. */
static bool lockstep_hold(struct lockstep *lockstep)
{
    struct bench *bench = lockstep->bench;
    const int64_t end_ns =
        events_now_ns() + (int64_t)lockstep->received.grant.head.hold_ms * NS_PER_MS;
    int64_t left_ns;

    while (serial_host_turn(&bench->serial) && !events_ending()) {
        left_ns = end_ns - events_now_ns();
        if (left_ns <= 0) {
            lockstep->host_excused = true;
            lockstep->excused_bytes_from_host = bench->serial.bytes_from_host;
            return false;
        }
        bench_wait(bench, 0, left_ns);
    }
    return true;
}

/* Runs the grant. Returns false if the firmware died or the end was asked for. */
static bool lockstep_advance(struct lockstep *lockstep, uint8_t *reason)
{
    struct bench *bench = lockstep->bench;
    const uint64_t until_cycle = lockstep->received.grant.head.until_cycle;

    *reason = REASON_LIMIT;
    while (mcu_cycle(&bench->mcu) < until_cycle) {
        const uint64_t hold_cycle = lockstep_hold_cycle(lockstep);
        if (mcu_cycle(&bench->mcu) >= hold_cycle && !lockstep_hold(lockstep)) {
            *reason = REASON_HOLD;
            return true;
        }
        if (events_ending() ||
            !bench_run(bench, until_cycle < hold_cycle ? until_cycle : hold_cycle))
            return false;
        if (bench->stopped_at_edge) {
            *reason = REASON_EDGE;
            return true;
        }
        if (mcu_cycle(&bench->mcu) < until_cycle || serial_blocked(&bench->serial))
            bench_serve(bench);
    }
    return true;
}

static uint8_t lockstep_state(const struct bench *bench)
{
    return (uint8_t)((bench->mcu.avr->data[REG_TIMSK1] & BIT_OCIE1A ? STATE_ARMED : 0) |
                     (serial_transmitting(&bench->serial) ? STATE_TRANSMITTING : 0) |
                     (serial_host_turn(&bench->serial) ? STATE_HOST_TURN : 0) |
                     (serial_pending_input(&bench->serial) ? STATE_PENDING_INPUT : 0));
}

static void lockstep_send(struct lockstep *lockstep, uint8_t reason)
{
    struct bench *bench = lockstep->bench;
    struct report *report = &lockstep->report;
    const uint8_t *bytes = (const uint8_t *)report;
    size_t left = sizeof report->head + bench->edge_count * sizeof(struct wire_edge);

    memcpy(report->head.magic, report_magic, sizeof report_magic);
    report->head.reason = reason;
    report->head.state = lockstep_state(bench);
    report->head.n_edges = (uint16_t)bench->edge_count;
    report->head.cycle = mcu_cycle(&bench->mcu);
    report->head.bytes_from_host = bench->serial.bytes_from_host;
    report->head.bytes_to_host = bench->serial.bytes_to_host;
    for (size_t i = 0; i < bench->edge_count; i++)
        report->edges[i] =
            (struct wire_edge){.time = bench->edges[i].time,
                               .line = bench->edges[i].line,
                               .level = bench->edges[i].level};
    bench->edge_count = 0;

    while (left > 0) {
        ssize_t count = send(lockstep->socket, bytes, left, MSG_NOSIGNAL);
        if (count < 0) {
            events_end(); /* the partner is gone */
            return;
        }
        bytes += count;
        left -= (size_t)count;
    }
}

int lockstep_run(struct bench *bench, int socket)
{
    static struct lockstep lockstep; /* 128 KiB, too much for a stack */
    int status;
    uint8_t reason;

    lockstep.bench = bench;
    lockstep.socket = socket;
    bench->partner = socket;
    while (lockstep_receive(&lockstep, &status)) {
        const uint16_t flags = lockstep.received.grant.head.flags;
        bench->stop_at_level[1] = flags & FLAG_STOP_RISING;
        bench->stop_at_level[0] = flags & FLAG_STOP_FALLING;
        if (!lockstep_queue_inputs(&lockstep) || !lockstep_take_answers(&lockstep))
            return EXIT_FAULT;
        if (!lockstep_advance(&lockstep, &reason))
            return events_ending() ? EXIT_CLEAN : EXIT_FAULT;
        lockstep_send(&lockstep, reason);
    }
    return status;
}
