/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PULSE: single pins driven for a check of the wires. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "../core/measure.h"
#include "../core/pulse.h"
#include "fake_port.h"

static int begin(void **state)
{
    (void)state;
    fake_begin();
    return 0;
}

static int end(void **state)
{
    (void)state;
    pulse_release();
    measure_reset();
    return fake.blocks == 0 && fake.attached == 0 ? 0 : -1;
}

static void assert_writes(const uint32_t *expected, size_t count)
{
    assert_int_equal(fake.writes_size, count);
    assert_memory_equal(fake.writes, expected, count * sizeof *expected);
}

static void one_pin_gets_its_pulses_and_all_end_low(void **state)
{
    (void)state;
    const uint32_t response[] = {0, 1, 0, 1, 0};
    assert_string_equal(fake_ask("PULSE signal=response count=2\n"), "OK\n");
    assert_writes(response, 5);
    fake.writes_size = 0;
    const uint32_t sequence[] = {0, 8, 0};
    assert_string_equal(fake_ask("PULSE signal=sequence2 sequence_bits=3\n"), "OK\n");
    assert_writes(sequence, 3);
}

static void no_pulse_brings_all_low(void **state)
{
    (void)state;
    const uint32_t expected[] = {0};
    assert_string_equal(fake_ask("PULSE signal=response count=0\n"), "OK\n");
    assert_writes(expected, 1);
}

static void a_pulse_lasts_its_width(void **state)
{
    (void)state;
    /* The counter of 1 GHz goes on by 1000 with each look, by 20 with each write. */
    fake_ask("PULSE signal=response count=1 width_us=100\n");
    uint64_t looks = 3 * (100 + 1);
    assert_int_equal(fake.ticks, looks * 1000 + 3 * 20);
}

static void the_next_answer_begins_from_low(void **state)
{
    (void)state;
    fake_ask("ARM measurement=interrupt_to_task capacity=10\n");
    fake_wait(PORT_DUE, 1);
    fake_run();
    fake_ask("STOP\n");
    fake_ask("PULSE signal=response count=0\n");
    fake_ask("ARM measurement=interrupt_to_task capacity=10\n");
    fake_run();
    fake_ask("STOP\n");
    const uint32_t expected[] = {1, 0, 1};
    assert_writes(expected, 3);
}

static void what_makes_no_sense_is_refused_and_moves_no_pin(void **state)
{
    (void)state;
    const char *lines[] = {
        "PULSE\n",
        "PULSE count=1\n",
        "PULSE signal=\n",
        "PULSE signal=task\n",
        "PULSE signal=sequence\n",
        "PULSE signal=sequence7 sequence_bits=7\n",
        "PULSE signal=sequence10\n",
        "PULSE signal=sequence0\n",
        "PULSE signal=sequence3 sequence_bits=4\n",
        "PULSE signal=response count=101\n",
        "PULSE signal=response count=x\n",
        "PULSE signal=response width_us=0\n",
        "PULSE signal=response width_us=100001\n",
        "PULSE signal=response measurement=period\n",
        "PULSE signal=response sequence_bits=8\n",
        "PULSE response\n",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        assert_memory_equal(fake_ask(lines[i]), "ERR ", 4);
    fake.port.now_ticks = NULL;
    assert_memory_equal(fake_ask("PULSE signal=response\n"), "ERR ", 4);
    assert_int_equal(fake.writes_size, 0);
}

static void pins_stay_taken_until_something_else_begins(void **state)
{
    (void)state;
    const char *others[] = {"STOP\n", "HELLO\n", "ARM measurement=nonsense\n"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        fake_ask("PULSE signal=response sequence_bits=1\n");
        assert_int_equal(fake.attached, 1);
        fake_ask("PULSE signal=sequence0 sequence_bits=1\n");
        assert_int_equal(fake.attached, 1);
        fake_ask("PULSE signal=response sequence_bits=2\n");
        assert_int_equal(fake.attached, 1);
        fake_ask(others[i]);
        assert_int_equal(fake.attached, 0);
    }
    fake_ask("PULSE signal=response\n");
    assert_string_equal(fake_ask("ARM measurement=interrupt_to_task capacity=10\n"), "OK\n");
    assert_int_equal(fake.attached, 1);
    fake_ask("STOP\n");
}

static void nothing_is_pulsed_while_armed(void **state)
{
    (void)state;
    fake_ask("ARM measurement=interrupt_to_task capacity=10\n");
    assert_string_equal(fake_ask("PULSE signal=response\n"), "ERR armed; send STOP first\n");
    assert_int_equal(fake.writes_size, 0);
    fake_ask("STOP\n");
}

static void a_refused_line_is_told(void **state)
{
    (void)state;
    fake.refuse_attach = true;
    assert_string_equal(fake_ask("PULSE signal=response\n"), "ERR no line\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_pin_gets_its_pulses_and_all_end_low, begin, end),
        cmocka_unit_test_setup_teardown(no_pulse_brings_all_low, begin, end),
        cmocka_unit_test_setup_teardown(a_pulse_lasts_its_width, begin, end),
        cmocka_unit_test_setup_teardown(the_next_answer_begins_from_low, begin, end),
        cmocka_unit_test_setup_teardown(what_makes_no_sense_is_refused_and_moves_no_pin, begin, end),
        cmocka_unit_test_setup_teardown(pins_stay_taken_until_something_else_begins, begin, end),
        cmocka_unit_test_setup_teardown(nothing_is_pulsed_while_armed, begin, end),
        cmocka_unit_test_setup_teardown(a_refused_line_is_told, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
