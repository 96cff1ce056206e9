/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fake_port.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "../core/measure.h"
#include "../core/session.h"

struct fake_port fake;
char fake_output[FAKE_OUTPUT_SIZE];
size_t fake_output_size;

static struct port_recorder recorder;
static void (*bodies[2])(void);
static size_t script_at;
static struct session session;
static char environment[256];

static uint64_t next_ticks(void)
{
    return fake.ticks += 10;
}

static bool refuse(struct text *why, const char *what)
{
    text_say(why, what);
    return false;
}

static bool attach(const struct arm_options *options, struct text *why)
{
    (void)options;
    if (fake.refuse_attach)
        return refuse(why, "no line");
    fake.attached++;
    return true;
}

static void detach(void)
{
    fake.attached--;
}

static struct fake_wait next_wait(void)
{
    if (script_at == fake.script_size)
        return (struct fake_wait){.event = PORT_STOPPED};
    return fake.script[script_at++];
}

static enum port_event wait_interrupt(uint64_t *interrupts)
{
    struct fake_wait wait = next_wait();
    *interrupts = wait.count;
    return wait.event;
}

static enum port_event timer_wait(struct timer_wake *wake)
{
    struct fake_wait wait = next_wait();
    *wake = (struct timer_wake){wait.count, wait.overrun_before};
    return wait.event;
}

static void write_pins(uint32_t pins, struct ticks *around)
{
    assert(fake.writes_size < FAKE_WRITES_MAX);
    around->before = next_ticks();
    fake.writes[fake.writes_size++] = pins;
    around->after = next_ticks();
}

static uint64_t now_ticks(void)
{
    return fake_reading();
}

static bool write_trigger(struct ticks *around)
{
    around->before = next_ticks();
    fake.triggers++;
    around->after = next_ticks();
    return fake.triggers == 2; /* the second one meets an answer */
}

static bool timer_start(enum timer timer, uint64_t period_ns, struct text *why)
{
    (void)timer;
    assert(period_ns > 0);
    if (fake.refuse_timer)
        return refuse(why, "no timer");
    fake.timers++;
    return true;
}

static void timer_stop(void)
{
    fake.timers = 0;
}

static bool start_task(void (*body)(void), int32_t priority, int32_t cpu, struct text *why)
{
    (void)cpu;
    if (fake.refuse_second_task && fake.tasks == 1)
        return refuse(why, "no task");
    fake.priorities[fake.tasks] = priority;
    bodies[fake.tasks++] = body;
    return true;
}

static bool stop_tasks(void)
{
    if (fake.hang)
        return false;
    fake.tasks = 0;
    return true;
}

static bool stopping(void)
{
    return fake.looks >= 3;
}

static uint64_t memory_available(void)
{
    return 8000;
}

static void *take(size_t bytes, struct text *why)
{
    if (fake.refuse_memory) {
        refuse(why, "no memory");
        return NULL;
    }
    fake.blocks++;
    return malloc(bytes);
}

static void give_back(void *memory, size_t bytes)
{
    (void)bytes;
    fake.blocks--;
    free(memory);
}

static void tell_environment(struct json *json)
{
    json_string(json, "system", "fake \"quoted\" \x01\xff\\");
    json_i64(json, "number", -7);
}

/* --- the recorder ------------------------------------------------------------------------------- */

static bool recorder_check(const struct arm_options *options, struct text *why)
{
    return options->capacity <= 100000 || refuse(why, "too long a log");
}

static bool recorder_arm(const struct arm_options *options, struct text *why)
{
    (void)options;
    if (fake.recorder_refuses_arm)
        return refuse(why, "module busy");
    fake.recorder_armed = true;
    return true;
}

static bool recorder_stop(struct recorder_summary *summary, struct text *why)
{
    (void)why;
    fake.recorder_armed = false;
    *summary = fake.recorder_summary;
    return true;
}

static bool recorder_read(uint64_t first, uint32_t count, struct log_record *records)
{
    for (uint32_t i = 0; i < count; i++)
        records[i] = (struct log_record){.sequence = first + i, .handled = first + i + 1};
    return !fake.recorder_loses_log;
}

static uint64_t recorder_release(uint64_t first)
{
    fake.recorder_released = first;
    return fake.recorder_summary.records;
}

static void recorder_trigger(void)
{
    fake.triggers++;
}

static void recorder_look(void)
{
    fake.looks++;
}

/* --- for the tests ------------------------------------------------------------------------------ */

static bool collect(void *stream, const void *bytes, size_t count)
{
    (void)stream;
    if (count > FAKE_OUTPUT_SIZE - 1 - fake_output_size)
        return false;
    memcpy(fake_output + fake_output_size, bytes, count);
    fake_output_size += count;
    fake_output[fake_output_size] = '\0';
    return true;
}

void fake_begin(void)
{
    measure_reset();
    assert(fake.blocks == 0);
    memset(&fake, 0, sizeof fake);
    script_at = 0;
    fake.looks_inside = 500;
    fake.port = (struct port){
        .name = "fake",
        .measurements = 1u << MEASURE_INTERRUPT_TO_TASK | 1u << MEASURE_PERIOD,
        .sequence_bits = 3,
        .counter = {"fake", "script", 1000000000, true},
        .attach = attach,
        .detach = detach,
        .wait_interrupt = wait_interrupt,
        .write_pins = write_pins,
        .now_ticks = now_ticks,
        .write_trigger = write_trigger,
        .timer_start = timer_start,
        .timer_wait = timer_wait,
        .timer_stop = timer_stop,
        .start_task = start_task,
        .stop_tasks = stop_tasks,
        .stopping = stopping,
        .take = take,
        .memory_available = memory_available,
        .give_back = give_back,
        .environment = tell_environment,
    };
    session = (struct session){.port = &fake.port,
                               .send = collect,
                               .environment = environment,
                               .environment_size = sizeof environment};
    session_begin(&session);
    fake_output_size = 0;
}

void fake_add_recorder(uint32_t measurements)
{
    recorder = (struct port_recorder){
        .measurements = measurements,
        .capacity_max = 1000,
        .check = recorder_check,
        .arm = recorder_arm,
        .stop = recorder_stop,
        .read = recorder_read,
        .release = recorder_release,
        .trigger = recorder_trigger,
        .look = recorder_look,
    };
    fake.port.recorder = &recorder;
}

void fake_wait(enum port_event event, uint64_t count)
{
    assert(fake.script_size < FAKE_SCRIPT_MAX);
    fake.script[fake.script_size++] = (struct fake_wait){event, count, false};
}

void fake_run(void)
{
    for (size_t i = fake.tasks; i-- > 0;) {
        script_at = 0;
        bodies[i]();
    }
    fake_run_crew();
}

const char *fake_ask(const char *bytes)
{
    fake_output_size = 0;
    fake_output[0] = '\0';
    session_input(&session, bytes, strlen(bytes));
    return fake_output;
}

void fake_hang_up(void)
{
    session_end(&session);
    session_begin(&session);
}
