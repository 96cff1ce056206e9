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

/* Records of the log that can be read; 0 while armed. */
uint64_t measure_records(void);

/* `count` records from `first`, all of which exist. */
bool measure_read(uint64_t first, uint32_t count, struct log_record *records);

/* Stop if armed and free the log. */
void measure_forget(void);

/* The pins were written by somebody else, and are low now. */
void measure_pins_are_low(void);

/* Forget it all, the levels of the pins too. */
void measure_reset(void);

#endif
