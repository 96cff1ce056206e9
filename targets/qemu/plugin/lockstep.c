/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lockstep.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

#include "fault.h"
#include "qemu.h"
#include "stall.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "frames are little-endian");

enum {
    EDGES_MAX = 4096,
    PATIENCE_MS = 600000, /* a bench that grants nothing for so long hangs */
    FLAG_WRITES_LOST = 1 << 0,
};

static const char grant_magic[4] = {'L', 'G', 'R', 'T'};
static const char report_magic[4] = {'L', 'R', 'P', 'T'};

struct grant_head {
    char magic[4];
    uint32_t n_edges;
    int64_t until_ns;
};

struct edge {
    int64_t time_ns;
    uint8_t level;
    uint8_t pad[7];
};

struct report_head {
    char magic[4];
    uint32_t n_writes;
    int64_t now_ns;
    uint32_t flags;
    uint32_t control_count;
    uint32_t interrupt_count;
    uint32_t edge_late_max_ns;
};

_Static_assert(sizeof(struct grant_head) == 16, "no padding on the wire");
_Static_assert(sizeof(struct edge) == 16, "no padding on the wire");
_Static_assert(sizeof(struct report_head) == 32, "no padding on the wire");
_Static_assert(sizeof(struct port_write) == 16, "no padding on the wire");

struct lockstep {
    struct port *port;
    int socket;
    struct qemu_timer timer;
    struct grant_head grant;
    struct edge edges[EDGES_MAX];
    uint32_t next_edge;
    uint32_t edge_late_max_ns;
};

static struct lockstep lockstep;

static void lockstep_receive(void *into, size_t size)
{
    uint8_t *bytes = into;

    while (size > 0) {
        struct pollfd file = {.fd = lockstep.socket, .events = POLLIN};
        if (poll(&file, 1, PATIENCE_MS) == 0)
            fault_end("no grant from the bench for %d s", PATIENCE_MS / 1000);
        ssize_t count = recv(lockstep.socket, bytes, size, 0);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            _exit(0); /* the bench has ended, and so does its guest */
        bytes += count;
        size -= (size_t)count;
    }
}

static void lockstep_send(const void *from, size_t size)
{
    const uint8_t *bytes = from;

    while (size > 0) {
        ssize_t count = send(lockstep.socket, bytes, size, MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            _exit(0);
        bytes += count;
        size -= (size_t)count;
    }
}

static void lockstep_report(int64_t now_ns)
{
    struct port *port = lockstep.port;
    const bool lost = port->write_count > PORT_WRITES_MAX;
    const uint32_t kept = lost ? PORT_WRITES_MAX : port->write_count;
    struct report_head head = {
        .n_writes = kept,
        .now_ns = now_ns,
        .flags = lost ? FLAG_WRITES_LOST : 0,
        .control_count = port->control_count,
        .interrupt_count = port->interrupt_count,
        .edge_late_max_ns = lockstep.edge_late_max_ns,
    };

    memcpy(head.magic, report_magic, sizeof head.magic);
    lockstep_send(&head, sizeof head);
    lockstep_send(port->writes, kept * sizeof port->writes[0]);
    port->write_count = 0;
    port->control_count = 0;
    port->interrupt_count = 0;
    lockstep.edge_late_max_ns = 0;
}

static void lockstep_check_edges(int64_t now_ns)
{
    int64_t last_ns = INT64_MIN;

    for (uint32_t i = 0; i < lockstep.grant.n_edges; i++) {
        const struct edge *edge = &lockstep.edges[i];
        if (edge->level > 1 || edge->time_ns < last_ns || edge->time_ns > lockstep.grant.until_ns)
            fault_end("grant at %lld ns refused: edge %u is out of order, late or no level",
                      (long long)now_ns, i);
        last_ns = edge->time_ns;
    }
}

static void lockstep_next_grant(int64_t now_ns)
{
    lockstep_receive(&lockstep.grant, sizeof lockstep.grant);
    if (memcmp(lockstep.grant.magic, grant_magic, sizeof grant_magic) != 0)
        fault_end("grant refused: it does not start with LGRT");
    if (lockstep.grant.n_edges > EDGES_MAX)
        fault_end("grant refused: %u edges, more than %d", lockstep.grant.n_edges, EDGES_MAX);
    lockstep_receive(lockstep.edges, lockstep.grant.n_edges * sizeof lockstep.edges[0]);
    lockstep.next_edge = 0;
    lockstep_check_edges(now_ns);
}

static void lockstep_feed(int64_t now_ns)
{
    while (lockstep.next_edge < lockstep.grant.n_edges) {
        const struct edge *edge = &lockstep.edges[lockstep.next_edge];
        if (edge->time_ns > now_ns)
            return;
        const int64_t late_ns = now_ns - edge->time_ns;
        if (late_ns > lockstep.edge_late_max_ns)
            lockstep.edge_late_max_ns = late_ns < UINT32_MAX ? (uint32_t)late_ns : UINT32_MAX;
        port_drive(lockstep.port, edge->level);
        lockstep.next_edge++;
    }
}

/* The timer's callback. While it waits for the bench it holds QEMU's lock, so that nothing moves. */
static void lockstep_serve(void *context)
{
    int64_t now_ns = qemu.clock_get_ns(QEMU_CLOCK_VIRTUAL);
    int64_t due_ns;

    (void)context;
    lockstep_feed(now_ns);
    while (now_ns >= lockstep.grant.until_ns) {
        lockstep_report(now_ns);
        lockstep_next_grant(now_ns);
        lockstep_feed(now_ns);
    }
    due_ns = lockstep.grant.until_ns;
    /* Not while a stimulus edge is to come, which would be late. */
    if (lockstep.next_edge == lockstep.grant.n_edges) {
        if (stall_take(now_ns, due_ns))
            now_ns = qemu.clock_get_ns(QEMU_CLOCK_VIRTUAL);
        if (stall_due_ns() > now_ns && stall_due_ns() < due_ns)
            due_ns = stall_due_ns();
    }
    if (lockstep.next_edge < lockstep.grant.n_edges)
        due_ns = lockstep.edges[lockstep.next_edge].time_ns;
    qemu.timer_mod_ns(&lockstep.timer, due_ns);
}

void lockstep_open(struct port *port, int socket)
{
    lockstep.port = port;
    lockstep.socket = socket;
    lockstep.grant.until_ns = INT64_MIN;
    qemu.timer_init_full(&lockstep.timer, NULL, QEMU_CLOCK_VIRTUAL, QEMU_SCALE_NS, 0,
                         lockstep_serve, NULL);
    lockstep_serve(NULL);
}
