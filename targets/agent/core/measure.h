/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One measurement at a time: arm, run, stop, read its log. */
#ifndef CORE_MEASURE_H
#define CORE_MEASURE_H

#include "port.h"

struct measure_summary {
    uint64_t handled;    /* interrupts, periods or values counted */
    uint64_t records;    /* in the log */
    uint64_t dropped;    /* records that found the log full */
    uint64_t unanswered; /* of those handled: without a pin write of their own */
    uint64_t triggers;   /* interrupts that the agent made itself */
    uint64_t overruns;   /* answers that ended after the next period was due */
    uint64_t throttled;  /* times that interrupts were held up so that others could run */
    uint64_t work_per_ms; /* iterations of work that take a millisecond; 0: none is done */
    const char *policy;  /* by which tasks ran, as the system says; NULL: not asked for, or not known */
    bool held_interrupt; /* its processor, or the priority of its threads */
    bool failed;         /* the device went away */
};

/* Take memory, attach, start the tasks. Nothing stays taken if refused. */
bool measure_arm(const struct port *port, const struct arm_options *options, struct text *why);

bool measure_armed(void);

/* Bits of all measurements that a port can do, by whatever part of it. */
uint32_t measure_offers(const struct port *port);

/* Wait so long for a measurement inside the target to come to its count. True: it has. */
bool measure_await(uint32_t timeout_ms);

/* End it and account for it; not armed, the last account again. */
bool measure_stop(struct measure_summary *summary, struct text *why);

/* What a log could be now. */
struct measure_room {
    uint64_t records;
    bool streams; /* it can be read while it is written */
};

/* Arm, but for what makes edges, takes long or needs the log. Nothing stays taken. */
bool measure_check(const struct port *port, const struct arm_options *options,
                   struct measure_room *room, struct text *why);

/* Whether it is armed, and its log can be read meanwhile. */
bool measure_streams(void);

/*
 * Up to which record the log can be read, by a host that asks for those from `first` on. Of a
 * log that is streamed those before may be written over from now on.
 */
uint64_t measure_records(uint64_t first);

/* `count` records from `first`, all of which exist. */
bool measure_read(uint64_t first, uint32_t count, struct log_record *records);

/* Stop if armed and free the log. */
void measure_forget(void);

/* The pins were written by somebody else, and are low now. */
void measure_pins_are_low(void);

/* Forget it all, the levels of the pins too. */
void measure_reset(void);

#endif
