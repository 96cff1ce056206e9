/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The interpreter as the host sees it: lines in, replies and errors out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "../core/scpi.h"
#include "fake_port.h"

static int begin(void **state)
{
    (void)state;
    fake_port_clear();
    scpi_reset();
    return 0;
}

static void feed(const char *text)
{
    while (*text)
        scpi_input((uint8_t)*text++);
}

/* Everything sent in reply to these bytes. */
static const char *ask(const char *text)
{
    memset(fake_port.output, 0, sizeof fake_port.output);
    fake_port.output_size = 0;
    feed(text);
    return fake_port.output;
}

static void assert_no_error(void)
{
    assert_string_equal(ask("SYST:ERR?\n"), "0,\"No error\"\n");
}

/* The text gives this one error and no reply. */
static void assert_refused(const char *text, int number)
{
    assert_string_equal(ask(text), "");
    assert_int_equal(atoi(ask("SYST:ERR?\n")), number);
    assert_no_error();
}

static void test_says_ready_at_power_up(void **state)
{
    (void)state;
    assert_string_equal(fake_port.output,
                        "READY Latency Rig,Stimulus ATmega328P,42," FIRMWARE_VERSION "\n");
}

static void test_answers_the_common_queries(void **state)
{
    (void)state;
    assert_string_equal(ask("*IDN?\n"),
                        "Latency Rig,Stimulus ATmega328P,42," FIRMWARE_VERSION "\n");
    assert_string_equal(ask("*OPC?\n"), "1\n");
    assert_string_equal(ask("SYST:VERS?\n"), "1999.0\n");
    assert_string_equal(ask("SYST:INT?\n"), "2\n");
    assert_string_equal(ask("SYST:CLOC?\n"), "16000000\n");
    assert_no_error();
}

static void test_describes_its_chip(void **state)
{
    (void)state;
    assert_string_equal(
        ask("SYST:CHIP?\n"),
        "chip=atmega328p,title=ATmega328P,stimulus=D9:OC1A,response=D8:ICP1,clock_hz=16000000,"
        "captures=128,delay=1600:160000000,width=160:32767,rest=160,pattern=PER:320:160000000,"
        "pattern=UNIF:1280:160000000,pattern=POIS:1600:160000000,pattern=BURS:320:160000000,"
        "pattern=RAMP:1600:16000000\n");
    assert_no_error();
}

static void test_takes_either_case_and_form(void **state)
{
    (void)state;
    assert_string_equal(ask("source:interval:minimum 2000\n:SOUR:INT:MIN?\r\n"), "2000\n");
    assert_string_equal(ask("  Sour:Interval:MIN\t3000 \nSOURce:INT:minimum?\n"), "3000\n");
    assert_string_equal(ask("sour:patt poisson\nSOUR:PATT?\n"), "POIS\n");
    assert_string_equal(ask("SOUR:POL negative\nSOUR:POL?\n"), "NEG\n");
    assert_int_equal(fake_port.rest, POLARITY_NEGATIVE);
    assert_no_error();
}

static void test_reads_times_with_units(void **state)
{
    static const struct {
        const char *text;
        const char *ticks;
    } cases[] = {
        {"16000", "16000\n"},         {"16000 TICK", "16000\n"},
        {"1ms", "16000\n"},           {"1.0 MS", "16000\n"},
        {"0.001 s", "16000\n"},       {"1000 us", "16000\n"},
        {"1000000NS", "16000\n"},     {"10 S", "160000000\n"},
        {"10.000000000 S", "160000000\n"},
        {"00000000000000020 us", "320\n"}, /* leading zeros are no digits */
        {"100031.25 ns", "1601\n"},   /* 1600.5 ticks: half up */
        {"100031.24 ns", "1600\n"},   {"100.03125 us", "1601\n"},
        {"320.4999", "320\n"},        {"320.5", "321\n"},
        {".5 ms", "8000\n"},          {"25. us", "400\n"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char line[64];
        strcpy(line, "SOUR:PER ");
        strcat(line, cases[i].text);
        strcat(line, "\n");
        assert_string_equal(ask(line), "");
        assert_string_equal(ask("SOUR:PER?\n"), cases[i].ticks);
    }
    assert_no_error();
}

static void test_names_each_mistake(void **state)
{
    static const struct {
        const char *text;
        int number;
    } cases[] = {
        {"HELLO\n", -113},
        {"SOUR\n", -113},
        {"SOUR:PERI 1 ms\n", -113}, /* neither the short nor the long form */
        {"SOUR:PER:X 1 ms\n", -113},
        {"STAT\n", -113}, /* has a query form only */
        {"INIT?\n", -113},
        {"@#$%\n", -102},
        {"SOUR:PER?1\n", -102},
        {"SOUR:PER ,\n", -102},
        {"FETC? 1,\n", -102},
        {"*RST;*CLS\n", -103},
        {"SOUR:PER 1 ms;INIT\n", -103},
        {"SOUR:PER\x01 5\n", -101},
        {"\xff\xfe*IDN?\n", -101},
        {"SOUR:PER\n", -109},
        {"SOUR:PER   \n", -109},
        {"SOUR:PER 1,2\n", -108},
        {"SOUR:PER? 1\n", -108},
        {"FETC? 1,2,3\n", -108},
        {"*IDN? 1\n", -108},
        {"SOUR:PER fast\n", -104},
        {"SOUR:PER \"1\"\n", -104},
        {"SOUR:PATT 1\n", -104},
        {"SOUR:COUN 1.5\n", -104},
        {"SOUR:PER -5\n", -121},
        {"SOUR:PER 1.2.3 ms\n", -121},
        {"SOUR:PER .\n", -121},
        {"SOUR:PER 1 2\n", -121},
        {"SOUR:PER 1234567890123\n", -124},
        {"SOUR:PER 1.000000000000 S\n", -124},
        {"SOUR:PER 1 KM\n", -131},
        {"SOUR:PER 1 MSS\n", -131},
        {"SOUR:PER 1E3\n", -131},
        {"SOUR:COUN 5 MS\n", -138},
        {"SOUR:COUN 0\n", -222},
        {"SOUR:COUN 4294967296\n", -222},
        {"SOUR:SEED 4294967296\n", -222},
        {"SOUR:PER 319\n", -222},
        {"SOUR:PER 10.00001 S\n", -222},
        {"SOUR:PER 999999999999 S\n", -222},
        {"SOUR:PULS:WIDT 159\n", -222},
        {"SOUR:PULS:WIDT 32768\n", -222},
        {"SOUR:DEL 0\n", -222},
        {"FETC? 129\n", -222},
        {"FETC? 1,60001\n", -222},
        {"SOUR:PATT SQUARE\n", -224},
        {"SOUR:PATT PERI\n", -224},
        {"SOUR:POL UP\n", -224},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_refused(cases[i].text, cases[i].number);
    /* Nothing has changed. */
    assert_string_equal(ask("SOUR:COUN?\nSOUR:DEL?\nSOUR:PULS:WIDT?\nSOUR:SEED?\nSOUR:POL?\n"
                            "SOUR:PATT?\nSOUR:PER?\n"),
                        "1000\n16000\n160\n1\nPOS\nPER\n16000\n");
    assert_int_equal(fake_port.starts, 0);
}

static void test_drops_a_line_that_is_too_long(void **state)
{
    char line[LINE_SIZE + 8];
    (void)state;
    memset(line, 'A', sizeof line);
    line[LINE_SIZE - 1] = '\n'; /* as many characters as fit: wrong, but not too long */
    line[LINE_SIZE] = '\0';
    assert_refused(line, -113);
    line[LINE_SIZE - 1] = 'A';
    line[LINE_SIZE] = '\n';
    line[LINE_SIZE + 1] = '\0';
    assert_refused(line, -363);
    assert_string_equal(ask("*OPC?\n"), "1\n");
}

static void test_a_line_cut_in_half_costs_one_error(void **state)
{
    (void)state;
    feed("SOUR:PER 5 m");
    assert_refused("*OPC?\n", -131);
    feed("SOUR:PE");
    assert_refused("*OPC?\n", -113);
    assert_string_equal(ask("SOUR:PER?\n"), "16000\n");
}

static void test_damage_on_the_line_drops_it(void **state)
{
    (void)state;
    feed("SOUR:PE");
    scpi_input_fault(ERROR_INPUT_OVERRUN);
    assert_refused("R 2 ms\n", -363);
    assert_string_equal(ask("SOUR:PER?\n"), "16000\n");
}

static void test_queue_overflows_as_the_standard_says(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++)
        feed("X\n");
    for (int i = 0; i < 7; i++)
        assert_string_equal(ask("SYST:ERR?\n"), "-113,\"Undefined header\"\n");
    assert_string_equal(ask("SYST:ERR?\n"), "-350,\"Queue overflow\"\n");
    assert_no_error();
    feed("X\n*CLS\n");
    assert_no_error();
}

static void test_init_checks_the_settings_together(void **state)
{
    static const char *const conflicts[][2] = {
        {"SOUR:PER 400\nSOUR:PULS:WIDT 250\n", "pulse and rest exceed the interval"},
        {"SOUR:PATT UNIF\nSOUR:INT:MIN 5 ms\nSOUR:INT:MAX 4 ms\n", "INT:MIN is above"},
        {"SOUR:PATT POIS\nSOUR:INT:MIN 5 ms\nSOUR:INT:MEAN 4 ms\n", "INT:MIN is above"},
        {"SOUR:PATT POIS\nSOUR:INT:MIN 1500\n", "too short for this pattern"},
        {"SOUR:PATT BURS\nSOUR:BURS:COUN 11\nSOUR:BURS:SPAC 0.1 MS\n", "does not fit"},
        {"SOUR:PATT BURS\nSOUR:BURS:COUN 4000000000\nSOUR:BURS:SPAC 10 S\n", "does not fit"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof conflicts / sizeof conflicts[0]; i++) {
        feed("*RST\n");
        feed(conflicts[i][0]);
        feed("INIT\n");
        const char *error = ask("SYST:ERR?\n");
        assert_int_equal(atoi(error), -221);
        assert_non_null(strstr(error, conflicts[i][1]));
        assert_no_error();
    }
    assert_int_equal(fake_port.starts, 0);
}

static void test_runs_one_train_at_a_time(void **state)
{
    (void)state;
    feed("SOUR:COUN 7\nINIT\n");
    assert_int_equal(fake_port.starts, 1);
    assert_int_equal(fake_port.started.count, 7);
    assert_refused("INIT\n", -213);
    assert_refused("SOUR:COUN 8\n", -221);
    assert_refused("SOUR:POL NEG\n", -221);
    assert_string_equal(ask("SOUR:COUN?\n"), "7\n");
    fake_port.status.sent = 3;
    fake_port.status.late = 2;
    fake_port.status.late_max_ticks = 99;
    fake_port.status.captured = 5;
    fake_port.status.overruns = 1;
    fake_port.status.now_ticks = 18446744073709551615ULL;
    assert_string_equal(ask("STAT?\n"), "RUN,7,3,2,99,5,1,18446744073709551615\n");
    assert_string_equal(ask("ABOR\nSTAT?\n"), "ABOR,7,3,2,99,5,1,18446744073709551615\n");
    feed("ABOR\nINIT\n");
    assert_int_equal(fake_port.starts, 2);
    assert_string_equal(ask("*RST\nSTAT?\nSOUR:COUN?\n"), "IDLE,0,0,0,0,0,0,0\n1000\n");
    assert_no_error();
}

/* Whatever arrives, the interpreter stays within its memory (the sanitizers look on), starts
 * nothing, and understands the next line. */
static void test_survives_garbage(void **state)
{
    static const char *const pieces[] = {"SOUR:", "PER", "?", " ", ",", "1", ".", "MS", "\n", ";",
                                         "*IDN", "FETC? ", "9999999999", "\t", "\r", "INT:MIN"};
    uint32_t random = 1;
    (void)state;
    for (int round = 0; round < 20000; round++) {
        for (int i = 0; i < 12; i++) {
            random = random * 1664525 + 1013904223;
            if (random >> 28 == 0)
                scpi_input((uint8_t)(random >> 16));
            else
                feed(pieces[random >> 20 & 15]);
        }
        fake_port.output_size = 0;
        scpi_poll();
    }
    feed("\n*CLS\n");
    assert_string_equal(ask("*OPC?\n"), "1\n");
    assert_no_error();
    assert_int_equal(fake_port.starts, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_says_ready_at_power_up, begin),
        cmocka_unit_test_setup(test_answers_the_common_queries, begin),
        cmocka_unit_test_setup(test_describes_its_chip, begin),
        cmocka_unit_test_setup(test_takes_either_case_and_form, begin),
        cmocka_unit_test_setup(test_reads_times_with_units, begin),
        cmocka_unit_test_setup(test_names_each_mistake, begin),
        cmocka_unit_test_setup(test_drops_a_line_that_is_too_long, begin),
        cmocka_unit_test_setup(test_a_line_cut_in_half_costs_one_error, begin),
        cmocka_unit_test_setup(test_damage_on_the_line_drops_it, begin),
        cmocka_unit_test_setup(test_queue_overflows_as_the_standard_says, begin),
        cmocka_unit_test_setup(test_init_checks_the_settings_together, begin),
        cmocka_unit_test_setup(test_runs_one_train_at_a_time, begin),
        cmocka_unit_test_setup(test_survives_garbage, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
