/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text in a fixed buffer: numbers to their last value, and what no longer fits. */
#include "../core/text.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static char buffer[64];

static void integer(int64_t number, const char *words)
{
    struct text text;
    text_begin(&text, buffer, sizeof buffer);
    text_add_i64(&text, number);
    assert_string_equal(buffer, words);
}

static void integers_are_written_whole(void **state)
{
    (void)state;
    integer(0, "0");
    integer(9, "9");
    integer(10, "10");
    integer(-1, "-1");
    integer(INT64_MAX, "9223372036854775807");
    integer(INT64_MIN, "-9223372036854775808");
}

static void the_longest_unsigned_fits(void **state)
{
    (void)state;
    struct text text;
    text_begin(&text, buffer, sizeof buffer);
    text_add_field(&text, "n", UINT64_MAX);
    assert_string_equal(buffer, "n=18446744073709551615");
}

static void what_does_not_fit_is_left_out_whole(void **state)
{
    (void)state;
    struct text text;
    text_begin(&text, buffer, 5);
    text_add(&text, "abc");
    text_add(&text, "de"); /* one byte too long: the zero byte needs room as well */
    assert_string_equal(buffer, "abc");
    assert_true(text.full);
}

static void the_last_byte_is_used(void **state)
{
    (void)state;
    struct text text;
    text_begin(&text, buffer, 5);
    text_add(&text, "abc");
    text_add(&text, "d");
    assert_string_equal(buffer, "abcd");
    assert_false(text.full);
}

static void it_is_cut_but_never_made_longer(void **state)
{
    (void)state;
    struct text text;
    text_begin(&text, buffer, sizeof buffer);
    text_add(&text, "abc");
    text_cut(&text, 7);
    assert_int_equal(text.used, 3);
    text_cut(&text, 1);
    assert_string_equal(buffer, "a");
}

static void fields_have_one_blank_between_them(void **state)
{
    (void)state;
    struct text text;
    text_begin(&text, buffer, sizeof buffer);
    text_add_word(&text, "a", "b");
    text_add_field(&text, "c", 0);
    assert_string_equal(buffer, "a=b c=0");
}

static void what_is_wrong_is_said_alone(void **state)
{
    (void)state;
    struct text text;
    text_begin(&text, buffer, 5);
    text_add(&text, "abcde");
    text_say(&text, "no");
    assert_string_equal(buffer, "no");
    assert_false(text.full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_are_written_whole),
        cmocka_unit_test(the_longest_unsigned_fits),
        cmocka_unit_test(what_does_not_fit_is_left_out_whole),
        cmocka_unit_test(the_last_byte_is_used),
        cmocka_unit_test(it_is_cut_but_never_made_longer),
        cmocka_unit_test(fields_have_one_blank_between_them),
        cmocka_unit_test(what_is_wrong_is_said_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
