/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The generator, each pattern, and the words made of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "../core/exponential.h"
#include "../core/limits.h"
#include "../core/patterns.h"
#include "../core/random.h"
#include "../core/steps.h"

static struct train_settings settings;

static int begin(void **state)
{
    (void)state;
    train_defaults(&settings);
    return 0;
}

static void set(const char *header, uint32_t value)
{
    const struct setting *setting = pattern_settings;
    while (strcmp(setting->header, header) != 0)
        assert_true((++setting)->header[0] != '\0');
    memcpy((char *)&settings + setting->offset, &value, sizeof value);
}

static void take_pattern(const char *name)
{
    struct pattern pattern;
    settings.pattern = 0;
    while (assert_true(pattern_load(settings.pattern, &pattern)), strcmp(pattern.name, name) != 0)
        settings.pattern++;
}

/* Interval by interval, whatever the runs of equal ones that train_next reports. */
static void intervals(uint32_t *ticks, uint32_t count)
{
    struct train_sequence sequence;
    train_begin(&sequence, &settings);
    while (count > 0) {
        uint32_t times;
        uint32_t interval = train_next(&sequence, count, &times);
        assert_in_range(times, 1, count);
        count -= times;
        while (times-- > 0)
            *ticks++ = interval;
    }
}

/* The vectors of PROTOCOL.md. */
static void test_generator_gives_the_documented_words(void **state)
{
    static const uint32_t seed_1[] = {0x5E2D1772, 0x14E498F0, 0xD20EA1FD, 0xB382F339};
    static const uint32_t seed_max[] = {0xEB721C8A, 0xFFE8BD34, 0x4DA2A8CE, 0xA4A5CC85};
    (void)state;
    for (uint32_t k = 0; k < 4; k++) {
        assert_int_equal(random_word(1 + (k + 1) * (uint32_t)RANDOM_STEP), seed_1[k]);
        assert_int_equal(random_word(0xFFFFFFFF + (k + 1) * (uint32_t)RANDOM_STEP), seed_max[k]);
    }
}

static void test_logarithm_is_close_and_never_below(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 1000000; i++) {
        uint32_t word = random_word(i);
        double exact = 32 - log2((double)(word | 1));
        double error = minus_log2_q24(word) / 16777216.0 - exact;
        assert_true(error > -2e-5 && error < 7e-5);
    }
    assert_int_equal(minus_log2_q24(0), 32UL << 24);
    /* 32 * ln 2 times the mean, less what 29 bits of the logarithm leave out. */
    assert_int_equal(exponential_ticks(0, mean_ln2_q5(160000000)), 3548913557UL);
}

static void test_periodic(void **state)
{
    uint32_t ticks[5];
    (void)state;
    set("SOURce:PERiod", 12345);
    intervals(ticks, 5);
    for (int i = 0; i < 5; i++)
        assert_int_equal(ticks[i], 12345);
}

static void test_uniform_reaches_both_ends(void **state)
{
    static uint32_t ticks[10000];
    unsigned seen[8] = {0};
    (void)state;
    take_pattern("UNIForm");
    set("SOURce:INTerval:MINimum", 2000);
    set("SOURce:INTerval:MAXimum", 2007);
    intervals(ticks, 10000);
    for (int i = 0; i < 10000; i++) {
        assert_in_range(ticks[i], 2000, 2007);
        seen[ticks[i] - 2000]++;
    }
    for (int i = 0; i < 8; i++)
        assert_in_range(seen[i], 1100, 1400); /* 1250 expected, deviation 33 */
}

static void test_poisson_is_bounded_and_has_its_mean(void **state)
{
    static uint32_t ticks[100000];
    double sum = 0;
    (void)state;
    take_pattern("POISson");
    set("SOURce:INTerval:MINimum", 3200);
    set("SOURce:INTerval:MEAN", 16000);
    intervals(ticks, 100000);
    for (int i = 0; i < 100000; i++) {
        assert_true(ticks[i] >= 3200);
        sum += ticks[i];
    }
    assert_true(fabs(sum / 100000 - 16000) < 4 * 12800 / sqrt(100000));
}

static void test_burst(void **state)
{
    static const uint32_t expected[] = {400, 400, 9200, 400, 400, 9200, 400};
    uint32_t ticks[7];
    (void)state;
    take_pattern("BURSt");
    set("SOURce:PERiod", 10000);
    set("SOURce:BURSt:COUNt", 3);
    set("SOURce:BURSt:SPACing", 400);
    intervals(ticks, 7);
    for (int i = 0; i < 7; i++)
        assert_int_equal(ticks[i], expected[i]);
}

static void test_ramp_runs_from_start_to_stop(void **state)
{
    uint32_t ticks[99];
    (void)state;
    take_pattern("RAMP");
    settings.count = 100;
    set("SOURce:RAMP:STARt", 160000);
    set("SOURce:RAMP:STOP", 1600);
    intervals(ticks, 99);
    assert_in_range(ticks[0], 160000, 160006);
    assert_in_range(ticks[98], 1600, 1601);
    for (int i = 1; i < 99; i++)
        assert_true(ticks[i] < ticks[i - 1]);
    set("SOURce:RAMP:STARt", 1600);
    set("SOURce:RAMP:STOP", 160000);
    intervals(ticks, 99);
    assert_in_range(ticks[98], 159990, 160006);
    for (int i = 1; i < 99; i++)
        assert_true(ticks[i] > ticks[i - 1]);
}

/* What the interrupt makes of the words: edges at the planned ticks, in rests that hold. */
static void assert_steps_make_the_train(uint8_t batch)
{
    static uint32_t ticks[1000];
    uint16_t ring[STEP_RING];
    struct steps steps;
    uint64_t planned = settings.delay_ticks;
    uint64_t now = STEP_LEAD_TICKS;
    uint32_t edges = 0;
    uint8_t place = 250; /* the ring's index goes round soon */

    intervals(ticks, settings.count - 1);
    steps_begin(&steps, &settings);
    for (;;) {
        uint8_t made = steps_fill(&steps, ring, place, batch);
        assert_in_range(made, 1, batch);
        while (made-- > 0) {
            uint16_t word = ring[place++ % STEP_RING];
            if (word == STEP_END) {
                assert_int_equal(made, 0);
                assert_int_equal(edges, settings.count);
                assert_int_equal(steps_fill(&steps, ring, place, batch), 0);
                return;
            }
            now += word & STEP_TICKS_MASK;
            assert_true((word & STEP_TICKS_MASK) >= GAP_MIN_TICKS);
            if (word & STEP_HOP)
                continue;
            assert_true(now == planned);
            planned += edges < settings.count - 1 ? ticks[edges] : 0;
            edges++;
            now += settings.width_ticks;
        }
    }
}

static void test_steps_keep_every_edge(void **state)
{
    static const uint32_t periods[] = {320, 32767, 32768, 32767 + 160, 32768 + 160, 49152, 1000000};
    (void)state;
    settings.count = 300;
    for (size_t i = 0; i < sizeof periods / sizeof periods[0]; i++) {
        set("SOURce:PERiod", periods[i]);
        for (uint8_t batch = 1; batch <= STEP_RING; batch += 7)
            assert_steps_make_the_train(batch);
    }
    settings.delay_ticks = INTERVAL_MAX_TICKS;
    struct pattern pattern;
    for (settings.pattern = 0; pattern_load(settings.pattern, &pattern); settings.pattern++) {
        settings.count = 1000;
        assert_steps_make_the_train(8);
        settings.count = 1;
        assert_steps_make_the_train(8);
    }
}

static void test_check_finds_the_shortest_interval(void **state)
{
    (void)state;
    take_pattern("BURSt");
    set("SOURce:PERiod", 1960);
    set("SOURce:BURSt:COUNt", 5);
    set("SOURce:BURSt:SPACing", 400);
    assert_int_equal(train_shortest_ticks(&settings), 360);
    assert_int_equal(train_check(&settings), CONFLICT_NONE);
    settings.width_ticks = 200;
    assert_int_equal(train_check(&settings), CONFLICT_NONE);
    settings.width_ticks = 201;
    assert_int_equal(train_check(&settings), CONFLICT_WIDTH);
    set("SOURce:BURSt:COUNt", 1);
    assert_int_equal(train_shortest_ticks(&settings), 1960);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_generator_gives_the_documented_words, begin),
        cmocka_unit_test_setup(test_logarithm_is_close_and_never_below, begin),
        cmocka_unit_test_setup(test_periodic, begin),
        cmocka_unit_test_setup(test_uniform_reaches_both_ends, begin),
        cmocka_unit_test_setup(test_poisson_is_bounded_and_has_its_mean, begin),
        cmocka_unit_test_setup(test_burst, begin),
        cmocka_unit_test_setup(test_ramp_runs_from_start_to_stop, begin),
        cmocka_unit_test_setup(test_steps_keep_every_edge, begin),
        cmocka_unit_test_setup(test_check_finds_the_shortest_interval, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
