/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measurements on a scripted port: what is on the pins, in the log and in the account. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "../core/log.h"
#include "../core/measure.h"
#include "fake_port.h"

static char words[400];
static struct text why;

static int begin(void **state)
{
    (void)state;
    fake_begin();
    text_begin(&why, words, sizeof words);
    return 0;
}

static int end(void **state)
{
    (void)state;
    measure_reset();
    return fake.blocks == 0 && fake.attached == 0 && fake.timers == 0 ? 0 : -1;
}

static void arm(const char *line)
{
    struct arm_options options;
    if (!arm_parse(line, &options, &why) || !measure_arm(&fake.port, &options, &why))
        fail_msg("%s: %s", line, words);
}

static void assert_refused(const char *line, const char *part)
{
    struct arm_options options;
    if (arm_parse(line, &options, &why) && measure_arm(&fake.port, &options, &why))
        fail_msg("not refused: %s", line);
    if (!strstr(words, part))
        fail_msg("%s: says \"%s\", not \"%s\"", line, words, part);
    assert_false(measure_armed());
    assert_int_equal(fake.attached, 0);
    assert_int_equal(fake.blocks, 0);
    assert_int_equal(fake.timers, 0);
    assert_int_equal(fake.tasks, 0);
}

static struct measure_summary stop(void)
{
    struct measure_summary summary;
    if (!measure_stop(&summary, &why))
        fail_msg("%s", words);
    return summary;
}

static struct log_record record(uint64_t number)
{
    struct log_record one;
    assert_true(measure_read(number, 1, &one));
    return one;
}

static void assert_record(uint64_t number, uint64_t handled, uint64_t before, uint32_t flags)
{
    struct log_record one = record(number);
    assert_int_equal(one.sequence, number);
    assert_int_equal(one.handled, handled);
    assert_int_equal(one.before_ticks, before);
    assert_int_equal(one.after_ticks, before + 10);
    assert_int_equal(one.flags, flags);
    assert_int_equal(one.lead_ticks, flags & RECORD_ENTRY ? 300 : 0);
}

/* --- interrupts --------------------------------------------------------------------------------- */

static void each_interrupt_toggles_the_response_and_counts_on_the_sequence(void **state)
{
    (void)state;
    arm("measurement=interrupt_to_task capacity=10 sequence_bits=2");
    for (int i = 0; i < 5; i++)
        fake_wait(PORT_DUE, 1);
    fake_run();
    struct measure_summary summary = stop();
    assert_int_equal(summary.handled, 5);
    assert_int_equal(summary.records, 5);
    assert_int_equal(summary.dropped, 0);
    assert_int_equal(summary.unanswered, 0);
    const uint32_t pins[] = {1 << 1 | 1, 2 << 1 | 0, 3 << 1 | 1, 0 << 1 | 0, 1 << 1 | 1};
    assert_int_equal(fake.writes_size, 5);
    assert_memory_equal(fake.writes, pins, sizeof pins);
    for (uint64_t i = 0; i < 5; i++)
        assert_record(i, i + 1, 10 + 20 * i, 0);
}

static void interrupts_that_came_together_are_counted_and_marked(void **state)
{
    (void)state;
    arm("measurement=interrupt_to_task capacity=10 sequence_bits=3");
    fake_wait(PORT_DUE, 1);
    fake_wait(PORT_DUE, 4);
    fake_wait(PORT_DUE, 1);
    fake_run();
    struct measure_summary summary = stop();
    assert_int_equal(summary.handled, 6);
    assert_int_equal(summary.records, 3);
    assert_int_equal(summary.unanswered, 3);
    assert_record(1, 5, 30, RECORD_COALESCED);
    assert_record(2, 6, 50, 0);
    assert_int_equal(fake.writes[1], 5 << 1 | 0);
}

static uint64_t age_ns;

static bool tell_age(uint64_t *ns, uint64_t *now_ticks)
{
    *ns = age_ns;
    *now_ticks = fake.ticks; /* those after the pin write */
    return true;
}

static void a_record_says_when_the_handler_was_entered_if_the_port_knows(void **state)
{
    (void)state;
    fake.port.interrupt_age = tell_age;
    age_ns = 310; /* 300 before the pin write */
    arm("measurement=interrupt_to_task capacity=10 sequence_bits=2");
    fake_wait(PORT_DUE, 1);
    fake_wait(PORT_DUE, 2);
    fake_run();
    stop();
    assert_record(0, 1, 10, RECORD_ENTRY);
    assert_record(1, 3, 30, RECORD_ENTRY | RECORD_COALESCED);
}

static void an_entry_that_no_field_can_hold_is_not_told(void **state)
{
    (void)state;
    const uint64_t ages[] = {5, UINT64_C(5000000000)}; /* behind the pin write, and 5 s before it */
    for (int i = 0; i < 2; i++) {
        fake_begin();
        fake.port.interrupt_age = tell_age;
        age_ns = ages[i];
        arm("measurement=interrupt_to_task capacity=10 sequence_bits=2");
        fake_wait(PORT_DUE, 1);
        fake_run();
        stop();
        assert_record(0, 1, 10, 0);
    }
}

static int breaths, breaths_begun;

static void begin_to_breathe(void)
{
    breaths_begun++;
}

static bool breathe(void)
{
    return ++breaths % 2; /* every other time there was need */
}

static void a_task_that_is_always_busy_is_counted(void **state)
{
    (void)state;
    for (int turn = 0; turn < 3; turn++) {
        breaths = breaths_begun = 0;
        begin(state);
        fake.port.breathe_begin = turn ? begin_to_breathe : NULL;
        fake.port.breathe = turn ? breathe : NULL;
        arm("measurement=interrupt_to_task capacity=100");
        for (int i = 0; i < (turn == 2 ? 63 : 64); i++)
            fake_wait(PORT_DUE, 2);
        fake_run();
        assert_int_equal(stop().throttled, turn == 1);
        assert_int_equal(breaths, turn == 1);
        assert_int_equal(breaths_begun, turn > 0);
    }
}

static void a_full_log_is_counted_and_the_pin_still_answers(void **state)
{
    (void)state;
    arm("measurement=interrupt_to_task capacity=2");
    for (int i = 0; i < 5; i++)
        fake_wait(PORT_DUE, 1);
    fake_run();
    struct measure_summary summary = stop();
    assert_int_equal(summary.handled, 5);
    assert_int_equal(summary.records, 2);
    assert_int_equal(summary.dropped, 3);
    assert_int_equal(fake.writes_size, 5);
    struct log_record beyond[3];
    assert_false(measure_read(0, 3, beyond));
    assert_false(measure_read(3, 0, beyond));
    assert_true(measure_read(2, 0, beyond));
}

static void interrupts(int count)
{
    fake.script_size = 0;
    for (int i = 0; i < count; i++)
        fake_wait(PORT_DUE, 1);
    fake_run();
}

static void a_streamed_log_takes_more_than_it_holds(void **state)
{
    (void)state;
    arm("measurement=interrupt_to_task capacity=8 stream=1");
    interrupts(7);
    assert_int_equal(measure_records(0), 5); /* the last two may still get a flag */
    assert_int_equal(record(4).handled, 5);
    struct log_record none;
    assert_false(measure_read(5, 1, &none));
    assert_int_equal(measure_records(5), 5); /* the host has these five */
    assert_false(measure_read(4, 1, &none));
    interrupts(6);
    assert_int_equal(measure_records(5), 11);
    interrupts(1); /* no place is left for it */
    struct measure_summary summary = stop();
    assert_int_equal(summary.handled, 14);
    assert_int_equal(summary.records, 13);
    assert_int_equal(summary.dropped, 1);
    for (uint64_t i = 5; i < 13; i++)
        assert_record(i, i + 1, 10 + 20 * i, 0);
    assert_false(measure_read(4, 1, &none));
}

static void a_streamed_log_counts_beyond_32_bits(void **state)
{
    const uint64_t before = UINT64_C(0xfffffffe);
    struct log_record places[4];
    struct log log = {.records = places, .capacity = 4, .count = before};
    (void)state;
    atomic_store(&log.released, (unsigned)before);
    for (uint64_t i = 0; i < 5; i++)
        log_add(&log, i, i, i, 0);
    assert_int_equal(log.dropped, 1);
    assert_int_equal(places[3].sequence, before + 3);
    atomic_store(&log.released, (unsigned)(before + 3));
    log_add(&log, 5, 5, 5, 0);
    assert_int_equal(places[0].sequence, before + 4);
    assert_int_equal(log.dropped, 1);
}

static void an_overrun_is_marked_before_its_record_can_be_read(void **state)
{
    (void)state;
    arm("measurement=period period_ns=100000 capacity=4 stream=1");
    for (int i = 0; i < 9; i++) {
        fake.script_size = 0;
        fake_wait(PORT_DUE, 1);
        fake.script[0].overrun_before = i > 0;
        fake_run();
        uint64_t settled = measure_records((uint64_t)(i > 1 ? i - 2 : 0));
        assert_int_equal(settled, i > 0 ? i - 1 : 0);
        if (settled)
            assert_int_equal(record(settled - 1).flags, RECORD_OVERRUN);
    }
    assert_int_equal(stop().dropped, 0);
}

static bool check(const char *arm_words, struct measure_room *room)
{
    struct arm_options options;
    assert_true(arm_parse(arm_words, &options, &why));
    return measure_check(&fake.port, &options, room, &why);
}

static void a_check_tells_how_long_a_log_can_be_and_takes_nothing(void **state)
{
    struct measure_room room;
    (void)state;
    assert_true(check("measurement=period period_ns=100000 capacity=99999999", &room));
    assert_int_equal(room.records, 100); /* half of the memory, 40 bytes a record */
    assert_true(room.streams);
    assert_true(check("measurement=interrupt_to_task capacity=9 self_trigger=1 period_ns=100000", &room));
    assert_int_equal(room.records, 25); /* and of two logs, merged into a third */
    assert_false(room.streams);
    fake_add_recorder(1u << MEASURE_INTERRUPT);
    assert_true(check("measurement=interrupt capacity=9", &room));
    assert_true(room.streams);
    assert_int_equal(fake.attached, 0);
    assert_int_equal(fake.tasks, 0);
    assert_int_equal(fake.blocks, 0);
    assert_int_equal(fake.writes_size, 0);
    assert_false(measure_armed());
}

static void a_check_refuses_what_arming_would(void **state)
{
    struct measure_room room;
    (void)state;
    assert_false(check("measurement=interrupt_to_task capacity=9 self_trigger=1 period_ns=100000 stream=1", &room));
    assert_non_null(strstr(words, "two tasks log"));
    fake.refuse_attach = true;
    assert_false(check("measurement=interrupt_to_task capacity=9", &room));
    fake_add_recorder(1u << MEASURE_INTERRUPT);
    assert_false(check("measurement=interrupt capacity=99999999", &room));
    assert_non_null(strstr(words, "too long"));
    fake.refuse_attach = false;
    arm("measurement=interrupt_to_task capacity=9");
    assert_false(check("measurement=interrupt_to_task capacity=9", &room));
    assert_true(measure_armed());
}

static void it_ends_by_itself_after_the_count(void **state)
{
    (void)state;
    arm("measurement=interrupt_to_task capacity=9 count=2");
    for (int i = 0; i < 5; i++)
        fake_wait(PORT_DUE, 1);
    fake_run();
    assert_int_equal(stop().handled, 2);
}

static void arming_again_makes_no_edge(void **state)
{
    (void)state;
    arm("measurement=interrupt_to_task capacity=9");
    fake_wait(PORT_DUE, 1);
    fake_run();
    assert_int_equal(stop().records, 1);
    arm("measurement=interrupt_to_task capacity=9");
    assert_int_equal(fake.writes_size, 1);
    assert_int_equal(measure_records(0), 0);
    fake_run();
    assert_int_equal(stop().handled, 1);
    assert_int_equal(fake.writes[0], 1);
    assert_int_equal(fake.writes[1], 0);
}

static void a_device_that_goes_away_is_told_at_the_end(void **state)
{
    struct measure_summary summary;
    (void)state;
    arm("measurement=interrupt_to_task capacity=9");
    fake_wait(PORT_DUE, 1);
    fake_wait(PORT_FAILED, 0);
    fake_run();
    assert_false(measure_stop(&summary, &why));
    assert_non_null(strstr(words, "failed"));
    assert_int_equal(stop().records, 1);
    assert_record(0, 1, 10, 0);
}

/* --- periods ------------------------------------------------------------------------------------ */

static void missed_periods_are_counted_and_marked(void **state)
{
    (void)state;
    arm("measurement=period capacity=10 period_ns=1000000");
    fake_wait(PORT_DUE, 1);
    fake_wait(PORT_DUE, 3);
    fake_run();
    struct measure_summary summary = stop();
    assert_int_equal(summary.handled, 4);
    assert_int_equal(summary.unanswered, 2);
    assert_record(0, 1, 10, 0);
    assert_record(1, 4, 30, RECORD_MISSED);
}

static void an_overrun_is_marked_on_the_answer_that_ended_late(void **state)
{
    (void)state;
    arm("measurement=period capacity=10 period_ns=1000000");
    fake_wait(PORT_DUE, 1);
    fake_wait(PORT_DUE, 1);
    fake_wait(PORT_DUE, 2);
    fake.script[2].overrun_before = true;
    fake_run();
    assert_int_equal(stop().overruns, 1);
    assert_record(0, 1, 10, 0);
    assert_record(1, 2, 30, RECORD_OVERRUN);
    assert_record(2, 4, 50, RECORD_MISSED);
}

static void overruns_meet_a_full_log(void **state)
{
    (void)state;
    arm("measurement=period capacity=2 period_ns=1000000");
    for (size_t i = 0; i < 5; i++) {
        fake_wait(PORT_DUE, 1);
        fake.script[i].overrun_before = i > 0;
    }
    fake_run();
    struct measure_summary summary = stop();
    assert_int_equal(summary.overruns, 4);
    assert_int_equal(summary.dropped, 3);
    assert_record(0, 1, 10, RECORD_OVERRUN);
    assert_record(1, 2, 30, RECORD_OVERRUN);
}

/* --- the agent's own triggers ------------------------------------------------------------------- */

static void triggers_and_answers_are_one_log_in_order_of_time(void **state)
{
    (void)state;
    arm("measurement=interrupt_to_task capacity=3 self_trigger=1 period_ns=1000000 trigger_pin=7");
    assert_int_equal(fake.tasks, 2);
    assert_int_equal(fake.priorities[0], 80);
    assert_int_equal(fake.priorities[1], 79);
    fake_wait(PORT_DUE, 1);
    fake_wait(PORT_DUE, 2);
    fake_run(); /* the triggers first, so that their ticks are lower */
    struct measure_summary summary = stop();
    assert_int_equal(summary.triggers, 2);
    assert_int_equal(summary.records, 4);
    assert_record(0, 1, 10, RECORD_TRIGGER);
    assert_record(1, 3, 30, RECORD_TRIGGER | RECORD_MISSED | RECORD_OVERLAP);
    assert_record(2, 1, 50, 0);
    assert_record(3, 3, 70, RECORD_COALESCED);
}

/* --- a recorder --------------------------------------------------------------------------------- */

static void a_recorder_answers_and_its_log_is_read(void **state)
{
    (void)state;
    fake_add_recorder(1u << MEASURE_INTERRUPT);
    fake.recorder_summary = (struct recorder_summary){.handled = 9, .records = 5, .dropped = 2};
    arm("measurement=interrupt capacity=5");
    assert_true(fake.recorder_armed);
    assert_int_equal(fake.tasks, 0);
    assert_int_equal(fake.blocks, 0);
    struct measure_summary summary = stop();
    assert_int_equal(summary.handled, 9);
    assert_int_equal(summary.unanswered, 2);
    assert_int_equal(record(4).handled, 5);
    struct log_record beyond[2];
    assert_false(measure_read(4, 2, beyond));
}

static void the_interrupted_task_looks_until_stopped(void **state)
{
    (void)state;
    fake_add_recorder(1u << MEASURE_INTERRUPT_DISPATCH);
    arm("measurement=interrupt_dispatch capacity=5 cpu=0");
    assert_int_equal(fake.priorities[0], 0);
    fake_run();
    assert_int_equal(fake.looks, 3);
    assert_int_equal(stop().records, 0);
}

static void a_recorder_logs_its_triggers_itself(void **state)
{
    (void)state;
    fake_add_recorder(1u << MEASURE_INTERRUPT);
    fake.port.write_trigger = NULL;
    arm("measurement=interrupt capacity=5 self_trigger=1 period_ns=1000000 count=2");
    for (int i = 0; i < 3; i++)
        fake_wait(PORT_DUE, 1);
    fake_run();
    assert_int_equal(stop().triggers, 2);
    assert_int_equal(fake.triggers, 2);
}

/* --- refusals leave nothing behind -------------------------------------------------------------- */

/* --- where the interrupt is handled -------------------------------------------------------------- */

static int holds, releases;
static bool refuses_hold, refuses_release;

static bool hold_interrupt(int32_t number, const struct arm_options *options, struct text *text)
{
    assert_int_equal(fake.attached, 1); /* its handler is there */
    assert_int_equal(number, 7);
    assert_int_equal(options->interrupt_cpu, 3);
    text_say(text, "interrupt 7 stays");
    holds += !refuses_hold;
    return !refuses_hold;
}

static bool release_interrupt(struct text *text)
{
    assert_int_equal(fake.attached, 1);
    text_say(text, "not given back");
    releases++;
    return !refuses_release;
}

static int32_t seventh(void)
{
    return 7;
}

static void an_interrupt_is_held_while_armed_and_given_back_on_every_path(void **state)
{
    static const struct port_interrupt interrupt = {.hold = hold_interrupt,
                                                    .release = release_interrupt};
    const char *line = "measurement=interrupt_to_task capacity=9 interrupt_cpu=3";
    struct measure_summary summary;
    (void)state;
    holds = releases = 0;
    refuses_hold = refuses_release = false;
    assert_refused(line, "does not move interrupts");
    assert_refused("measurement=period capacity=9 period_ns=10000 interrupt_cpu=3", "has none");
    fake.port.interrupt = &interrupt;
    fake.port.interrupt_number = seventh;
    arm(line);
    assert_int_equal(holds - releases, 1);
    assert_true(stop().held_interrupt);
    assert_int_equal(holds - releases, 0);
    fake.refuse_second_task = true; /* of those that trigger: what was held before is given back */
    assert_refused("measurement=interrupt_to_task capacity=9 self_trigger=1 period_ns=10000 interrupt_cpu=3",
                   "no task");
    assert_int_equal(holds, 2);
    assert_int_equal(releases, 2);
    refuses_release = true;
    arm(line);
    assert_false(measure_stop(&summary, &why));
    assert_non_null(strstr(words, "not given back"));
    refuses_hold = true;
    assert_refused(line, "interrupt 7 stays");
    assert_int_equal(releases, 3);
}

static void what_a_port_cannot_is_refused(void **state)
{
    (void)state;
    assert_refused("measurement=interrupt capacity=5", "needs port kmod");
    assert_refused("measurement=interrupt_dispatch capacity=5", "needs port kmod");
    assert_refused("measurement=interrupt_to_task capacity=5 sequence_bits=4", "port fake: 3");
    fake.port.write_trigger = NULL;
    assert_refused("measurement=interrupt_to_task capacity=5 self_trigger=1 period_ns=10000",
                   "cannot trigger");
}

static void a_refusal_undoes_what_was_done(void **state)
{
    (void)state;
    const char *self = "measurement=interrupt_to_task capacity=5 self_trigger=1 period_ns=10000";
    fake.refuse_memory = true;
    assert_refused(self, "no memory");
    fake.refuse_memory = false;
    fake.refuse_attach = true;
    assert_refused(self, "no line");
    fake.refuse_attach = false;
    fake.refuse_timer = true;
    assert_refused(self, "no timer");
    fake.refuse_timer = false;
    fake.refuse_second_task = true;
    assert_refused(self, "no task");
    fake_add_recorder(1u << MEASURE_INTERRUPT);
    fake.recorder_refuses_arm = true;
    assert_refused("measurement=interrupt capacity=5", "module busy");
    fake.recorder_refuses_arm = false;
    fake.refuse_timer = true;
    assert_refused("measurement=interrupt capacity=5 self_trigger=1 period_ns=10000", "no timer");
    assert_false(fake.recorder_armed);
}

static void one_measurement_at_a_time(void **state)
{
    struct arm_options options;
    (void)state;
    arm("measurement=interrupt_to_task capacity=5");
    assert_true(arm_parse("measurement=interrupt_to_task capacity=5", &options, &why));
    assert_false(measure_arm(&fake.port, &options, &why));
    assert_non_null(strstr(words, "STOP"));
    assert_true(measure_armed());
    assert_int_equal(stop().handled, 0);
}

static void a_task_that_does_not_end_is_told(void **state)
{
    struct measure_summary summary;
    struct arm_options options;
    (void)state;
    arm("measurement=interrupt_to_task capacity=5");
    fake.hang = true;
    assert_false(measure_stop(&summary, &why));
    assert_non_null(strstr(words, "restart the agent"));
    assert_true(arm_parse("measurement=interrupt_to_task capacity=5", &options, &why));
    assert_false(measure_arm(&fake.port, &options, &why));
    assert_int_equal(fake.blocks, 1); /* the task may still write to it */
    fake.hang = false;
}

#define MEASURED(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        MEASURED(each_interrupt_toggles_the_response_and_counts_on_the_sequence),
        MEASURED(a_task_that_is_always_busy_is_counted),
        MEASURED(interrupts_that_came_together_are_counted_and_marked),
        MEASURED(a_record_says_when_the_handler_was_entered_if_the_port_knows),
        MEASURED(an_entry_that_no_field_can_hold_is_not_told),
        MEASURED(a_full_log_is_counted_and_the_pin_still_answers),
        MEASURED(a_streamed_log_takes_more_than_it_holds),
        MEASURED(a_streamed_log_counts_beyond_32_bits),
        MEASURED(an_overrun_is_marked_before_its_record_can_be_read),
        MEASURED(a_check_tells_how_long_a_log_can_be_and_takes_nothing),
        MEASURED(a_check_refuses_what_arming_would),
        MEASURED(it_ends_by_itself_after_the_count),
        MEASURED(arming_again_makes_no_edge),
        MEASURED(a_device_that_goes_away_is_told_at_the_end),
        MEASURED(missed_periods_are_counted_and_marked),
        MEASURED(an_overrun_is_marked_on_the_answer_that_ended_late),
        MEASURED(overruns_meet_a_full_log),
        MEASURED(triggers_and_answers_are_one_log_in_order_of_time),
        MEASURED(a_recorder_answers_and_its_log_is_read),
        MEASURED(the_interrupted_task_looks_until_stopped),
        MEASURED(a_recorder_logs_its_triggers_itself),
        MEASURED(what_a_port_cannot_is_refused),
        MEASURED(an_interrupt_is_held_while_armed_and_given_back_on_every_path),
        MEASURED(a_refusal_undoes_what_was_done),
        MEASURED(one_measurement_at_a_time),
        /* Last: such a task cannot be undone. */
        cmocka_unit_test_setup(a_task_that_does_not_end_is_told, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
