/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measurements inside the target, on a system of which every time is known beforehand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "../core/measure.h"
#include "fake_port.h"

/* A reading of the counter takes 1000 ticks, a switch 100000 (tests/fake_port.c, fake_inside.c). */
#define READING 1000u
#define SWITCH 101000u

static char words[400];
static struct text why;

static int begin(void **state)
{
    (void)state;
    fake_begin();
    fake_add_inside();
    text_begin(&why, words, sizeof words);
    return 0;
}

static int end(void **state)
{
    (void)state;
    measure_reset();
    return fake.blocks == 0 && fake.attached == 0 && fake.crew == 0 && fake.begun == 0 ? 0 : -1;
}

static struct measure_summary run(const char *line)
{
    struct arm_options options;
    struct measure_summary summary;
    if (!arm_parse(line, &options, &why) || !measure_arm(&fake.port, &options, &why))
        fail_msg("%s: %s", line, words);
    assert_false(measure_await(0));
    fake_run();
    assert_true(measure_await(0));
    if (!measure_stop(&summary, &why))
        fail_msg("%s", words);
    return summary;
}

static struct log_record record(uint64_t number)
{
    struct log_record one;
    assert_true(measure_read(number, 1, &one));
    assert_int_equal(one.sequence, number);
    return one;
}

static void assert_value(uint64_t number, uint64_t handled, uint64_t length, uint32_t flags)
{
    struct log_record one = record(number);
    assert_int_equal(one.handled, handled);
    assert_int_equal(one.after_ticks - one.before_ticks, length);
    assert_int_equal(one.flags, RECORD_VALUE | flags);
}

static void assert_refused(const char *line, const char *part)
{
    struct arm_options options;
    if (arm_parse(line, &options, &why) && measure_arm(&fake.port, &options, &why))
        fail_msg("not refused: %s", line);
    if (!strstr(words, part))
        fail_msg("%s: says \"%s\", not \"%s\"", line, words, part);
    assert_false(measure_armed());
    assert_int_equal(fake.blocks + fake.attached + fake.begun + (int)fake.crew, 0);
}

/* --- task switch -------------------------------------------------------------------------------- */

static void tasks_that_yield_measure_each_switch(void **state)
{
    (void)state;
    for (unsigned tasks = 2; tasks <= 16; tasks += 7) {
        char line[100];
        fake.looks_inside = 500;
        snprintf(line, sizeof line, "measurement=task_switch capacity=50 count=40 tasks=%u", tasks);
        struct measure_summary summary = run(line);
        assert_int_equal(summary.handled, 40);
        assert_int_equal(summary.records, 40);
        assert_int_equal(summary.unanswered, 0);
        for (uint64_t i = tasks; i < 40; i++) {
            assert_value(i, i + 1, SWITCH, RECORD_OF);
            assert_int_equal(record(i).lead_ticks, record(i - 1).lead_ticks % tasks + 1);
        }
    }
}

/* Of a batch the counter is read before its first switch and behind its last one. */
static void switches_are_timed_in_batches(void **state)
{
    (void)state;
    const char *variants[] = {"yield tasks=5", "mutex"};
    for (size_t i = 0; i < 2; i++) {
        char line[120];
        fake.looks_inside = 5000;
        snprintf(line, sizeof line,
                 "measurement=task_switch variant=%s capacity=50 count=9 batch=10", variants[i]);
        struct measure_summary summary = run(line);
        assert_int_equal(summary.handled, 9);
        assert_int_equal(summary.records, 9);
        for (uint64_t number = 1; number < 9; number++)
            assert_value(number, number + 1, 10 * (SWITCH - READING) + READING, 0);
    }
}

/* After each 0.2 s, of 0.5; the fake counts 10^9 ticks a second. */
static void real_time_tasks_rest_between_two_values(void **state)
{
    (void)state;
    const char *variants[] = {"yield", "mutex", "yield priority=0"};
    for (size_t i = 0; i < 3; i++) {
        char line[120];
        fake.looks_inside = 50000;
        snprintf(line, sizeof line,
                 "measurement=task_switch variant=%s capacity=500 count=500 batch=10", variants[i]);
        run(line);
        for (uint64_t number = 1; number < 500; number++)
            assert_value(number, number + 1, 10 * (SWITCH - READING) + READING, 0);
        assert_int_equal(fake.sleeps_for > 2, i < 2);
        fake.sleeps_for = 0;
    }
}

static void a_task_is_busy_before_it_gives_way(void **state)
{
    (void)state;
    fake.looks_inside = 5000;
    run("measurement=task_switch capacity=50 count=20 busy_ns=50000");
    for (uint64_t i = 2; i < 20; i++) {
        assert_value(i, i + 1, SWITCH, RECORD_OF);
        uint64_t between = record(i).before_ticks - record(i - 1).after_ticks;
        assert_true(between >= 50000 && between < 50000 + 4 * READING);
    }
}

static void values_of_a_warm_up_are_logged_beside_the_others(void **state)
{
    (void)state;
    struct measure_summary summary = run("measurement=task_switch capacity=50 count=20 warm_up=3");
    assert_int_equal(summary.handled, 23);
    assert_int_equal(summary.records, 23);
}

static void a_yield_that_does_not_switch_is_no_value(void **state)
{
    (void)state;
    fake.yield_stays = true;
    fake.looks_inside = 41;
    struct measure_summary summary = run("measurement=task_switch capacity=50 count=40");
    assert_int_equal(summary.handled, 0);
    assert_int_equal(summary.records, 0);
    assert_true(summary.unanswered > 10);
}

static void tasks_that_wait_for_a_mutex_measure_each_switch(void **state)
{
    (void)state;
    struct measure_summary summary =
        run("measurement=task_switch variant=mutex capacity=50 count=40");
    assert_int_equal(summary.handled, 40);
    assert_true(summary.unanswered <= 2);
    for (uint64_t i = 0; i < 40; i++)
        assert_value(i, i + 1, SWITCH, RECORD_OF);
}

/* --- wakes -------------------------------------------------------------------------------------- */

static void a_woken_task_preempts_and_is_measured(void **state)
{
    (void)state;
    struct measure_summary summary =
        run("measurement=task_preemption variant=futex capacity=50 count=40");
    assert_int_equal(summary.records, 40);
    for (uint64_t i = 0; i < 40; i++)
        assert_value(i, i + 1, SWITCH, 0);
}

static void expect_priorities(const char *arm, int32_t high, int32_t low)
{
    struct arm_options options;
    assert_true(arm_parse(arm, &options, &why));
    assert_true(measure_arm(&fake.port, &options, &why));
    assert_int_equal(fake.crew, 2);
    assert_int_equal(fake.crew_priorities[0], high);
    assert_int_equal(fake.crew_priorities[1], low);
}

static void the_task_that_wakes_has_the_lower_priority(void **state)
{
    (void)state;
    expect_priorities("measurement=preemption capacity=1 count=1 priority=7", 7, 6);
}

static void below_the_second_priority_is_the_lowest(void **state)
{
    (void)state;
    expect_priorities("measurement=preemption capacity=1 count=1 priority=2", 2, 1);
}

static void below_the_lowest_priority_is_none(void **state)
{
    (void)state;
    expect_priorities("measurement=preemption capacity=1 count=1 priority=1", 1, 0);
}

static void both_priorities_can_be_set(void **state)
{
    (void)state;
    expect_priorities("measurement=preemption capacity=1 count=1 priority=80 low_priority=70", 80, 70);
}

static void a_woken_task_that_must_wait_is_marked(void **state)
{
    (void)state;
    fake.woken_late = true;
    run("measurement=task_preemption capacity=50 count=10");
    for (uint64_t i = 0; i < 10; i++)
        assert_int_equal(record(i).flags, RECORD_VALUE | RECORD_WENT_ON);
}

static void preemption_has_three_parts_without_a_gap(void **state)
{
    (void)state;
    struct measure_summary summary = run("measurement=preemption capacity=50 count=10");
    assert_int_equal(summary.handled, 10);
    assert_int_equal(summary.records, 30);
    for (uint64_t i = 0; i < 10; i++) {
        assert_value(3 * i, i + 1, SWITCH, RECORD_PART(0));
        assert_value(3 * i + 1, i + 1, READING, RECORD_PART(1));
        assert_value(3 * i + 2, i + 1, SWITCH, RECORD_PART(2));
        assert_int_equal(record(3 * i).after_ticks, record(3 * i + 1).before_ticks);
        assert_int_equal(record(3 * i + 1).after_ticks, record(3 * i + 2).before_ticks);
    }
}

static void a_woken_task_is_busy_for_as_long_as_it_is_told(void **state)
{
    (void)state;
    run("measurement=preemption wait_ns=50500 capacity=50 count=10");
    for (uint64_t i = 0; i < 10; i++)
        assert_value(3 * i + 1, i + 1, 51000, RECORD_PART(1));
}

#define PASSES "measurement=preemption variant=timer pause_ns=200000 wait_ns=50500 capacity=50 "

/* Whether the timer preempts before a reading of the spinning task or behind it. */
static void a_timer_wakes_the_high_task_while_the_low_one_spins(void **state)
{
    (void)state;
    for (int before = 0; before < 2; before++) {
        fake.preempts_before = before;
        fake.looks_inside = 100000;
        struct measure_summary summary = run(PASSES "count=10");
        assert_int_equal(summary.handled, 10);
        assert_int_equal(summary.unanswered, 0);
        assert_int_equal(summary.records, 30);
        for (uint64_t i = 0; i < 10; i++) {
            assert_value(3 * i, i + 1, SWITCH, RECORD_PART(0));
            assert_value(3 * i + 1, i + 1, 51000, RECORD_PART(1));
            assert_value(3 * i + 2, i + 1, SWITCH, RECORD_PART(2));
        }
        uint64_t apart = record(6).before_ticks - record(3).before_ticks;
        assert_true(apart >= 200000 + 51000 + SWITCH); /* the pause is between passes */
        assert_true(apart < 200000 + 51000 + SWITCH + 2 * READING);
    }
}

static void a_pass_whose_times_are_not_in_order_has_failed(void **state)
{
    (void)state;
    fake.looks_inside = 100000;
    fake.behind_once = 150000;
    struct measure_summary summary = run(PASSES "count=5");
    assert_int_equal(summary.handled, 5);
    assert_int_equal(summary.unanswered, 1);
    assert_int_equal(summary.records, 1 + 3 * 4);
    assert_int_equal(record(0).flags, RECORD_VALUE | RECORD_FAILED);
    assert_int_equal(record(0).handled, 1);
    assert_value(1, 2, SWITCH, RECORD_PART(0));
}

static void a_pass_that_does_not_come_in_time_has_failed(void **state)
{
    (void)state;
    fake.looks_inside = 100000;
    fake.oversleeps_once = 450000;
    struct measure_summary summary = run(PASSES "timeout_ns=300000 count=5");
    assert_int_equal(summary.handled, 5);
    assert_int_equal(summary.unanswered, 1);
    struct log_record failed = record(0);
    assert_int_equal(failed.flags, RECORD_VALUE | RECORD_FAILED);
    assert_int_equal(failed.after_ticks - failed.before_ticks, 501000);
    assert_value(1, 2, SWITCH, RECORD_PART(0));
    fake.looks_inside = 100000;
    fake.oversleeps = 450000; /* within the usual timeout */
    assert_int_equal(run(PASSES "count=5").unanswered, 0);
}

/* --- a mutex between three priorities ------------------------------------------------------------ */

static uint64_t longest_wait(const char *work, const char *section)
{
    char line[160];
    uint64_t longest = 0;
    fake.looks_inside = 5000;
    snprintf(line, sizeof line, "measurement=priority_inversion capacity=9 count=5 work_ns=%s section_ns=%s",
             work, section);
    struct measure_summary summary = run(line);
    assert_int_equal(summary.records, 5);
    for (uint64_t i = 0; i < 5; i++) {
        struct log_record one = record(i);
        assert_int_equal(one.handled, i + 1);
        if (one.after_ticks - one.before_ticks > longest)
            longest = one.after_ticks - one.before_ticks;
    }
    return longest;
}

static void a_mutex_is_waited_for_as_long_as_section_and_middle_task_last(void **state)
{
    (void)state;
    uint64_t least = longest_wait("0", "0");
    assert_int_equal(longest_wait("500000", "0"), least + 500000 - READING);
    assert_int_equal(longest_wait("0", "50000"), least + 50000 - READING);
    assert_int_equal(longest_wait("500000", "50000"), least + 550000 - 2 * READING);
}

static void three_tasks_have_three_priorities(void **state)
{
    (void)state;
    struct arm_options options;
    assert_true(arm_parse("measurement=priority_inversion capacity=1 count=1 priority=3", &options, &why));
    assert_true(measure_arm(&fake.port, &options, &why));
    assert_int_equal(fake.crew, 3);
    for (int32_t i = 0; i < 3; i++)
        assert_int_equal(fake.crew_priorities[i], 3 - i);
}

/* --- a semaphore between two --------------------------------------------------------------------- */

static void a_semaphore_is_had_after_a_switch_to_its_holder_and_one_back(void **state)
{
    (void)state;
    fake.looks_inside = 5000;
    struct measure_summary summary = run("measurement=semaphore_shuffle capacity=9 count=5");
    assert_int_equal(fake.crew_priorities[0], PRIORITY_DEFAULT);
    assert_int_equal(fake.crew_priorities[1], PRIORITY_DEFAULT - 1);
    assert_int_equal(summary.records, 5);
    for (uint64_t i = 0; i < 5; i++)
        assert_value(i, i + 1, 2 * 100000 + READING, 0);
    assert_refused("measurement=semaphore_shuffle capacity=5 count=5 priority=1", "2 or more");
}

/* --- one task ----------------------------------------------------------------------------------- */

static void clocks_are_read_twice(void **state)
{
    (void)state;
    run("measurement=clock_resolution variant=counter capacity=9 count=9");
    assert_value(8, 9, READING, 0);
    fake.looks_inside = 500;
    run("measurement=clock_resolution variant=boottime capacity=9 count=9");
    assert_value(8, 9, 5, RECORD_CLOCK);
}

static void sleeps_are_late_by_the_systems_own_clock(void **state)
{
    (void)state;
    const char *variants[] = {"absolute", "relative"};
    for (size_t i = 0; i < 2; i++) {
        char line[120];
        fake.looks_inside = 500;
        snprintf(line, sizeof line,
                 "measurement=timer variant=%s period_ns=5000 capacity=9 count=9", variants[i]);
        run(line);
        for (uint64_t number = 0; number < 9; number++) /* and the reading that found out */
            assert_value(number, number + 1, 77 + 5, RECORD_CLOCK);
    }
}

/* On the fake processor one task runs through before the next begins: the second finds all missed but
 * what is still to come. */
static void each_periodic_task_has_its_own_values(void **state)
{
    (void)state;
    struct measure_summary summary =
        run("measurement=periodic_tasks periodic=10000:4000:80,20000:0:0 capacity=99 count=4");
    assert_int_equal(fake.crew_priorities[0], 80);
    assert_int_equal(fake.crew_priorities[1], 0);
    assert_int_equal(fake.writes_size, 8);
    assert_int_equal(summary.handled, 4 + 2);
    assert_int_equal(summary.records, 4 * 4 + 2 * (2 - summary.unanswered));
    for (uint64_t i = 0; i < 4; i++) {
        struct log_record start = record(4 * i), finish = record(4 * i + 1);
        assert_int_equal(start.flags, 0);
        assert_int_equal(finish.flags, RECORD_PART(1));
        assert_in_range(finish.before_ticks - start.after_ticks, 3900, 4010);
        assert_value(4 * i + 2, i + 1, 77 + 5, RECORD_CLOCK);
        assert_int_equal(record(4 * i + 3).flags, RECORD_VALUE | RECORD_CLOCK | RECORD_PART(1));
        assert_int_equal(record(4 * i + 3).before_ticks, record(4 * i + 2).after_ticks);
        assert_int_equal(record(4 * i + 2).before_ticks - record(2).before_ticks, i * 10000);
    }
}

/* --- periodic tasks beside interrupts ------------------------------------------------------------ */

#define BESIDE " capacity=9 duration_ns=35000 periodic=10000:4000:82,20000:0:81"

static void assert_beside(const char *measurement, uint64_t interrupts)
{
    struct arm_options options;
    struct measure_summary summary;
    char line[200];
    snprintf(line, sizeof line, "measurement=%s" BESIDE, measurement);
    if (!arm_parse(line, &options, &why) || !measure_arm(&fake.port, &options, &why))
        fail_msg("%s", words);
    assert_int_equal(fake.crew_priorities[0], 82);
    assert_int_equal(fake.crew_priorities[1], 81);
    fake_run();
    assert_true(measure_stop(&summary, &why));
    assert_int_equal(summary.handled, interrupts);
    assert_in_range(summary.records, interrupts + 2 * 4, interrupts + 2 * 6);
    for (uint64_t i = 0; i < 4; i++) {
        assert_value(interrupts + 2 * i, interrupts + i + 1, 77 + 5, RECORD_CLOCK);
        assert_int_equal(record(interrupts + 2 * i + 1).flags,
                         RECORD_VALUE | RECORD_CLOCK | RECORD_PART(1));
    }
    struct log_record both[3];
    assert_true(measure_read(interrupts - 1, 3, both));
    for (uint64_t i = 0; i < 3; i++)
        assert_int_equal(both[i].sequence, interrupts - 1 + i);
    assert_false(both[0].flags & RECORD_VALUE);
    assert_true(both[1].flags & RECORD_VALUE);
    assert_false(measure_read(summary.records - 1, 2, both));
}

static void periodic_tasks_run_beside_a_task_that_answers(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++)
        fake_wait(PORT_DUE, 1);
    assert_beside("interrupt_to_task", 5);
    assert_int_equal(fake.writes_size, 5); /* none of them by the periodic tasks */
}

static void periodic_tasks_run_beside_a_handler_that_answers(void **state)
{
    (void)state;
    fake_add_recorder(1u << MEASURE_INTERRUPT);
    fake.recorder_summary = (struct recorder_summary){.handled = 7, .records = 7};
    assert_beside("interrupt", 7);
    assert_int_equal(fake.writes_size, 0);
}

static void tasks_beside_interrupts_are_refused_where_they_make_no_sense(void **state)
{
    (void)state;
#define TO_TASK "measurement=interrupt_to_task capacity=9 periodic=10000:0:1 "
    assert_refused(TO_TASK, "needs duration_ns");
    assert_refused(TO_TASK "duration_ns=1000000000000000", "too long");
    assert_refused(TO_TASK "duration_ns=10000 stream=1", "at the end");
    assert_refused(TO_TASK "duration_ns=10000 wait_ns=5", "wait_ns is for");
    assert_refused(TO_TASK "duration_ns=10000 self_trigger=1 period_ns=10000", "makes itself");
    assert_refused("measurement=period period_ns=10000 capacity=9 periodic=10000:0:1", "is for");
    assert_refused("measurement=interrupt_to_task capacity=9 duration_ns=5", "is for");
    fake.refuse_crew = true;
    assert_refused(TO_TASK "duration_ns=10000", "");
    fake.port.inside = NULL;
    assert_refused(TO_TASK "duration_ns=10000", "no periodic tasks");
}

static void shorter_and_shorter_periods_are_tried(void **state)
{
    (void)state;
    struct measure_summary summary = run("measurement=period_search period_ns=20000 capacity=99 "
                                         "period_stop_ns=10000 resolution_ppm=10000 count=3");
    const uint64_t periods[] = {20000, 14000, 10000};
    assert_int_equal(summary.handled, 9);
    assert_int_equal(summary.records, 12);
    for (uint32_t hold = 0; hold < 3; hold++) {
        struct log_record first = record(4 * hold);
        assert_int_equal(first.before_ticks, 0);
        assert_int_equal(first.after_ticks, periods[hold]);
        assert_int_equal(first.flags, RECORD_VALUE | RECORD_CLOCK | RECORD_PART(2 * hold));
        for (uint32_t i = 1; i < 4; i++) {
            struct log_record start = record(4 * hold + i);
            assert_int_equal(start.handled, 3 * hold + i);
            assert_int_equal(start.flags, RECORD_VALUE | RECORD_CLOCK | RECORD_PART(2 * hold + 1));
            assert_int_equal(start.after_ticks - start.before_ticks, 77 + 5);
        }
    }
    assert_refused("measurement=period_search capacity=5 count=5 period_ns=10000", "period_stop_ns");
    assert_refused("measurement=period_search capacity=5 count=5 period_ns=10000 "
                   "period_stop_ns=20000 resolution_ppm=1000", "up to period_ns");
}

static void tasks_that_cannot_be_are_refused(void **state)
{
    (void)state;
    assert_refused("measurement=periodic_tasks capacity=5 count=5", "needs periodic");
    assert_refused("measurement=timer capacity=5 count=5 period_ns=10000 periodic=10000:0:1",
                   "periodic is not for timer");
    assert_refused("measurement=periodic_tasks capacity=5 count=100000000 "
                   "periodic=100000000000:0:1,10000:0:1", "too large");
    const char *wrong[] = {"", "10000", "10000:0", "10000:0:100", "9999:0:1", "10000:0:1,", "a:0:1",
                           "10000:1000000001:1", "10000:0:1:1023", "10000:0:1:9999:1",
                           "10000:0:1:2000", "10000:0:0:10001 policy=deadline",
                           "10000:0:0 policy=deadline"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct arm_options options;
        char line[120];
        snprintf(line, sizeof line, "measurement=periodic_tasks capacity=5 periodic=%s", wrong[i]);
        assert_false(arm_parse(line, &options, &why));
    }
}

static void a_policy_by_deadlines_has_a_run_time_and_no_priority(void **state)
{
    struct arm_options options;
    (void)state;
    assert_true(arm_parse("measurement=period capacity=5 period_ns=20000 policy=deadline "
                          "runtime_ns=5000", &options, &why));
    assert_int_equal(options.priority, 0);
    assert_refused("measurement=period capacity=5 period_ns=20000 policy=deadline", "needs runtime_ns");
    assert_refused("measurement=period capacity=5 period_ns=20000 runtime_ns=5000", "nothing else has it");
    assert_refused("measurement=period capacity=5 period_ns=20000 policy=deadline runtime_ns=20001",
                   "up to period_ns");
    assert_refused("measurement=period capacity=5 period_ns=20000 policy=deadline runtime_ns=5000 "
                   "priority=1", "must be 0");
    assert_refused("measurement=timer capacity=5 count=5 period_ns=20000 policy=deadline",
                   "for period and periodic_tasks");
    run("measurement=periodic_tasks periodic=10000:4000:0:5000 policy=deadline capacity=99 count=4");
    assert_int_equal(fake.crew_priorities[0], PRIORITY_DEFAULT);
}

static void an_interval_timer_keeps_to_its_grid(void **state)
{
    (void)state;
    fake.timer_late_ns = 25000;
    fake.looks_inside = 500;
    struct measure_summary summary =
        run("measurement=timer variant=itimer period_ns=10000 capacity=9 count=9");
    assert_int_equal(summary.unanswered, 2); /* that passed while the third was late */
    for (uint64_t number = 0; number < 9; number++) {
        struct log_record value = record(number);
        /* From the reading before the timer was started. */
        uint64_t period = number + 1 + (number > 2 ? 2 : 0);
        assert_int_equal(value.before_ticks - record(0).before_ticks, (period - 1) * 10000);
        assert_in_range(value.after_ticks - value.before_ticks - (number == 2 ? 25000 : 0), 77, 95);
    }
}

static void calls_are_measured_one_by_one(void **state)
{
    (void)state;
    run("measurement=services variant=pipe_read capacity=9 count=9");
    assert_value(8, 9, READING, 0);
    fake.looks_inside = 500;
    run("measurement=task_creation variant=fork capacity=9 count=9");
    assert_value(8, 9, READING, 0);
}

#define PERIODS "measurement=start_finish period_ns=10000 work_ns=5000 capacity=9 count=4"

static void what_interrupts_the_work_makes_it_longer(void **state)
{
    (void)state;
    run(PERIODS);
    struct log_record start = record(0), finish = record(1);
    uint64_t alone = finish.before_ticks - start.after_ticks;
    fake.interrupted_work = 2 * fake.works - 2; /* the third of four periods, after calibration */
    fake.interruption_ticks = 7777;
    struct measure_summary summary = run(PERIODS);
    assert_true(summary.work_per_ms > 0);
    for (uint64_t i = 0; i < 4; i++) {
        start = record(2 * i), finish = record(2 * i + 1);
        assert_int_equal(finish.before_ticks - start.after_ticks, alone + (i == 2 ? 7777 : 0));
    }
}

static void a_periodic_task_shows_start_and_finish(void **state)
{
    (void)state;
    struct measure_summary summary = run(PERIODS);
    assert_int_equal(summary.records, 8);
    assert_int_equal(fake.writes_size, 8);
    for (uint64_t i = 0; i < 4; i++) {
        struct log_record start = record(2 * i), finish = record(2 * i + 1);
        assert_int_equal(start.flags, 0);
        assert_int_equal(finish.flags, RECORD_PART(1));
        assert_int_equal(start.handled, i + 1);
        assert_int_equal(finish.handled, i + 1);
        assert_in_range(finish.before_ticks - start.after_ticks, 4900, 5010);
        assert_int_equal(fake.writes[2 * i], 1);
        assert_int_equal(fake.writes[2 * i + 1], 0);
    }
}

/* --- the pins ------------------------------------------------------------------------------------ */

static void the_pin_shows_each_values_end(void **state)
{
    (void)state;
    run("measurement=task_switch capacity=50 count=9 pin=1 sequence_bits=2");
    assert_int_equal(fake.writes_size, 9);
    for (uint64_t i = 0; i < 9; i++) {
        struct log_record value = record(2 * i), answer = record(2 * i + 1);
        assert_int_equal(answer.flags, 0);
        assert_int_equal(answer.handled, value.handled);
        assert_true(answer.before_ticks >= value.after_ticks);
        assert_int_equal(fake.writes[i], ((i + 1) & 3) << 1 | ((i + 1) & 1));
    }
}

static void without_it_no_pin_is_touched(void **state)
{
    (void)state;
    fake.refuse_attach = true;
    run("measurement=task_switch capacity=50 count=9");
    assert_int_equal(fake.writes_size, 0);
    assert_refused("measurement=task_switch capacity=50 count=9 pin=1", "no line");
}

static void a_write_of_the_pins_is_measured_by_its_own_record(void **state)
{
    (void)state;
    struct measure_summary summary = run("measurement=services variant=port_write capacity=9 count=9");
    assert_int_equal(summary.records, 9);
    assert_int_equal(summary.handled, 9);
    assert_int_equal(fake.writes_size, 9);
    assert_int_equal(record(8).flags, 0);
}

/* --- ends and refusals --------------------------------------------------------------------------- */

static void a_full_log_is_counted(void **state)
{
    (void)state;
    struct measure_summary summary = run("measurement=task_switch capacity=5 count=9");
    assert_int_equal(summary.handled, 9);
    assert_int_equal(summary.records, 5);
    assert_int_equal(summary.dropped, 4);
}

static void stop_ends_each_before_its_count(void **state)
{
    (void)state;
    const char *lines[] = {
        "measurement=task_switch", "measurement=task_switch variant=mutex",
        "measurement=task_preemption", "measurement=preemption", "measurement=timer period_ns=10000",
        "measurement=clock_resolution", "measurement=task_creation", "measurement=services",
        "measurement=start_finish period_ns=10000", "measurement=priority_inversion",
        "measurement=semaphore_shuffle"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char line[120];
        fake.looks_inside = 60;
        fake.writes_size = 0;
        snprintf(line, sizeof line, "%s capacity=10 count=100000", lines[i]);
        struct measure_summary summary = run(line);
        assert_true(summary.handled > 0);
        assert_true(summary.handled < 100000);
    }
}

static void a_call_that_fails_ends_it_and_stop_says_so(void **state)
{
    const char *lines[] = {"measurement=task_preemption", "measurement=timer period_ns=10000",
                           "measurement=task_creation", "measurement=services",
                           "measurement=start_finish period_ns=10000",
                           "measurement=priority_inversion", "measurement=semaphore_shuffle"};
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct arm_options options;
        struct measure_summary summary;
        char line[120];
        fake.calls_fail = true;
        fake.looks_inside = 500;
        snprintf(line, sizeof line, "%s capacity=10 count=5", lines[i]);
        assert_true(arm_parse(line, &options, &why));
        assert_true(measure_arm(&fake.port, &options, &why));
        fake_run();
        assert_false(measure_stop(&summary, &why));
        assert_non_null(strstr(words, "failed while armed"));
    }
}

static void what_cannot_be_is_refused_and_nothing_stays_taken(void **state)
{
    (void)state;
    assert_refused("measurement=task_switch capacity=5", "needs count");
    assert_refused("measurement=timer capacity=5 count=5", "needs period_ns");
    assert_refused("measurement=start_finish capacity=5 count=5 period_ns=10000 pin=0", "no sense");
    assert_refused("measurement=timer capacity=5 count=5 period_ns=10000 tasks=4", "tasks is not for timer");
    assert_refused("measurement=period capacity=5 period_ns=10000 wait_ns=4", "wait_ns is for");
    assert_refused("measurement=task_switch capacity=5 count=5 tasks_as=processes",
                   "cannot be processes on this port");
    assert_refused("measurement=task_switch capacity=5 count=5 batch=5 busy_ns=5", "part of the mean");
    assert_refused("measurement=period capacity=5 period_ns=9999", "10000 or more");
    assert_refused("measurement=start_finish capacity=5 count=5 period_ns=9999", "10000 or more");
    assert_refused("measurement=start_finish capacity=5 count=5 period_ns=10000 warm_up=1",
                   "warm_up is not for start_finish");
    assert_refused("measurement=preemption capacity=5 count=5 low_priority=80", "must be below");
    assert_refused("measurement=preemption capacity=5 count=5 variant=timer", "needs pause_ns");
    assert_refused("measurement=task_switch capacity=5 count=5 variant=fork",
                   "task_switch has no variant fork; valid: yield mutex");
    assert_refused("measurement=timer capacity=5 count=5 period_ns=10000 policy=other priority=4", "must be 0");
    assert_refused("measurement=timer capacity=5 count=5 period_ns=10000 policy=rr priority=0", "from 1 to 99");
    assert_refused("measurement=interrupt_to_task capacity=5 policy=rr", "policy is for");
    assert_refused("measurement=timer capacity=5 count=5 period_ns=10000 policy=edf", "rr, other or deadline");
    assert_refused("measurement=priority_inversion capacity=5 count=5 priority=2", "3 or more");
    assert_refused("measurement=timer capacity=5 count=5 period_ns=10000 section_ns=4", "section_ns is not for timer");
    assert_refused("measurement=task_switch capacity=5 count=5 sequence_bits=1", "needs pin=1");
    fake.variants_few = true;
    fake_add_inside();
    assert_refused("measurement=preemption capacity=5 count=5 variant=futex",
                   "no variant futex on this port; it has signal semaphore eventfd pipe");
    fake.refuse_crew = true;
    assert_refused("measurement=task_switch capacity=5 count=5 pin=1", "no task");
    fake.refuse_begin = true;
    assert_refused("measurement=task_switch capacity=5 count=5 pin=1", "no semaphore");
    fake.port.inside = NULL;
    assert_refused("measurement=task_switch capacity=5 count=5", "cannot measure task_switch");
}

static void await_tells_a_host_when_to_stop(void **state)
{
    (void)state;
    assert_string_equal(fake_ask("AWAIT 5\n"), "ERR not armed\n");
    assert_string_equal(fake_ask("ARM measurement=task_switch capacity=9 count=2\n"), "OK\n");
    assert_string_equal(fake_ask("AWAIT 0\n"), "OK ended=0\n");
    assert_string_equal(fake_ask("AWAIT 5001\n"), "ERR AWAIT needs a time from 0 to 5000 ms\n");
    assert_string_equal(fake_ask("AWAIT\n"), "ERR AWAIT needs a time from 0 to 5000 ms\n");
    fake_run();
    assert_string_equal(fake_ask("AWAIT 5000\n"), "OK ended=1\n");
    assert_string_equal(fake_ask("STOP\n"), "OK handled=2 records=2 dropped=0 unanswered=0 "
                                            "overruns=0 triggers=0\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(tasks_that_yield_measure_each_switch),
        TEST(switches_are_timed_in_batches),
        TEST(real_time_tasks_rest_between_two_values),
        TEST(a_task_is_busy_before_it_gives_way),
        TEST(values_of_a_warm_up_are_logged_beside_the_others),
        TEST(a_yield_that_does_not_switch_is_no_value),
        TEST(tasks_that_wait_for_a_mutex_measure_each_switch),
        TEST(a_woken_task_preempts_and_is_measured),
        TEST(the_task_that_wakes_has_the_lower_priority),
        TEST(below_the_second_priority_is_the_lowest),
        TEST(below_the_lowest_priority_is_none),
        TEST(both_priorities_can_be_set),
        TEST(a_woken_task_that_must_wait_is_marked),
        TEST(preemption_has_three_parts_without_a_gap),
        TEST(a_woken_task_is_busy_for_as_long_as_it_is_told),
        TEST(a_timer_wakes_the_high_task_while_the_low_one_spins),
        TEST(a_pass_whose_times_are_not_in_order_has_failed),
        TEST(a_pass_that_does_not_come_in_time_has_failed),
        TEST(a_mutex_is_waited_for_as_long_as_section_and_middle_task_last),
        TEST(three_tasks_have_three_priorities),
        TEST(a_semaphore_is_had_after_a_switch_to_its_holder_and_one_back),
        TEST(clocks_are_read_twice),
        TEST(sleeps_are_late_by_the_systems_own_clock),
        TEST(an_interval_timer_keeps_to_its_grid),
        TEST(each_periodic_task_has_its_own_values),
        TEST(periodic_tasks_run_beside_a_task_that_answers),
        TEST(periodic_tasks_run_beside_a_handler_that_answers),
        TEST(tasks_beside_interrupts_are_refused_where_they_make_no_sense),
        TEST(tasks_that_cannot_be_are_refused),
        TEST(a_policy_by_deadlines_has_a_run_time_and_no_priority),
        TEST(shorter_and_shorter_periods_are_tried),
        TEST(calls_are_measured_one_by_one),
        TEST(a_periodic_task_shows_start_and_finish),
        TEST(what_interrupts_the_work_makes_it_longer),
        TEST(the_pin_shows_each_values_end),
        TEST(without_it_no_pin_is_touched),
        TEST(a_write_of_the_pins_is_measured_by_its_own_record),
        TEST(a_full_log_is_counted),
        TEST(stop_ends_each_before_its_count),
        TEST(a_call_that_fails_ends_it_and_stop_says_so),
        TEST(what_cannot_be_is_refused_and_nothing_stays_taken),
        TEST(await_tells_a_host_when_to_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
