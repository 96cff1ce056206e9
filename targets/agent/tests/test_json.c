/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON in a fixed buffer: escapes, depth, and a text that is whole however small the buffer is. */
#include "../core/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static char buffer[512];

static void control_characters_and_all_beyond_ascii_are_escaped(void **state)
{
    (void)state;
    struct json json;
    json_begin(&json, buffer, sizeof buffer);
    json_string(&json, "a\"b", "\\ \x1f ~\x7f\xff");
    json_end(&json);
    assert_string_equal(buffer, "{\"a\\\"b\":\"\\\\ \\u001f ~\\u007f\\u00ff\"}");
}

static void every_kind_of_value(void **state)
{
    (void)state;
    struct json json;
    json_begin(&json, buffer, sizeof buffer);
    json_u64(&json, "u", UINT64_MAX);
    json_i64(&json, "i", -1);
    json_open_array(&json, "l");
    json_bool(&json, NULL, true);
    json_bool(&json, NULL, false);
    json_close(&json);
    json_open_object(&json, "o");
    json_end(&json); /* closes what is open */
    assert_string_equal(buffer,
                        "{\"u\":18446744073709551615,\"i\":-1,\"l\":[true,false],\"o\":{}}");
}

static void what_is_too_deep_is_left_out_and_what_follows_is_not(void **state)
{
    (void)state;
    struct json json;
    json_begin(&json, buffer, sizeof buffer);
    for (int i = 0; i < JSON_DEPTH_MAX + 2; i++)
        json_open_array(&json, i ? NULL : "a");
    json_u64(&json, NULL, 1); /* too deep */
    json_close(&json);
    json_u64(&json, NULL, 2); /* still too deep */
    for (int i = 0; i < JSON_DEPTH_MAX + 1; i++)
        json_close(&json);
    json_u64(&json, "b", 3);
    json_close(&json); /* of nothing */
    json_end(&json);
    char wanted[sizeof buffer] = "{\"a\":";
    for (int i = 0; i < JSON_DEPTH_MAX; i++)
        strcat(wanted, "[");
    for (int i = 0; i < JSON_DEPTH_MAX; i++)
        strcat(wanted, "]");
    strcat(wanted, ",\"b\":3}");
    assert_string_equal(buffer, wanted);
}

static void write_members(char *bytes, size_t size)
{
    struct json json;
    json_begin(&json, bytes, size);
    json_string(&json, "name", "a word");
    json_open_array(&json, "list");
    json_u64(&json, NULL, 12345);
    json_open_object(&json, NULL);
    json_bool(&json, "x", true);
    json_close(&json);
    json_close(&json);
    json_i64(&json, "last", -7);
    json_end(&json);
}

static void any_buffer_ends_with_a_whole_text(void **state)
{
    (void)state;
    char whole[256];
    write_members(whole, sizeof whole);
    assert_string_equal(whole,
                        "{\"name\":\"a word\",\"list\":[12345,{\"x\":true}],\"last\":-7}");
    size_t cut = 0;
    for (size_t size = 64; size < 128; size++) {
        memset(buffer, '?', sizeof buffer);
        write_members(buffer, size);
        size_t used = strlen(buffer);
        assert_in_range(used, 2, size - 1);
        int open = 0;
        for (size_t i = 0; i < used; i++) {
            assert_true(open > 0 || i == 0);
            open += strchr("{[", buffer[i]) != NULL;
            open -= strchr("}]", buffer[i]) != NULL;
        }
        assert_int_equal(open, 0);
        assert_null(strstr(buffer, "{,"));
        assert_null(strstr(buffer, "[,"));
        bool same = strcmp(buffer, whole) == 0;
        assert_int_equal(strstr(buffer, "\"omitted\":") == NULL, same);
        cut += !same;
    }
    assert_in_range(cut, 10, 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(control_characters_and_all_beyond_ascii_are_escaped),
        cmocka_unit_test(every_kind_of_value),
        cmocka_unit_test(what_is_too_deep_is_left_out_and_what_follows_is_not),
        cmocka_unit_test(any_buffer_ends_with_a_whole_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
