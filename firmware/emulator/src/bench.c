/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "events.h"
#include "fault.h"
#include "timer1.h"

static void bench_log(struct bench *bench, uint64_t cycle, char line, uint8_t level)
{
    if (bench->edge_log != NULL)
        fprintf(bench->edge_log, "%" PRIu64 " %c %d\n", cycle, line, level);
}

static void bench_note(struct bench *bench, uint64_t time, enum bench_line line, uint8_t level)
{
    if (bench->edge_count < BENCH_EDGES_MAX)
        bench->edges[bench->edge_count++] =
            (struct bench_edge){.time = time, .line = (uint8_t)line, .level = level};
}

/* Returns false if the partner has to be asked for the answer. */
static bool bench_answer(struct bench *bench, uint64_t cycle, uint8_t level)
{
    struct answer answer;

    if (!answers_given(&bench->answers) || level != bench->answers.interrupt_level)
        return true;
    if (!answers_take(&bench->answers, cycle, &answer))
        return false;
    response_pin_add(&bench->response, answer.cycle, answer.level);
    bench_note(bench, answer.time_ps, BENCH_ANSWER, answer.level);
    return true;
}

static void bench_stimulus_edge(void *context, uint64_t cycle, uint8_t level)
{
    struct bench *bench = context;

    bench_log(bench, cycle, 'S', level);
    if (bench->echo_cycles > 0)
        response_pin_add(&bench->response, cycle + bench->echo_cycles, level);
    bench_note(bench, cycle, BENCH_STIMULUS, level);
    const bool known = bench_answer(bench, cycle, level);
    const bool full = bench->edge_count + 2 > BENCH_EDGES_MAX; /* an edge, and its answer */
    if (!known || bench->stop_at_level[level] || full) {
        bench->stopped_at_edge = true;
        mcu_stop(&bench->mcu);
    }
}

static void bench_response_edge(void *context, uint64_t cycle, uint8_t level)
{
    bench_log(context, cycle, 'R', level);
}

int bench_open(struct bench *bench, const char *chip, uint32_t clock_hz, const char *firmware,
               const char *edge_log)
{
    memset(bench, 0, sizeof *bench);
    bench->serial.master = -1;
    bench->serial.slave = -1;
    bench->partner = -1;
    if (!mcu_open(&bench->mcu, chip, clock_hz, firmware))
        return EXIT_BAD_INPUT;
    answers_open(&bench->answers, clock_hz);
    if (edge_log != NULL) {
        bench->edge_log = fopen(edge_log, "w");
        if (bench->edge_log == NULL) {
            fault_say("%s: %s; give a file that can be written with --edge-log", edge_log,
                      strerror(errno));
            return EXIT_BAD_INPUT;
        }
    }
    timer1_open(&bench->mcu);
    stimulus_pin_open(&bench->stimulus, &bench->mcu, bench_stimulus_edge, bench);
    response_pin_open(&bench->response, &bench->mcu, bench_response_edge, bench);
    return serial_open(&bench->serial, &bench->mcu) ? EXIT_CLEAN : EXIT_FAULT;
}

void bench_close(struct bench *bench)
{
    serial_close(&bench->serial);
    if (bench->edge_log != NULL)
        fclose(bench->edge_log);
    mcu_close(&bench->mcu);
}

bool bench_run(struct bench *bench, uint64_t until_cycle)
{
    const uint64_t slice_end = mcu_cycle(&bench->mcu) + BENCH_SLICE_CYCLES;

    bench->stopped_at_edge = false;
    const bool alive = mcu_run(&bench->mcu, until_cycle < slice_end ? until_cycle : slice_end);
    serial_flush(&bench->serial);
    return alive;
}

short bench_wait(struct bench *bench, short partner_events, int64_t timeout_ns)
{
    struct pollfd files[2] = {
        serial_interest(&bench->serial),
        {.fd = bench->partner, .events = partner_events},
    };

    events_wait(files, 2, timeout_ns);
    serial_serve(&bench->serial, files[0].revents);
    if (files[1].revents & (POLLHUP | POLLERR | POLLNVAL))
        events_end();
    return files[1].revents;
}

void bench_serve(struct bench *bench)
{
    do {
        bench_wait(bench, 0, serial_blocked(&bench->serial) ? -1 : 0);
    } while (serial_blocked(&bench->serial) && !events_ending());
}
