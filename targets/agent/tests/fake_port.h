/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A port whose counter, pins and interrupts are a test's script; nothing of it depends on time. */
#ifndef TESTS_FAKE_PORT_H
#define TESTS_FAKE_PORT_H

#include "../core/port.h"

#define FAKE_WRITES_MAX 4096
#define FAKE_CREW_MAX 16
#define FAKE_SCRIPT_MAX 64
#define FAKE_OUTPUT_SIZE (8u << 20)

/* What a wait for an interrupt or a period returns, one after the other; then PORT_STOPPED. */
struct fake_wait {
    enum port_event event;
    uint64_t count;
    bool overrun_before;
};

struct fake_port {
    struct port port;
    struct fake_wait script[FAKE_SCRIPT_MAX];
    size_t script_size;
    uint64_t ticks;                   /* goes on by 10 with each reading */
    uint32_t writes[FAKE_WRITES_MAX]; /* the pins, each time they were written */
    size_t writes_size;
    size_t triggers;
    int attached;            /* attach minus detach */
    int timers;              /* timer_start minus timer_stop */
    size_t tasks;            /* started and not stopped */
    int32_t priorities[2];
    int blocks;              /* taken and not given back */
    bool refuse_attach, refuse_timer, refuse_memory, refuse_second_task, hang;
    /* The recorder's own. */
    bool recorder_refuses_arm, recorder_armed;
    struct recorder_summary recorder_summary;
    bool recorder_loses_log;
    uint64_t recorder_released;
    size_t looks;
    /* Of measurements inside. */
    uint32_t crew;        /* tasks started and not stopped */
    int32_t crew_priorities[FAKE_CREW_MAX];
    int begun;            /* begin minus end */
    uint64_t looks_inside; /* at stopping(); true after so many */
    bool refuse_begin, refuse_crew, calls_fail, variants_few;
    uint64_t sleeps;      /* calls of timer_wait() */
    uint64_t sleeps_for;  /* calls of sleep_for() */
    uint64_t timer_late_ns; /* the third of them ends so late */
    uint64_t works;       /* calls of work() */
    uint64_t interrupted_work, interruption_ticks; /* that one, from 0, takes so much longer */
    bool woken_late;      /* a woken task does not preempt */
    bool yield_stays;     /* who yields goes on itself */
    bool preempts_before; /* a timer wakes a task before a reading of the counter, not behind it */
    uint64_t oversleeps;  /* ticks that each sleep is longer, */
    uint64_t oversleeps_once; /* or the next one */
    uint64_t behind_once; /* ticks that the counter of the first task shows too little, one time */
};

extern struct fake_port fake;

/* Afresh: a port that can do all but what needs a recorder. */
void fake_begin(void);

/* Give it a recorder that can do these measurements. */
void fake_add_recorder(uint32_t measurements);

/* Let it measure inside; tests/fake_inside.c. */
void fake_add_inside(void);
void fake_run_crew(void);
uint64_t fake_reading(void);

/* Append to the script. */
void fake_wait(enum port_event event, uint64_t count);

/* Run the tasks that were started, the trigger's first, each to its end. */
void fake_run(void);

/* --- a host -------------------------------------------------------------------------------------- */

/* Send these bytes to a session; what it answers, as text with a zero byte behind. */
const char *fake_ask(const char *bytes);
/* The host is gone, and the next one comes. */
void fake_hang_up(void);
extern char fake_output[FAKE_OUTPUT_SIZE];
extern size_t fake_output_size;

#endif
