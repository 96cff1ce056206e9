/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Measurements inside the target: tasks that measure each other by ticks, until a count is reached.
 * One file a measurement. While they run they call nothing of the port but what is measured, the
 * counter, and the pins if the host wants to see each value's end.
 */
#ifndef CORE_LOOPS_LOOP_H
#define CORE_LOOPS_LOOP_H

#include "../log.h"
#include "../measure.h"

/* What a measurement runs with. */
struct loop_run {
    const struct port *port;
    const struct arm_options *options;
    struct log *log;
    struct measure_summary *summary;
    void (*answer)(uint32_t flags); /* toggle the response pin and log it */
    void (*toggle)(struct ticks *ticks); /* the same without a record */
    bool on_pins; /* each value ends with an answer; set by loop_start() */
};

struct loop_kind {
    uint64_t variants;       /* VARIANT_BIT of each */
    enum variant usual;      /* if none is given */
    uint32_t given;          /* further words of ARM that it takes, as GIVEN bits */
    bool needs_period, needs_pin;
    int32_t levels;          /* real-time priorities that its tasks need, or 0 */
    uint32_t (*tasks)(void); /* NULL: one */
    int32_t (*priority)(uint32_t number); /* NULL: all as the options say */
    void (*begin)(void);     /* NULL: nothing to make ready */
    bool (*take)(struct text *why); /* memory, before the tasks are made; NULL: the log is enough */
    void (*give)(void); /* after they have ended, also if not all was taken: log, and give it back */
    void (*prepare)(uint32_t number); /* by each task before they begin; NULL: nothing */
    void (*body)(uint32_t number);
};

/* NULL: it is not measured by a loop. */
const struct loop_kind *loop_of(enum measurement measurement);

/* Check the words, take the pins, start the tasks. What was taken is given back by loop_stop(). */
bool loop_start(const struct loop_kind *kind, const struct loop_run *run, struct text *why);

/* False: a task does not end. */
bool loop_stop(void);

/* The file NAME.c of a measurement has NAME_loop. */
#define LOOP(name) extern const struct loop_kind name##_loop;
LOOPS(LOOP)
#undef LOOP

/* --- for the loops ------------------------------------------------------------------------------ */

/* The run, and the variant in force. */
extern struct loop_run loop;
extern enum variant loop_variant;

static inline uint64_t loop_ticks(void)
{
    return loop.port->now_ticks();
}

/* No value is to come any more: the count is reached, or STOP was sent. */
bool loop_over(void);

/* Log the one value of the next iteration, and show its end on the pin. */
void loop_value(uint64_t before, uint64_t after, uint32_t flags);

/* The same, and which of the tasks it is of, from 0. */
#define LOOP_ANY_TASK UINT32_MAX
void loop_value_of(uint32_t task, uint64_t before, uint64_t after, uint32_t flags);

/* The same in parts, by the one task that logs: count the iteration, log its values, show its end. */
void loop_iteration(void);
void loop_part(uint64_t before, uint64_t after, uint32_t flags);
void loop_show(void);

/* Iterations that gave no value. */
void loop_without_values(uint64_t count);

/* Count an iteration that failed, and log from when to when it went on. */
void loop_failure(uint64_t before, uint64_t after);

/* A call of the system failed: the measurement ends here, and STOP says so. */
void loop_failed(void);

/* So many ns in whole ticks, at the counter's nominal rate. */
uint64_t loop_ticks_of(uint64_t ns);

/* Be busy until so many ticks after `start`; returns the last reading, of one at least. */
uint64_t loop_spin(uint64_t start, uint64_t ticks);

/* Be busy for as long as the options ask for before a step that is measured. */
void loop_be_busy(void);

/* The priority of a task that the others, at the options' priority, preempt. */
int32_t loop_priority_below(void);

#endif
