/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz SEED COUNT: lines of the protocol, whole, cut, mixed and with bytes changed, to a session on a
 * scripted port. Every line must be answered by one line or block, and nothing may be left behind;
 * the sanitizers watch the rest.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../core/measure.h"
#include "../core/pulse.h"
#include "fake_port.h"

#define PIECE_MAX 1600

static uint64_t random_state;

static uint32_t random_below(uint32_t bound)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(random_state >> 33) % bound;
}

static size_t add_word(char *line, size_t used)
{
    static const char *const words[] = {
        "HELLO", "ENV", "ARM ", "STOP", "LOG ", "measurement=", "interrupt", "interrupt_to_task",
        "period", "capacity=", "sequence_bits=", "sequence_pins=", "1,2,3", "period_ns=1000000",
        "timer=", "itimer", "self_trigger=1", "count=", "edge=falling", "0", "1", "7", "65536",
        "4294967296", "18446744073709551615", "99999999999999999999999", " ", " ", "=", "-1", "\r",
        "ARM measurement=interrupt_to_task capacity=3 ", "stream=1",
        "CHECK measurement=period capacity=9 ", "ARM measurement=period capacity=2 ",
        "ARM measurement=task_switch capacity=2 count=3 ", "variant=", "mutex", "yield", "tasks=4",
        "ARM measurement=preemption capacity=9 count=2 ", "pin=1", "AWAIT ", "work_ns=",
        "ARM measurement=timer capacity=4 period_ns=10000 count=2 ",
        "ARM measurement=start_finish capacity=4 period_ns=10000 count=2 ",
        "ARM measurement=periodic_tasks capacity=4 periodic=10000:5:80,20000:5:79 count=2 ",
        "PULSE signal=response ", "PULSE signal=sequence", "width_us=",
        "FREQUENCY ", "FREQUENCY HOLD cpu=0 ", "STATE ", "RELEASE", "cpu=0", "khz=", "khz=800000"};
    const char *word = words[random_below(sizeof words / sizeof *words)];
    size_t size = strlen(word);
    memcpy(line + used, word, size);
    return used + size;
}

static size_t make_line(char *line)
{
    size_t used = 0;
    for (uint32_t left = random_below(9); left-- > 0;)
        used = add_word(line, used);
    if (random_below(20) == 0) { /* near and over the limit */
        size_t size = 400 + random_below(400);
        memset(line + used, random_below(2) ? ' ' : '7', size);
        used += size;
    }
    for (uint32_t left = random_below(4) ? 0 : 3; left-- > 0 && used;)
        line[random_below((uint32_t)used)] = (char)(1 + random_below(255));
    line[used] = '\0';
    return used;
}

static unsigned lines_in(const char *text)
{
    unsigned count = 0;
    for (; (text = strchr(text, '\n')); text++)
        count++;
    return count;
}

/* Answers are one line each; behind OK LENGTH come that many bytes more. */
static unsigned answers_in(const char *at, const char *end)
{
    unsigned count = 0;
    while (at < end) {
        if (strncmp(at, "OK", 2) != 0 && strncmp(at, "ERR ", 4) != 0)
            return 0;
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        if (!newline || newline - at > 512)
            return 0;
        char *after = NULL;
        size_t length = strtoul(at + 2, &after, 10);
        at = newline + 1 + (*at == 'O' && after == newline ? length : 0);
        count++;
    }
    return at == end ? count : 0;
}

/* --- a processor ---------------------------------------------------------------------------------- */

static uint64_t held_khz;

static bool look(uint32_t cpu, struct frequency_state *state, struct text *why)
{
    (void)why;
    state->minimum_khz = state->maximum_khz = 800000 + cpu;
    state->held_khz = held_khz;
    return true;
}

static bool hold(uint32_t cpu, uint64_t khz, struct text *why)
{
    (void)cpu;
    (void)why;
    held_khz = khz;
    return true;
}

static bool release(struct text *why)
{
    (void)why;
    held_khz = 0;
    return true;
}

static void watch(int32_t cpu)
{
    (void)cpu;
}

static bool watched(struct frequency_course *course)
{
    *course = (struct frequency_course){0, 800000, 900000, 2};
    return true;
}

static const struct port_frequency processor = {look, hold, release, watch, watched};

/* -------------------------------------------------------------------------------------------------- */

static void script(void)
{
    fake.script_size = 0;
    for (uint32_t left = random_below(8); left-- > 0;)
        fake_wait(random_below(9) ? PORT_DUE : PORT_FAILED, 1 + random_below(3));
    fake.writes_size = 0;
}

static int complain(const char *what, const char *line)
{
    fprintf(stderr, "%s\nsent: %s\nanswer: %s\n", what, line, fake_output);
    return 1;
}

int main(int count, char **words)
{
    char line[PIECE_MAX + 2];
    if (count != 3)
        return 2;
    random_state = strtoull(words[1], NULL, 0);
    unsigned long armed = 0;
    fake_begin();
    fake_add_inside();
    fake.port.frequency = &processor;
    for (unsigned long left = strtoul(words[2], NULL, 0); left-- > 0;) {
        size_t size = make_line(line);
        strcpy(line + size, "\n");
        fake.writes_size = 0;
        fake_ask(line);
        if (answers_in(fake_output, fake_output + fake_output_size) != lines_in(line))
            return complain("not one answer a line", line);
        if (measure_armed()) {
            armed++;
            script();
            fake_run();
        }
    }
    pulse_release();
    measure_reset();
    if (fake.blocks || fake.attached)
        return complain("something is left", line);
    printf("armed %lu times\n", armed);
    return 0;
}
