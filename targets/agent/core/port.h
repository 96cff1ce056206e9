/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The port layer: all that the core asks of an operating system and its pins. One file fills in one
 * `struct port`; targets/PORTING.md is the guide. A function that a port lacks is NULL, and the core
 * refuses what would need it.
 *
 * The measuring tasks call only wait_interrupt, interrupt_age, timer_wait, write_pins, write_trigger, stopping and
 * the recorder's trigger and look. These must not allocate, print, or make any system call but the
 * one that is measured.
 */
#ifndef CORE_PORT_H
#define CORE_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arm.h"
#include "json.h"
#include "record.h"
#include "text.h"

/* Ticks of the cycle counter around a pin write: the write lies between them, whatever the
 * processor reorders. */
struct ticks {
    uint64_t before, after;
};

enum port_event {
    PORT_DUE,     /* what was waited for has happened */
    PORT_STOPPED, /* stop_tasks() was called */
    PORT_FAILED,  /* the device is gone; the measurement ends here, and STOP says so */
};

/* What a schedule says when it wakes the task. */
struct timer_wake {
    uint64_t periods;    /* since the last call: 1, or more if some were missed */
    bool overrun_before; /* the last answer ended after this period, or one before it, was due */
};

struct port_counter {
    const char *name;        /* "tsc" */
    const char *rate_source; /* where tick_hz is from; both are words without blanks */
    uint64_t tick_hz;        /* nominal; the host fits the true rate */
    bool invariant;          /* same rate at every frequency and in every sleep state */
};

struct recorder_summary {
    uint64_t handled, records, dropped;
    uint64_t throttled; /* times that it closed the interrupt's line so that others could run */
};

/*
 * A handler elsewhere, in a kernel module, that answers and logs by itself with the same counter.
 * It is armed between attach() and detach().
 */
struct port_recorder {
    uint32_t measurements; /* bit 1 << enum measurement for each it can do */
    uint64_t capacity_max; /* records of its log */
    /* What arm() would refuse of these words, whatever else is so; NULL: nothing. */
    bool (*check)(const struct arm_options *options, struct text *why);
    bool (*arm)(const struct arm_options *options, struct text *why);
    bool (*stop)(struct recorder_summary *summary, struct text *why);
    /* Exactly `count` records from `first`; false if they cannot be read. */
    bool (*read)(uint64_t first, uint32_t count, struct log_record *records);
    /* While armed with `stream`: records before `first`, all logged, make room for others; returns
     * how many were logged. NULL: its log cannot be read while it is written. */
    uint64_t (*release)(uint64_t first);
    void (*trigger)(void); /* make an interrupt, and log it there */
    /* Dispatch: the task that is to be interrupted calls this again and again. */
    void (*look)(void);
};

/* What a load is and does to the system. Ticks are since boot, of all processors together. */
struct load_state {
    const char *name; /* "idle" if none was started */
    const char *program; /* what it is made with, and its version, "" if that is not known */
    const char *version;
    uint32_t workers, alive;
    int exit_code; /* 128 and more: of a signal; -1: it has not ended */
    uint64_t busy_ticks, total_ticks;
    const char *cpus; /* on which it may run, "" if that is not known */
    bool tells_ticks;
    uint64_t load_ticks; /* that the load's own processes have used, if it tells them */
    uint64_t average_permille; /* the system's load average over a minute */
    uint32_t tasks;            /* periodic ones that it has, and tells of */
};

/* What a periodic task of a load has done so far. */
struct load_task {
    uint64_t period_ns, work_ns, priority;
    uint64_t starts;
    uint64_t overruns; /* starts that were done when the next was already due */
    uint64_t late_ns, late_max_ns; /* from due to start: of all together, and the longest */
};

#define LOAD_WORDS_MAX 32u

/* Loads for the system under test. They end when the agent does, however it ends. */
struct port_loads {
    const char *names; /* with commas between */
    const char *(*program)(void); /* the usual ones are made with it */
    bool (*start)(const char *name, struct text *why); /* ends the one before */
    /* On which processors the next load runs, such as 0,2-3, until stop(); NULL: it runs anywhere. */
    bool (*place)(const char *cpus, struct text *why);
    /* A command that the host names, its words ended by NULL. Whoever starts the agent must have
     * allowed it. */
    bool (*allows_commands)(void);
    bool (*run)(const char *name, char *const *words, struct text *why);
    void (*stop)(void);
    void (*look)(struct load_state *state);
    /* A task of the load that was started last, from 0; NULL: no load has any. */
    bool (*look_at_task)(uint32_t number, struct load_task *task);
};

/* What a tool of the system is told. 0: not given; a processor: -1. */
struct tool_options {
    uint32_t duration_s;
    uint32_t period_us, priority; /* of a task that is woken */
    int32_t cpu;
    uint32_t all_cpus;                          /* 1: on each processor at once */
    uint32_t histogram_us;                      /* where the histogram that it keeps ends */
    uint32_t window_us, width_us, threshold_us; /* of a tracer that looks for gaps */
};

struct tool_state {
    const char *name; /* "none" if none was started */
    bool running;
    int exit_code;  /* 128 and more: of a signal; -1: it has not ended */
    uint64_t bytes; /* that it has printed */
};

/* Programs and tracers of the system that measure it. They end when the agent does. */
struct port_tools {
    /* Each of them and a word: `ready`, or what is missing. */
    void (*list)(struct text *rest);
    bool (*start)(const char *name, const struct tool_options *options, struct text *why);
    /* Ends it in order, so that the system is as before; what it has printed stays. */
    void (*stop)(void);
    void (*look)(struct tool_state *state);
    /* What it has printed, from byte `at` on; how much there was. */
    size_t (*read)(uint64_t at, void *bytes, size_t count);
};

/* What a processor's frequency is and may be, in kHz. Lists have commas between, "" if not told. */
struct frequency_state {
    uint64_t minimum_khz, maximum_khz; /* limits, as they are when nothing is held */
    uint64_t held_khz;                 /* 0: it is not held */
    uint64_t current_khz;              /* 0: not told */
    const char *governor, *governors;
    const char *steps_khz; /* the only frequencies that it can have */
};

/* A processor's frequency at the begin and the end of a measurement. */
struct frequency_course {
    uint32_t cpu;
    uint64_t first_khz, last_khz;
    uint64_t changes; /* in between; UINT64_MAX: not told */
};

/* What held the processor up that was held up most; UINT64_MAX: not told. */
struct disturbances {
    uint64_t smis;      /* interrupts of the firmware, system management interrupts */
    uint64_t throttles; /* slowed clocks, because of heat */
};

struct port_disturbances {
    void (*watch)(void);
    void (*watched)(struct disturbances *most); /* since watch() */
};

/*
 * The processor's frequency, held for one measurement. What was there before must come back on
 * release(), and also when the agent is killed.
 */
struct port_frequency {
    bool (*look)(uint32_t cpu, struct frequency_state *state, struct text *why);
    /* Within the limits, else refused. Gives back first what is held of another processor. */
    bool (*hold)(uint32_t cpu, uint64_t khz, struct text *why);
    /* True if nothing is held any more. False: the next call tries again. */
    bool (*release)(struct text *why);
    /* Begin to watch this processor; -1: all of them. */
    void (*watch)(int32_t cpu);
    /* Of that one, or of the one that has changed most. False: no frequency is told. */
    bool (*watched)(struct frequency_course *course);
};

/*
 * Where the interrupt of the pins is handled, and the priority of its threads, for one measurement.
 * What was there before must come back on release(), and also when the agent is killed.
 */
struct port_interrupt {
    /* The port is attached, and its handler is there. */
    bool (*hold)(int32_t number, const struct arm_options *options, struct text *why);
    /* True if nothing is held any more. */
    bool (*release)(struct text *why);
    /* How the system had what was held last, as fields. */
    void (*tell)(struct text *rest);
};

/*
 * What measurements inside the target ask of a system: the calls that are measured. Those of the
 * lower part are made while measuring. A variant whose bit is not set is refused.
 */
struct port_inside {
    uint32_t measurements; /* bit 1 << enum measurement */
    uint64_t variants;     /* VARIANT_BIT of each */
    bool processes;        /* tasks can be processes */

    /* Make what the variant needs, and give it back. */
    bool (*begin)(const struct arm_options *options, struct text *why);
    void (*end)(void);
    /* Run `body` as so many tasks on one CPU, -1: any one. They begin together, after each has done
     * with `prepare`, if that is not NULL, and has the policy of the options that begin() got. As
     * processes, if the options said so, they share what core/shared.h marks, and memory of take(). */
    bool (*start_crew)(void (*prepare)(uint32_t number), void (*body)(uint32_t number), uint32_t count,
                       int32_t (*priority)(uint32_t number), int32_t cpu, struct text *why);
    /* False: one does not end. */
    bool (*stop_crew)(void);
    /* Wait so long for the end of all tasks. True: they have ended, or none were started. */
    bool (*await_crew)(uint32_t timeout_ms);

    bool (*stopping)(void);
    void (*yield)(void);
    void (*lock)(uint32_t mutex); /* one of INSIDE_MUTEXES, of the variant's kind and protocol */
    void (*unlock)(uint32_t mutex);
    bool (*release)(uint32_t number); /* let a task of the crew go on once */
    bool (*await_release)(uint32_t number); /* as that task; false: told to stop */
    bool (*wake)(void);     /* the one task that waits, by the variant's means */
    /* False: that means is gone. Ticks when the woken task ran first, in its handler if it has one. */
    bool (*wait)(uint64_t *ran);
    uint64_t (*clock_ns)(enum variant clock);
    enum port_event (*sleep_until)(uint64_t monotonic_ns);
    enum port_event (*sleep_for)(uint64_t ns);
    /* Make a process or thread; ticks just before, and when it first ran. It has ended then. */
    bool (*create)(struct ticks *around);
    /* The next expiry of an interval timer that the first call starts. */
    enum port_event (*timer_wait)(uint64_t period_ns);
    /* So many iterations of a loop that takes the same time each, and gives way to nobody. */
    void (*work)(uint64_t iterations);
    /* One call of a service; ticks just before and after it. */
    bool (*serve)(struct ticks *around);
};
#define INSIDE_MUTEXES 3u
#define INSIDE_RELEASES 3u /* tasks that are released */

struct port {
    const char *name;
    uint32_t measurements;   /* bit 1 << enum measurement for each the port's own tasks can do */
    uint8_t sequence_bits;   /* pins beside the response pin that change with it */
    struct port_counter counter;

    /* --- the pins. `pins` has the response in bit 0, sequence bit n in bit n + 1; all change in one
     * write where the hardware can. */

    /* Take the interrupt line and the pins as the options say. No level changes but to leave an
     * undefined state. Interrupts count from here. */
    bool (*attach)(const struct arm_options *options, struct text *why);
    void (*detach)(void);
    /* Wait for an interrupt; `interrupts` gets how many came since the last call, at least 1. */
    enum port_event (*wait_interrupt)(uint64_t *interrupts);
    /* How long ago the kernel's handler was entered for the last interrupt that wait_interrupt
     * counted, at most a second; `now_ticks`: at which reading of the cycle counter that is told.
     * False: not known. NULL: the system does not tell. */
    bool (*interrupt_age)(uint64_t *ns, uint64_t *now_ticks);
    /* The number by which the system knows the interrupt, once attached; below 0, or NULL: not known. */
    int32_t (*interrupt_number)(void);
    void (*write_pins)(uint32_t pins, struct ticks *around);
    /* Read the pins back, whatever they are; NULL: they cannot be read. False: they are gone. */
    bool (*read_pins)(struct ticks *around);
    /* Make an interrupt: a pulse on the pin that is wired to the interrupt line. True if another
     * task wrote the pins meanwhile. */
    bool (*write_trigger)(struct ticks *around);

    /* Take and give back the pins for pulses; NULL: attach and detach do. */
    bool (*take_pins)(const struct arm_options *options, struct text *why);
    void (*give_pins)(void);
    /* The counter, for a reading that brackets nothing. Without it the pins cannot be pulsed. */
    uint64_t (*now_ticks)(void);

    /* --- the schedule, waited for by one task */

    bool (*timer_start)(enum timer timer, uint64_t period_ns, struct text *why);
    /* The k-th wake is due k periods after the first call, not one period after the last wake. */
    enum port_event (*timer_wait)(struct timer_wake *wake);
    void (*timer_stop)(void);

    /* --- tasks and memory */

    /* Run `body` as a task; at most two at a time. Refused if the priority or CPU cannot be had. */
    bool (*start_task)(void (*body)(void), int32_t priority, int32_t cpu, struct text *why);
    /* The policy of the next task of a period, as the options say; NULL: there is one only. */
    void (*set_policy)(const struct arm_options *options);
    /* The policy by which the task started last found itself running, by the system; NULL: not known. */
    const char *(*policy)(void);
    /* Make waiting calls return PORT_STOPPED and wait for the tasks' end. False: one does not end. */
    bool (*stop_tasks)(void);
    bool (*stopping)(void);
    /* By the task that answers interrupts, at its start and after each few answers: if it has hardly
     * had to wait lately it leaves the system some time. True: it did. NULL: nobody else needs it. */
    void (*breathe_begin)(void);
    bool (*breathe)(void);
    /* Bytes that programs can have; NULL: not known. */
    uint64_t (*memory_available)(void);
    /* Memory that is touched and locked. */
    void *(*take)(size_t bytes, struct text *why);
    void (*give_back)(void *memory, size_t bytes);

    /* --- the rest */

    void (*environment)(struct json *json); /* kernel, clock source, governor and so on */
    const struct port_recorder *recorder;   /* NULL: none */
    const struct port_inside *inside;       /* NULL: none */
    const struct port_loads *loads;         /* NULL: none can be started */
    const struct port_frequency *frequency; /* NULL: it cannot be held */
    const struct port_disturbances *disturbances; /* NULL: not told */
    const struct port_interrupt *interrupt; /* NULL: it stays as it is */
    const struct port_tools *tools;         /* NULL: none can be started */
};

#endif
