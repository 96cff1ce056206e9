/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The line protocol as the host sees it, and the words of ARM. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../core/crc32.h"
#include "../core/measure.h"
#include "../core/record.h"
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
    measure_reset();
    return fake.blocks == 0 ? 0 : -1;
}

static uint64_t little(const char *bytes, int count)
{
    uint64_t value = 0;
    for (int i = count; i-- > 0;)
        value = value << 8 | (unsigned char)bytes[i];
    return value;
}

/* The block in the output: where it begins; its length is what the line said. */
static const char *block(size_t *size)
{
    char *end_of_number;
    assert_memory_equal(fake_output, "OK ", 3);
    *size = strtoul(fake_output + 3, &end_of_number, 10);
    assert_int_equal(*end_of_number, '\n');
    assert_int_equal(fake_output + fake_output_size - (end_of_number + 1), *size);
    return end_of_number + 1;
}

/* Bit by bit, as ISO 3309 has it. */
static uint32_t plain_crc(uint32_t crc, const char *bytes, size_t count)
{
    crc = ~crc;
    while (count--) {
        crc ^= (unsigned char)*bytes++;
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
    }
    return ~crc;
}

static void measure_three(void)
{
    assert_string_equal(fake_ask("ARM measurement=interrupt_to_task capacity=100\n"), "OK\n");
    fake_wait(PORT_DUE, 1);
    fake_wait(PORT_DUE, 2);
    fake_wait(PORT_DUE, 1);
    fake_run();
    assert_string_equal(fake_ask("STOP\n"), "OK handled=4 records=3 dropped=0 unanswered=1 "
                                            "overruns=0 triggers=0\n");
}

static void a_greeting_says_who_is_there(void **state)
{
    (void)state;
    const char *reply = fake_ask("HELLO\n");
    assert_memory_equal(reply, "OK rig-agent version=", 21);
    assert_non_null(strstr(reply, " log=3 tick_hz=1000000000 counter=fake invariant=1 rate=script "
                                  "port=fake sequence_pins=3 "
                                  "measurements=interrupt_to_task,period check=1\n"));
}

static void lines_may_come_in_pieces_and_from_consoles(void **state)
{
    (void)state;
    assert_string_equal(fake_ask("STO"), "");
    assert_memory_equal(fake_ask("P  \r\n"), "OK handled=0", 12);
    assert_memory_equal(fake_ask("STOP\nSTOP\n"), "OK handled=0", 12);
    assert_non_null(strstr(fake_output, "\nOK handled=0"));
}

static void garbage_is_refused_and_the_next_line_is_fine(void **state)
{
    (void)state;
    const char *lines[] = {"\n",      "hello\n", "STOPP\n", "LOG\n",     "LOG 1\n", "LOG x 1\n",
                           "LOG 1 -1\n", "LOG 1 2 3\n", "\x01\n",  "ST\xc3P\n", "ARM x\n", "ARM =1\n",
                           "LOG 99999999999999999999 1\n"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        assert_memory_equal(fake_ask(lines[i]), "ERR ", 4);
        assert_ptr_equal(strchr(fake_output, '\n'), fake_output + fake_output_size - 1);
    }
    assert_memory_equal(fake_ask("HELLO\n"), "OK ", 3);
}

static void a_line_of_512_bytes_is_read_and_none_longer(void **state)
{
    char line[1200];
    (void)state;
    memset(line, ' ', sizeof line);
    memcpy(line, "STOP", 4);
    strcpy(line + 512, "\n");
    assert_memory_equal(fake_ask(line), "OK handled=", 11);
    memset(line + 512, ' ', 600);
    strcpy(line + 1100, "\n");
    assert_string_equal(fake_ask(line), "ERR line longer than 512 bytes\n");
    assert_memory_equal(fake_ask("STOP\n"), "OK handled=", 11);
}

static void the_longest_refusal_fits_a_line(void **state)
{
    (void)state;
    fake_ask("ARM nonsense=1\n");
    assert_non_null(strstr(fake_output, "sequence_pins periodic\n")); /* the last of the valid words */
    assert_true(fake_output_size <= 512);
}

static void a_log_block_has_header_records_and_crc(void **state)
{
    size_t size;
    (void)state;
    measure_three();
    fake_ask("LOG 1 100\n");
    const char *bytes = block(&size);
    assert_int_equal(size, 32 + 2 * 40);
    assert_memory_equal(bytes, "LRLG", 4);
    assert_int_equal(little(bytes + 4, 2), 3);
    assert_int_equal(little(bytes + 6, 2), 40);
    assert_int_equal(little(bytes + 8, 4), 2);
    assert_int_equal(little(bytes + 12, 8), 1);
    assert_int_equal(little(bytes + 20, 8), 1000000000);
    uint32_t crc = plain_crc(plain_crc(0, bytes, 28), bytes + 32, 80);
    assert_int_equal(little(bytes + 28, 4), crc);
    assert_int_equal(little(bytes + 32, 8), 1);      /* sequence */
    assert_int_equal(little(bytes + 40, 8), 3);      /* handled */
    assert_int_equal(little(bytes + 48, 8), 30);     /* before */
    assert_int_equal(little(bytes + 56, 8), 40);     /* after */
    assert_int_equal(little(bytes + 64, 4), RECORD_COALESCED);
}

static void beyond_the_end_of_the_log_is_an_empty_block(void **state)
{
    const char *lines[] = {"LOG 3 1\n", "LOG 0 0\n", "LOG 18446744073709551615 1\n"};
    size_t size;
    (void)state;
    measure_three();
    for (size_t i = 0; i < 3; i++) {
        fake_ask(lines[i]);
        assert_int_equal(little(block(&size) + 8, 4), 0);
        assert_int_equal(size, 32);
    }
    fake_ask("LOG 2 18446744073709551615\n");
    assert_int_equal(little(block(&size) + 8, 4), 1);
}

static void a_block_holds_65536_records_at_most(void **state)
{
    size_t size;
    (void)state;
    fake_add_recorder(1u << MEASURE_INTERRUPT);
    fake.recorder_summary = (struct recorder_summary){.handled = 70000, .records = 70000};
    fake_ask("ARM measurement=interrupt capacity=70000\nSTOP\n");
    fake_ask("LOG 1000 70000\n");
    const char *bytes = block(&size);
    assert_int_equal(size, 32 + 65536 * 40);
    assert_int_equal(little(bytes + 32 + 65535 * 40, 8), 66535);
    fake.recorder_loses_log = true;
    assert_string_equal(fake_ask("LOG 0 1\n"), "ERR the log cannot be read\n");
}

static void the_environment_is_a_block_of_json(void **state)
{
    size_t size;
    (void)state;
    fake_ask("ENV\n");
    const char *bytes = block(&size);
    assert_string_equal(bytes, "{\"system\":\"fake \\\"quoted\\\" \\u0001\\u00ff\\\\\",\"number\":-7}");
}

static void a_streamed_log_is_read_while_armed(void **state)
{
    size_t size;
    (void)state;
    assert_string_equal(fake_ask("CHECK measurement=interrupt_to_task capacity=5\n"), "OK records=100 streams=1\n");
    assert_memory_equal(fake_ask("CHECK measurement=interrupt\n"), "ERR ", 4);
    fake_ask("ARM measurement=interrupt_to_task capacity=5 stream=1\n");
    fake_ask("LOG 0 9\n");
    assert_int_equal(little(block(&size) + 8, 4), 0);
    for (int i = 0; i < 5; i++)
        fake_wait(PORT_DUE, 1);
    fake_run();
    fake_ask("LOG 1 9\n"); /* the first one makes room */
    assert_int_equal(little(block(&size) + 8, 4), 2);
    assert_string_equal(fake_ask("LOG 0 9\n"), "ERR the log cannot be read\n");
    fake.script_size = 0;
    fake_wait(PORT_DUE, 1);
    fake_run();
    assert_memory_equal(fake_ask("STOP\n"), "OK handled=6 records=6 dropped=0", 32);
    fake_ask("LOG 3 9\n");
    assert_int_equal(little(block(&size) + 8, 4), 3);
}

static void a_recorder_streams_its_log(void **state)
{
    size_t size;
    (void)state;
    fake_add_recorder(1u << MEASURE_INTERRUPT);
    fake_ask("ARM measurement=interrupt capacity=9 stream=1\n");
    fake.recorder_summary = (struct recorder_summary){.handled = 30, .records = 30};
    fake_ask("LOG 28 9\n");
    assert_int_equal(little(block(&size) + 8, 4), 2);
    assert_int_equal(fake.recorder_released, 28);
    assert_string_equal(fake_ask("LOG 27 9\n"), "ERR the log cannot be read\n");
    fake_ask("LOG 31 9\n"); /* nor does it lose what was not read */
    assert_int_equal(little(block(&size) + 8, 4), 0);
    assert_int_equal(fake.recorder_released, 28);
}

static void while_armed_only_stop_and_a_new_greeting_are_heard(void **state)
{
    (void)state;
    fake_ask("ARM measurement=interrupt_to_task capacity=5\n");
    assert_string_equal(fake_ask("ENV\n"), "ERR armed; send STOP first\n");
    assert_string_equal(fake_ask("LOG 0 1\n"), "ERR armed; send STOP first\n");
    assert_memory_equal(fake_ask("ARM measurement=interrupt_to_task capacity=5\n"), "ERR armed", 9);
    assert_true(measure_armed());
    assert_memory_equal(fake_ask("HELLO\n"), "OK rig-agent", 12);
    assert_false(measure_armed());
}

static void nothing_is_said_between_arm_and_stop(void **state)
{
    (void)state;
    assert_string_equal(fake_ask("ARM measurement=interrupt_to_task capacity=5\n"), "OK\n");
    fake_output_size = 0;
    for (int i = 0; i < 9; i++)
        fake_wait(PORT_DUE, 1);
    fake_run();
    assert_int_equal(fake_output_size, 0);
}

/* --- the words of ARM ---------------------------------------------------------------------------- */

static void every_word_is_taken(void **state)
{
    struct arm_options options;
    char words[400];
    struct text why;
    (void)state;
    text_begin(&why, words, sizeof words);
    assert_true(arm_parse("measurement=period capacity=100000000 sequence_bits=7 edge=falling "
                          "period_ns=100000000000 timer=timerfd count=18446744073709551615 "
                          "priority=99 cpu=3 self_trigger=0 second_level=workqueue handler=hard "
                          "response_pin=4 sequence_pins=7,6,5,4,3,2,1 trigger_pin=9 "
                          "interrupt_pin=17",
                          &options, &why));
    assert_int_equal(options.measurement, MEASURE_PERIOD);
    assert_int_equal(options.capacity, 100000000);
    assert_int_equal(options.sequence_bits, 7);
    assert_int_equal(options.edge, EDGE_FALLING);
    assert_int_equal(options.period_ns, 100000000000);
    assert_int_equal(options.timer, TIMER_TIMERFD);
    assert_true(options.count == UINT64_MAX);
    assert_int_equal(options.priority, 99);
    assert_int_equal(options.cpu, 3);
    assert_false(options.self_trigger);
    assert_int_equal(options.second_level, SECOND_LEVEL_WORKQUEUE);
    assert_int_equal(options.handler, HANDLER_HARD);
    assert_int_equal(options.response_pin, 4);
    assert_int_equal(options.sequence_pins[0], 7);
    assert_int_equal(options.sequence_pins[6], 1);
    assert_int_equal(options.trigger_pin, 9);
    assert_int_equal(options.interrupt_pin, 17);
}

static void what_makes_no_sense_is_refused_by_name(void **state)
{
    static const char *const cases[][2] = {
        {"", "measurement is missing"},
        {"measurement=interrupt", "capacity is missing"},
        {"measurement=rest capacity=1", "measurement must be interrupt, interrupt_to_task, "
                                        "interrupt_dispatch, period, clock_resolution, "},
        {"measurement=interrupt capacity=1 pin=1", "is for measurements inside"},
        {"measurement=period capacity=1 period_ns=10000 variant=yield", "is for measurements inside"},
        {"measurement=task_switch capacity=1 count=1 tasks=513", "tasks must be"},
        {"measurement=task_switch capacity=1 count=1 tasks=1", "tasks must be"},
        {"measurement=task_switch capacity=1 count=1 variant=", "variant must be yield"},
        {"measurement=timer capacity=1 period_ns=10000 self_trigger=1", "self_trigger makes"},
        {"measurement= capacity=1", "measurement must be"},
        {"measurement=interrupt capacity=0", "capacity must be a number from 1 to 100000000"},
        {"measurement=interrupt capacity=100000001", "capacity must be"},
        {"measurement=interrupt capacity=1e3", "capacity must be"},
        {"measurement=interrupt capacity=+1", "capacity must be"},
        {"measurement=interrupt capacity=1 capacity=1", "capacity is given twice"},
        {"measurement=interrupt capacity=1 sequence_pins=1 sequence_pins=2", "given twice"},
        {"measurement=interrupt capacity=1 sequence_pins=", "sequence_pins must be"},
        {"measurement=interrupt capacity=1 sequence_pins=1,", "sequence_pins must be"},
        {"measurement=interrupt capacity=1 sequence_pins=1,2,3,4,5,6,7,8", "sequence_pins must be"},
        {"measurement=interrupt capacity=1 sequence_bits=8", "sequence_bits must be"},
        {"measurement=interrupt capacity=1 edge=up", "edge must be rising or falling"},
        {"measurement=interrupt capacity=1 count=18446744073709551616", "count must be"},
        {"measurement=period capacity=1", "needs period_ns"},
        {"measurement=period capacity=1 period_ns=9999", "period_ns must be"},
        {"measurement=interrupt capacity=1 self_trigger=1", "needs period_ns"},
        {"measurement=period capacity=1 period_ns=10000 self_trigger=1", "self_trigger makes"},
        {"measurement=interrupt capacity=1 colour=red", "unknown word"},
        {"measurement=interrupt capacity", "name=value"},
    };
    struct arm_options options;
    char words[400];
    struct text why;
    (void)state;
    text_begin(&why, words, sizeof words);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_false(arm_parse(cases[i][0], &options, &why));
        if (!strstr(words, cases[i][1]))
            fail_msg("%s: says \"%s\", not \"%s\"", cases[i][0], words, cases[i][1]);
    }
}

/* --- small parts --------------------------------------------------------------------------------- */

static void crc_is_that_of_zlib(void **state)
{
    char bytes[1000];
    (void)state;
    assert_int_equal(crc32_add(0, "123456789", 9), 0xcbf43926); /* the catalogs' check value */
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(i * i >> 3);
    for (size_t size = 0; size < sizeof bytes; size++)
        assert_int_equal(crc32_add(0, bytes, size), plain_crc(0, bytes, size));
    assert_int_equal(crc32_add(crc32_add(0, bytes, 7), bytes + 7, 993), plain_crc(0, bytes, 1000));
}

/* A parser that knows just enough: balanced, strings closed, nothing after the end. */
static bool is_closed_json(const char *text)
{
    char open[16];
    size_t depth = 0;
    for (; *text; text++) {
        if (*text == '"') {
            while (*++text != '"') {
                if (!*text || (*text == '\\' && !*++text))
                    return false;
            }
        } else if (*text == '{' || *text == '[') {
            open[depth++] = *text;
        } else if (*text == '}' || *text == ']') {
            if (!depth || open[--depth] != (*text == '}' ? '{' : '['))
                return false;
            if (!depth)
                return text[1] == '\0';
        } else if (*text == ',' && strchr(",}]", text[1])) {
            return false;
        }
    }
    return false;
}

static void json_is_closed_at_any_bound(void **state)
{
    char buffer[512];
    (void)state;
    for (size_t size = 64; size < sizeof buffer; size++) {
        struct json json;
        memset(buffer, 'x', sizeof buffer);
        json_begin(&json, buffer, size);
        json_string(&json, "line \"1\"", "\n\\");
        json_open_array(&json, "many");
        for (uint64_t i = 0; i < 8; i++) {
            json_open_object(&json, NULL);
            json_u64(&json, "n", i * 1000003);
            json_bool(&json, "odd", i & 1);
            json_open_array(&json, "deep");
            json_open_array(&json, NULL);
            json_open_array(&json, NULL); /* one too deep */
            json_i64(&json, NULL, -5);
            json_close(&json);
            json_close(&json);
            json_close(&json);
            json_close(&json);
        }
        for (int i = 0; i < 200; i++) { /* each must leave room for its closer */
            json_open_array(&json, NULL);
            json_close(&json);
        }
        json_close(&json);
        json_string(&json, "last", "one");
        json_end(&json);
        assert_true(json.text.used < size);
        assert_int_equal(json.text.used, strlen(buffer));
        if (!is_closed_json(buffer))
            fail_msg("%zu: %s", size, buffer);
    }
}

#define SPOKEN(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPOKEN(a_greeting_says_who_is_there),
        SPOKEN(lines_may_come_in_pieces_and_from_consoles),
        SPOKEN(garbage_is_refused_and_the_next_line_is_fine),
        SPOKEN(a_line_of_512_bytes_is_read_and_none_longer),
        SPOKEN(the_longest_refusal_fits_a_line),
        SPOKEN(a_log_block_has_header_records_and_crc),
        SPOKEN(beyond_the_end_of_the_log_is_an_empty_block),
        SPOKEN(a_block_holds_65536_records_at_most),
        SPOKEN(the_environment_is_a_block_of_json),
        SPOKEN(while_armed_only_stop_and_a_new_greeting_are_heard),
        SPOKEN(a_streamed_log_is_read_while_armed),
        SPOKEN(a_recorder_streams_its_log),
        SPOKEN(nothing_is_said_between_arm_and_stop),
        SPOKEN(every_word_is_taken),
        SPOKEN(what_makes_no_sense_is_refused_by_name),
        cmocka_unit_test(crc_is_that_of_zlib),
        cmocka_unit_test(json_is_closed_at_any_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
