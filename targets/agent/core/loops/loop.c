/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "loop.h"

#include "../shared.h"

#include <stdatomic.h>

#define NS_PER_S UINT64_C(1000000000)

struct loop_run loop;
enum variant loop_variant;

#define LOOP(name) &name##_loop,
static const struct loop_kind *const kinds[] = {LOOPS(LOOP)};
#undef LOOP

static struct {
    bool begun, started, pins;
    void (*give)(void);
} taken;

/* At ordinary priority a task may be torn from the log by another one of the same measurement. */
static struct {
    atomic_flag noting;
    _Atomic uint64_t without_value;
} WHOLE_PAGES tally SHARED;

const struct loop_kind *loop_of(enum measurement measurement)
{
    return measurement < MEASURE_LOOPS ? NULL : kinds[measurement - MEASURE_LOOPS];
}

/* --- start and stop ----------------------------------------------------------------------------- */

static void add_variants(struct text *why, uint64_t variants)
{
    for (unsigned i = 0; i < VARIANTS_COUNT; i++)
        if (variants & VARIANT_BIT(i)) {
            text_add(why, " ");
            text_add(why, variant_name((enum variant)i));
        }
}

static bool check_variant(const struct loop_kind *kind, struct text *why)
{
    uint64_t can = kind->variants & loop.port->inside->variants;
    if (!loop.port->read_pins)
        can &= ~VARIANT_BIT(VARIANT_PORT_READ);
    loop_variant = loop.options->given & GIVEN_VARIANT ? loop.options->variant : kind->usual;
    if (loop_variant == VARIANT_TIMER && !loop.options->pause_ns) {
        text_say(why, "variant timer needs pause_ns, after which the timer wakes the task");
        return false;
    }
    if (can & VARIANT_BIT(loop_variant))
        return true;
    text_say(why, measurement_name(loop.options->measurement));
    text_add(why, " has no variant ");
    text_add(why, variant_name(loop_variant));
    text_add(why, kind->variants & VARIANT_BIT(loop_variant) ? " on this port; it has" : "; valid:");
    add_variants(why, can);
    return false;
}

static bool check_given(const struct loop_kind *kind, struct text *why)
{
    uint32_t takes = kind->given | (kind->needs_pin ? 0 : GIVEN_WARM_UP);
    uint32_t odd = loop.options->given & GIVEN_OF_LOOPS & ~takes;
    if (!odd)
        return true;
    text_say(why, word_given(odd));
    text_add(why, " is not for ");
    text_add(why, measurement_name(loop.options->measurement));
    return false;
}

static bool check(const struct loop_kind *kind, struct text *why)
{
    const struct arm_options *options = loop.options;
    const char *flaw = NULL;
    if (!options->count)
        flaw = "a measurement inside the target needs count, the values after which it ends";
    else if (kind->needs_period && !options->period_ns)
        flaw = "this measurement needs period_ns";
    else if (kind->needs_pin && options->given & GIVEN_PIN && !options->pin)
        flaw = "this measurement is one of pins: pin=0 makes no sense";
    else if (options->priority < kind->levels)
        flaw = kind->levels == 2
                   ? "this measurement has tasks of two real-time priorities: priority must be 2 or more"
                   : "this measurement has tasks of three real-time priorities: priority must be 3 or more";
    else if (kind->given & GIVEN_SEARCH && (!options->period_stop_ns || !options->resolution_ppm ||
                                            options->period_stop_ns > options->period_ns))
        flaw = "this measurement needs resolution_ppm and period_stop_ns, up to period_ns";
    else if (kind->given & GIVEN_PERIODIC && !options->periodic_count)
        flaw = "this measurement needs periodic, its tasks";
    else if (kind->given & GIVEN_THRESHOLD && options->threshold_ns <= options->pause_ns)
        flaw = "this measurement needs threshold_ns, longer than pause_ns";
    else if (options->sequence_bits && !options->pin && !kind->needs_pin)
        flaw = "sequence_bits needs pin=1";
    else if (options->low_priority >= 0 && options->low_priority >= options->priority)
        flaw = "low_priority must be below priority, which is 80 if not given";
    else if (options->tasks_as == TASKS_AS_PROCESSES && !loop.port->inside->processes)
        flaw = "tasks cannot be processes on this port";
    else if (options->batch && options->busy_ns)
        flaw = "busy_ns would be part of the mean of a batch: give one of both";
    if (flaw)
        text_say(why, flaw);
    return !flaw && check_given(kind, why) && check_variant(kind, why);
}

/* As for periods: pins alone, no interrupt line. */
static bool take_pins(struct text *why)
{
    struct arm_options pins = *loop.options;
    pins.measurement = MEASURE_PERIOD;
    pins.given &= ~GIVEN_TIMER;
    return (loop.port->take_pins ? loop.port->take_pins : loop.port->attach)(&pins, why);
}

static int32_t same_priority(uint32_t number)
{
    (void)number;
    return loop.options->priority;
}

bool loop_start(const struct loop_kind *kind, const struct loop_run *run, struct text *why)
{
    const struct port_inside *inside = run->port->inside;
    loop = *run;
    taken.begun = taken.started = taken.pins = false;
    taken.give = NULL;
    atomic_flag_clear(&tally.noting);
    atomic_store(&tally.without_value, 0);
    if (!check(kind, why))
        return false;
    loop.on_pins = loop.options->pin || kind->needs_pin || loop_variant == VARIANT_PORT_WRITE;
    bool pins = loop.on_pins || loop_variant == VARIANT_PORT_READ;
    if (pins && !(taken.pins = take_pins(why)))
        return false;
    struct arm_options options = *loop.options;
    options.variant = loop_variant;
    if (!(taken.begun = inside->begin(&options, why)))
        return false;
    if (kind->begin)
        kind->begin();
    taken.give = kind->give;
    if (kind->take && !kind->take(why))
        return false;
    taken.started = inside->start_crew(
        kind->prepare, kind->body, kind->tasks ? kind->tasks() : 1,
        kind->priority ? kind->priority : same_priority, loop.options->cpu, why);
    return taken.started;
}

bool loop_stop(void)
{
    const struct port *port = loop.port;
    if (taken.started && !port->inside->stop_crew())
        return false;
    if (taken.give)
        taken.give();
    if (taken.begun)
        port->inside->end();
    if (taken.pins)
        (port->give_pins ? port->give_pins : port->detach)();
    taken.begun = taken.started = taken.pins = false;
    taken.give = NULL;
    if (loop.summary)
        loop.summary->unanswered = atomic_load(&tally.without_value);
    return true;
}

/* --- while it runs ------------------------------------------------------------------------------ */

bool loop_over(void)
{
    return loop.summary->handled >= loop.options->count + loop.options->warm_up || loop.summary->failed ||
           loop.port->inside->stopping();
}

void loop_iteration(void)
{
    loop.summary->handled++;
}

void loop_part(uint64_t before, uint64_t after, uint32_t flags)
{
    log_add(loop.log, loop.summary->handled, before, after, flags | RECORD_VALUE);
}

void loop_value(uint64_t before, uint64_t after, uint32_t flags)
{
    loop_value_of(LOOP_ANY_TASK, before, after, flags);
}

void loop_value_of(uint32_t task, uint64_t before, uint64_t after, uint32_t flags)
{
    uint32_t of = task == LOOP_ANY_TASK ? 0 : RECORD_OF;

    if (atomic_flag_test_and_set_explicit(&tally.noting, memory_order_acquire)) {
        loop_without_values(1);
        return;
    }
    loop_iteration();
    log_add_entered(loop.log, loop.summary->handled, before, after, flags | of | RECORD_VALUE,
                    of ? task + 1 : 0);
    loop_show();
    atomic_flag_clear_explicit(&tally.noting, memory_order_release);
}

void loop_show(void)
{
    if (loop.on_pins)
        loop.answer(0);
}

void loop_failure(uint64_t before, uint64_t after)
{
    loop_iteration();
    loop_part(before, after, RECORD_FAILED);
    loop_without_values(1);
}

void loop_without_values(uint64_t count)
{
    atomic_fetch_add_explicit(&tally.without_value, count, memory_order_relaxed);
}

void loop_failed(void)
{
    loop.summary->failed = true;
}

uint64_t loop_ticks_of(uint64_t ns)
{
    uint64_t tick_hz = loop.port->counter.tick_hz;
    return ns / NS_PER_S * tick_hz + ns % NS_PER_S * tick_hz / NS_PER_S;
}

void loop_be_busy(void)
{
    if (loop.options->busy_ns)
        loop_spin(loop_ticks(), loop_ticks_of(loop.options->busy_ns));
}

uint64_t loop_spin(uint64_t start, uint64_t ticks)
{
    uint64_t now;
    while ((now = loop_ticks()) - start < ticks)
        ;
    return now;
}

int32_t loop_priority_below(void)
{
    if (loop.options->low_priority >= 0)
        return loop.options->low_priority;
    return loop.options->priority > 1 ? loop.options->priority - 1 : 0;
}
