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
    FLAGS_KNOWN = FLAG_STOP_RISING | FLAG_STOP_FALLING | FLAG_HOLD,

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
    uint64_t cycle;
    uint8_t line; /* 0: stimulus in a report, response in a grant */
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

struct grant {
    struct grant_head head;
    struct wire_edge inputs[INPUTS_MAX];
};

struct report {
    struct report_head head;
    struct wire_edge edges[BENCH_EDGES_MAX];
};

_Static_assert(sizeof(struct wire_edge) == 16, "no padding on the wire");
_Static_assert(sizeof(struct grant_head) == 24, "no padding on the wire");
_Static_assert(sizeof(struct report_head) == 32, "no padding on the wire");

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

/* How many bytes the grant has that is being received; as much of it as is known by now. */
static size_t lockstep_expected(const struct lockstep *lockstep)
{
    const struct grant_head *head = &lockstep->received.grant.head;

    if (lockstep->received_bytes < sizeof *head)
        return sizeof *head;
    return sizeof *head + head->n_inputs * sizeof(struct wire_edge);
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
        const struct wire_edge *input = &grant->inputs[i];
        if (input->line != 0 || input->level > 1)
            return lockstep_refuse("an input with a line or level that is not 0 or 1", i);
        if (!response_pin_add(&lockstep->bench->response, input->cycle, input->level))
            return lockstep_refuse("more than 16384 inputs wait to be fed", i);
    }
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
            (struct wire_edge){.cycle = bench->edges[i].cycle, .level = bench->edges[i].level};
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
        if (!lockstep_queue_inputs(&lockstep))
            return EXIT_FAULT;
        if (!lockstep_advance(&lockstep, &reason))
            return events_ending() ? EXIT_CLEAN : EXIT_FAULT;
        lockstep_send(&lockstep, reason);
    }
    return status;
}
