/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines to the host: whole up to the protocol's limit, and none once the host is gone. */
#include "../core/reply.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static char sent[4 * LINE_MAX_BYTES];
static size_t sent_count;
static unsigned sends;
static bool host_is_there;

static bool collect(void *stream, const void *bytes, size_t count)
{
    (void)stream;
    sends++;
    if (!host_is_there)
        return false;
    memcpy(sent + sent_count, bytes, count);
    sent_count += count;
    sent[sent_count] = '\0';
    return true;
}

static struct session session;

static int begin(void **state)
{
    (void)state;
    session = (struct session){.send = collect};
    sent_count = sends = 0;
    host_is_there = true;
    return 0;
}

static void a_line_as_long_as_the_limit_is_sent_whole(void **state)
{
    (void)state;
    char buffer[LINE_MAX_BYTES];
    struct text rest;
    text_begin(&rest, buffer, sizeof buffer);
    while (rest.used < LINE_MAX_BYTES - strlen("ERR \n"))
        text_add(&rest, "a");
    reply_line(&session, "ERR", &rest);
    assert_int_equal(sent_count, LINE_MAX_BYTES);
    assert_memory_equal(sent, "ERR a", 5);
    assert_memory_equal(sent + LINE_MAX_BYTES - 2, "a\n", 2);
    assert_int_equal(sends, 1);
}

static void a_status_needs_nothing_behind_it(void **state)
{
    (void)state;
    char buffer[8];
    struct text nothing;
    text_begin(&nothing, buffer, sizeof buffer);
    reply_line(&session, "OK", NULL);
    reply_line(&session, "OK", &nothing);
    assert_string_equal(sent, "OK\nOK\n");
}

static void the_longest_block_is_told(void **state)
{
    (void)state;
    reply_block(&session, UINT64_MAX);
    assert_string_equal(sent, "OK 18446744073709551615\n");
}

static void nothing_is_sent_to_a_host_that_is_gone(void **state)
{
    (void)state;
    host_is_there = false;
    reply_line(&session, "OK", NULL);
    assert_int_equal(session.state, SESSION_LOST);
    reply_line(&session, "OK", NULL);
    assert_int_equal(sends, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_line_as_long_as_the_limit_is_sent_whole, begin),
        cmocka_unit_test_setup(a_status_needs_nothing_behind_it, begin),
        cmocka_unit_test_setup(the_longest_block_is_told, begin),
        cmocka_unit_test_setup(nothing_is_sent_to_a_host_that_is_gone, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
