/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words of ARM: what to measure and how. */
#ifndef CORE_ARM_H
#define CORE_ARM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loops.h"
#include "text.h"

#define CAPACITY_MAX 100000000u
#define PERIOD_NS_MIN 10000u
#define SLEEP_NS_MIN 1000u
#define PERIOD_NS_MAX 100000000000u
#define SEQUENCE_BITS_MAX 7
#define PRIORITY_DEFAULT 80
#define PIN_NONE 0xffff
#define CREW_MAX 512
#define PERIODIC_MAX 16
#define WORK_NS_MAX 1000000000u
#define PAUSE_NS_MAX 1000000000u
#define WAIT_NS_MAX 1000000000u
#define BUSY_NS_MAX 1000000000u
#define BATCH_MAX 1000000u
#define WARM_UP_MAX 1000000u
#define TIMEOUT_NS_MAX 10000000000u
#define TIMEOUT_NS_DEFAULT 1000000000u
#define SECTION_NS_MAX WORK_NS_MAX
#define THRESHOLD_NS_MAX 10000000000u
#define DURATION_NS_MAX 1000000000000000u
#define RUNTIME_NS_MIN 1024u /* the shortest that Linux takes */

enum measurement {
    MEASURE_INTERRUPT,          /* a handler in the kernel answers */
    MEASURE_INTERRUPT_TO_TASK,  /* a task that waits for the interrupt answers */
    MEASURE_INTERRUPT_DISPATCH, /* from the handler's end to the task it interrupted */
    MEASURE_PERIOD,             /* a task answers each period */
    MEASURE_LOOPS,              /* the first of those inside the target, by ticks */
    MEASURE_BEFORE_LOOPS = MEASURE_LOOPS - 1,
/* LOOPS(X) is X(name) for each file of core/loops that is a measurement; the Makefile writes it. */
#define LOOP(name) MEASURE_LOOP_##name,
    LOOPS(LOOP)
#undef LOOP
    MEASUREMENTS_COUNT,
};
#define MEASURE_ALL_LOOPS (((1u << MEASUREMENTS_COUNT) - 1) & ~((1u << MEASURE_LOOPS) - 1))

/* What of a measurement inside the target is measured. */
enum variant {
    VARIANT_YIELD,
    VARIANT_MUTEX,
    VARIANT_COUNTER,
    VARIANT_MONOTONIC,
    VARIANT_MONOTONIC_RAW,
    VARIANT_REALTIME,
    VARIANT_BOOTTIME,
    VARIANT_COARSE,
    VARIANT_SIGNAL,
    VARIANT_SEMAPHORE,
    VARIANT_FUTEX,
    VARIANT_EVENTFD,
    VARIANT_PIPE,
    VARIANT_ABSOLUTE,
    VARIANT_RELATIVE,
    VARIANT_PERIODIC,
    VARIANT_ITIMER,
    VARIANT_FORK,
    VARIANT_THREAD,
    VARIANT_PIPE_WRITE,
    VARIANT_PIPE_READ,
    VARIANT_SHARED_MEMORY,
    VARIANT_PORT_WRITE,
    VARIANT_PORT_READ,
    VARIANT_TASK,
    VARIANT_TIMER,
    VARIANT_HANDLER,
    VARIANT_FORK_FIRST,
    VARIANT_MEMORY_WRITE,
    VARIANT_MEMORY_READ,
    VARIANT_MUTEX_LOCK,
    VARIANT_MUTEX_UNLOCK,
    VARIANT_SEMAPHORE_POST,
    VARIANT_SEMAPHORE_WAIT,
    VARIANT_QUEUE_SEND,
    VARIANT_QUEUE_RECEIVE,
    VARIANT_CLOCK_GETTIME,
    VARIANT_SYSTEM_CALL,
    VARIANT_IOCTL,
    VARIANT_NONE,
    VARIANT_INHERITANCE,
    VARIANT_CEILING,
    VARIANTS_COUNT
};

/* Of a set of variants. */
#define VARIANT_BIT(variant) ((uint64_t)1 << (variant))

enum edge { EDGE_RISING, EDGE_FALLING };
enum timer { TIMER_NANOSLEEP, TIMER_ITIMER, TIMER_TIMERFD };
enum policy { POLICY_FIFO, POLICY_RR, POLICY_OTHER, POLICY_DEADLINE };
enum second_level { SECOND_LEVEL_THREAD, SECOND_LEVEL_WORKQUEUE, SECOND_LEVEL_TASKLET };
enum tasks_as { TASKS_AS_THREADS, TASKS_AS_PROCESSES };
enum handler { HANDLER_PARPORT, HANDLER_HARD, HANDLER_DEFAULT };

/* Words given, as bits: a port refuses what it cannot do only if it was asked for. */
#define GIVEN_SECOND_LEVEL 0x01u
#define GIVEN_HANDLER 0x02u
#define GIVEN_RESPONSE_PIN 0x04u
#define GIVEN_SEQUENCE_PINS 0x08u
#define GIVEN_PRIORITY 0x10u
#define GIVEN_TIMER 0x20u
#define GIVEN_VARIANT 0x40u
#define GIVEN_TASKS 0x80u
#define GIVEN_PIN 0x100u
#define GIVEN_WORK 0x200u
#define GIVEN_PAUSE 0x400u
#define GIVEN_THRESHOLD 0x800u
#define GIVEN_WAIT 0x1000u
#define GIVEN_LOW_PRIORITY 0x2000u
#define GIVEN_TIMEOUT 0x4000u
#define GIVEN_SECTION 0x8000u
#define GIVEN_BUSY 0x10000u
#define GIVEN_BATCH 0x20000u
#define GIVEN_WARM_UP 0x40000u
#define GIVEN_GAPS 0x80000u
#define GIVEN_DURATION 0x100000u
#define GIVEN_PERIODIC 0x200000u
#define GIVEN_SEARCH 0x400000u
#define GIVEN_TASKS_AS 0x800000u
#define GIVEN_POLICY 0x1000000u
#define GIVEN_RUNTIME 0x2000000u
#define GIVEN_INTERRUPT 0x4000000u
/* Those of some measurements inside the target; each loop says which it takes. */
#define GIVEN_OF_LOOPS                                                                              \
    (GIVEN_TASKS | GIVEN_WORK | GIVEN_PAUSE | GIVEN_THRESHOLD | GIVEN_WAIT | GIVEN_LOW_PRIORITY |   \
     GIVEN_TIMEOUT | GIVEN_SECTION | GIVEN_BUSY | GIVEN_BATCH | GIVEN_WARM_UP | GIVEN_GAPS | \
     GIVEN_DURATION | GIVEN_PERIODIC | GIVEN_SEARCH | GIVEN_TASKS_AS)
#define GIVEN_INSIDE (GIVEN_OF_LOOPS | GIVEN_VARIANT | GIVEN_PIN)

/* One of several periodic tasks. */
struct periodic_options {
    uint64_t period_ns, work_ns;
    int32_t priority;
    uint64_t runtime_ns; /* 0: none given */
};

struct arm_options {
    enum measurement measurement;
    uint64_t capacity; /* records the log must hold */
    bool stream;       /* and those that the host has read make room for others */
    uint8_t sequence_bits;
    enum edge edge;
    uint64_t period_ns; /* 0: none given */
    enum timer timer;
    uint64_t count; /* answers after which it ends by itself; 0: until STOP */
    int32_t priority; /* of the real-time policy; 0: the ordinary one */
    enum policy policy; /* of periodic tasks, and of those inside the target */
    uint64_t runtime_ns; /* by POLICY_DEADLINE: that the task may run in each period */
    int32_t cpu;      /* -1: any */
    int32_t interrupt_cpu;      /* that handles the interrupt; -1: where the system has it */
    int32_t interrupt_priority; /* of the interrupt's threads; 0: as the system has it */
    bool self_trigger;
    enum second_level second_level;
    enum handler handler;
    uint16_t response_pin;
    uint16_t sequence_pins[SEQUENCE_BITS_MAX];
    uint16_t trigger_pin;
    uint16_t interrupt_pin;
    enum variant variant; /* VARIANTS_COUNT: none given */
    uint16_t tasks;       /* that switch; 0: none given */
    enum tasks_as tasks_as;
    bool pin;             /* toggle the response pin at the end of each value */
    uint64_t work_ns;     /* from a periodic task's start to its finish; of the middle task */
    uint64_t section_ns;  /* that the low task holds the mutex */
    uint64_t pause_ns;    /* between two toggles of a spinning task, or two iterations */
    uint64_t threshold_ns; /* and what is longer between two of them is a gap */
    uint64_t wait_ns;     /* that a woken task is busy before it waits again */
    int32_t low_priority; /* of the task that is preempted */
    uint64_t timeout_ns;  /* of one iteration */
    uint64_t busy_ns;     /* that a task is busy before each step that is measured */
    uint64_t batch;       /* switches that are timed as a whole; 0: each alone */
    uint64_t warm_up;     /* iterations before the first of `count` */
    uint64_t gaps;         /* after which it ends, before the count; 0: none given */
    uint64_t duration_ns;  /* the same of time */
    uint64_t period_stop_ns; /* the shortest period of a search */
    uint64_t resolution_ppm; /* of its limit */
    struct periodic_options periodic[PERIODIC_MAX];
    uint8_t periodic_count;
    uint32_t given;
};

/* Read the words after ARM. False, and why in one sentence, if they make no sense. */
bool arm_parse(const char *words, struct arm_options *options, struct text *why);

const char *measurement_name(enum measurement measurement);
const char *variant_name(enum variant variant);
const char *policy_name(enum policy policy);

/* The name of the first word among those of these bits. */
const char *word_given(uint32_t given);

/* A decimal number and nothing else. */
bool parse_u64(const char *digits, size_t count, uint64_t *number);

#endif
