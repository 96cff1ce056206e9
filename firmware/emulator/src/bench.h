/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The chip with everything that is plugged into it. */
#ifndef RIG_EMULATOR_BENCH_H
#define RIG_EMULATOR_BENCH_H

#include <stdio.h>

#include "answers.h"
#include "mcu.h"
#include "response_pin.h"
#include "serial.h"
#include "stimulus_pin.h"

enum {
    BENCH_EDGES_MAX = 4096, /* stimulus edges and answers kept for the next report */
    BENCH_SLICE_CYCLES = 16000, /* virtual time between two looks at the serial port */
};

enum bench_line { BENCH_STIMULUS = 0, BENCH_ANSWER = 1 };

struct bench_edge {
    uint64_t time; /* cycle of a stimulus edge, true time in ps of an answer */
    uint8_t line; /* an enum bench_line */
    uint8_t level;
};

struct bench {
    struct mcu mcu;
    struct serial serial;
    struct stimulus_pin stimulus;
    struct response_pin response;
    int partner; /* socket whose end ends the program, -1 for none */
    FILE *edge_log; /* may be NULL */
    uint64_t echo_cycles; /* each stimulus edge comes back as a response after these; 0 for never */

    struct answers answers; /* decided by the partner ahead */
    bool stop_at_level[2]; /* leave bench_run at a stimulus edge to this level */
    bool stopped_at_edge;
    struct bench_edge edges[BENCH_EDGES_MAX];
    size_t edge_count;
};

/* Returns an exit status of fault.h; EXIT_CLEAN if the chip is ready to run. */
int bench_open(struct bench *bench, const char *chip, uint32_t clock_hz, const char *firmware,
               const char *edge_log);
void bench_close(struct bench *bench);

/* Runs for one slice at most, as mcu_run does, and hands over what the firmware sent. Returns false
 * after saying how the firmware died. */
bool bench_run(struct bench *bench, uint64_t until_cycle);

/* Waits for the serial port, the partner's `partner_events` or the time, and serves the port.
 * Returns what the partner is ready for. */
short bench_wait(struct bench *bench, short partner_events, int64_t timeout_ns);

/* Looks at the serial port, and waits there for as long as the host does not read. */
void bench_serve(struct bench *bench);

#endif
