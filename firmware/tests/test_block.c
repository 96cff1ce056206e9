/* SPDX-License-Identifier: GPL-3.0-or-later */
/* FETCh?: its block, its CRC and its wait. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "../core/crc.h"
#include "../core/scpi.h"
#include "fake_port.h"

static int begin(void **state)
{
    (void)state;
    fake_port_clear();
    scpi_reset();
    fake_port.output_size = 0;
    return 0;
}

static void feed(const char *text)
{
    while (*text)
        scpi_input((uint8_t)*text++);
}

static uint16_t crc_of(const char *bytes, size_t size)
{
    uint16_t crc = 0;
    while (size-- > 0)
        crc = crc_xmodem(crc, (uint8_t)*bytes++);
    return crc;
}

/* The catalogued check value of CRC-16/XMODEM. */
static void test_crc_has_its_check_value(void **state)
{
    (void)state;
    assert_int_equal(crc_of("123456789", 9), 0x31C3);
}

static void test_block_is_laid_out_as_documented(void **state)
{
    static const uint8_t expected[] = {
        '#', '2', '2', '6', 1, 0x03, 2, 0, 5, 0, 0, 0, 8, 7, 6, 5, 4, 3, 2, 1,
        0x78, 0x56, 0x34, 0x12, 0xFF, 0xFF, 0xFF, 0xFF,
    };
    (void)state;
    fake_port.status = (struct engine_status){
        .state = ENGINE_RUNNING,
        .captured = 5,
        .fetched = 5,
        .overruns = 3,
        .now_ticks = 0x0102030405060708ULL,
    };
    fake_port_capture(0x12345678);
    fake_port_capture(0xFFFFFFFF);
    feed("FETC?\n");
    assert_int_equal(fake_port.output_size, sizeof expected + 3);
    assert_memory_equal(fake_port.output, expected, sizeof expected);
    uint16_t crc = crc_of(fake_port.output + 4, sizeof expected - 4);
    assert_int_equal((uint8_t)fake_port.output[sizeof expected], crc & 0xFF);
    assert_int_equal((uint8_t)fake_port.output[sizeof expected + 1], crc >> 8);
    assert_int_equal(fake_port.output[sizeof expected + 2], '\n');
    assert_int_equal(fake_port.captures_size, 0);
}

static void test_full_block(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < CAPTURE_RING; i++)
        fake_port_capture(i);
    feed("FETC? 128,1000\n");
    assert_memory_equal(fake_port.output, "#3530", 5);
    assert_int_equal(fake_port.output_size, 5 + 530 + 1);
}

static void test_waits_for_edges(void **state)
{
    (void)state;
    feed("FETC? 2,1000\n");
    fake_port_capture(1);
    scpi_poll();
    assert_int_equal(fake_port.output_size, 0);
    fake_port_capture(2);
    scpi_poll();
    assert_memory_equal(fake_port.output, "#226", 4);
    fake_port.output_size = 0;
    scpi_poll();
    assert_int_equal(fake_port.output_size, 0);
}

static void test_waits_no_longer_than_its_time(void **state)
{
    (void)state;
    fake_port.status.now_ticks = 0xFFFFFF00; /* its low half goes round meanwhile */
    feed("FETC? 1,5\n");
    fake_port.status.now_ticks += 5 * TICKS_PER_MS - 1;
    scpi_poll();
    assert_int_equal(fake_port.output_size, 0);
    fake_port.status.now_ticks += 1;
    scpi_poll();
    assert_memory_equal(fake_port.output, "#218", 4);
}

static void test_a_new_line_ends_the_wait(void **state)
{
    (void)state;
    feed("FETC? 1,1000\n*OPC?");
    assert_int_equal(fake_port.output_size, 0);
    feed("\n");
    assert_memory_equal(fake_port.output, "#218", 4);
    assert_int_equal(fake_port.output_size, 4 + 18 + 1 + 2);
    assert_memory_equal(fake_port.output + 4 + 18 + 1, "1\n", 2);
}

static void test_again_repeats_the_last_block(void **state)
{
    char first[64];
    (void)state;
    fake_port_capture(1);
    fake_port_capture(2);
    feed("FETC?\n");
    size_t size = fake_port.output_size;
    memcpy(first, fake_port.output, size);
    for (int i = 0; i < 2; i++) {
        fake_port.output_size = 0;
        feed("fetch? again\n");
        assert_int_equal(fake_port.output_size, size);
        assert_memory_equal(fake_port.output, first, size);
    }
    fake_port.output_size = 0;
    fake_port_capture(3);
    feed("FETC? AGAIN\n"); /* two of before, and the new one */
    assert_int_equal(fake_port.output[6], 3);
    fake_port.output_size = 0;
    feed("FETC? AGAIN,1\nSYST:ERR?\n");
    assert_memory_equal(fake_port.output, "-104", 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_crc_has_its_check_value),
        cmocka_unit_test_setup(test_block_is_laid_out_as_documented, begin),
        cmocka_unit_test_setup(test_full_block, begin),
        cmocka_unit_test_setup(test_waits_for_edges, begin),
        cmocka_unit_test_setup(test_waits_no_longer_than_its_time, begin),
        cmocka_unit_test_setup(test_a_new_line_ends_the_wait, begin),
        cmocka_unit_test_setup(test_again_repeats_the_last_block, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
