/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "arm.h"

#include <string.h>

struct value {
    const char *text;
    size_t size;
};

/* How a word's value is read: as one of these names, or as a number, a list of pins. */
struct word {
    const char *name;
    const char *const *choices; /* NULL: a number */
    uint64_t minimum, maximum;
    void (*take)(struct arm_options *options, uint64_t value);
    uint32_t given;
};

#define LOOP(name) #name,
static const char *const measurements[] = {"interrupt", "interrupt_to_task", "interrupt_dispatch",
                                           "period", LOOPS(LOOP) NULL};
#undef LOOP
_Static_assert(sizeof measurements / sizeof *measurements == MEASUREMENTS_COUNT + 1, "each named");
static const char *const edges[] = {"rising", "falling", NULL};
static const char *const timers[] = {"nanosleep", "itimer", "timerfd", NULL};
static const char *const variants[] = {
    "yield", "mutex", "counter", "monotonic", "monotonic_raw", "realtime", "boottime", "coarse",
    "signal", "semaphore", "futex", "eventfd", "pipe", "absolute", "relative", "periodic", "itimer", "fork", "thread",
    "pipe_write", "pipe_read", "shared_memory", "port_write", "port_read", "task", "timer", "handler", "fork_first",
    "memory_write", "memory_read", "mutex_lock", "mutex_unlock", "semaphore_post", "semaphore_wait", "queue_send",
    "queue_receive", "clock_gettime", "system_call", "ioctl", "none", "inheritance", "ceiling", NULL};
_Static_assert(sizeof variants / sizeof *variants == VARIANTS_COUNT + 1, "each named");
static const char *const policies[] = {"fifo", "rr", "other", "deadline", NULL};
static const char *const second_levels[] = {"thread", "workqueue", "tasklet", NULL};
static const char *const tasks_as[] = {"threads", "processes", NULL};
static const char *const handlers[] = {"parport", "hard", "default", NULL};

/* clang-format off */
static void take_measurement(struct arm_options *o, uint64_t v) { o->measurement = (enum measurement)v; }
static void take_capacity(struct arm_options *o, uint64_t v) { o->capacity = v; }
static void take_stream(struct arm_options *o, uint64_t v) { o->stream = v; }
static void take_sequence_bits(struct arm_options *o, uint64_t v) { o->sequence_bits = (uint8_t)v; }
static void take_edge(struct arm_options *o, uint64_t v) { o->edge = (enum edge)v; }
static void take_period_ns(struct arm_options *o, uint64_t v) { o->period_ns = v; }
static void take_timer(struct arm_options *o, uint64_t v) { o->timer = (enum timer)v; }
static void take_count(struct arm_options *o, uint64_t v) { o->count = v; }
static void take_priority(struct arm_options *o, uint64_t v) { o->priority = (int32_t)v; }
static void take_cpu(struct arm_options *o, uint64_t v) { o->cpu = (int32_t)v; }
static void take_interrupt_cpu(struct arm_options *o, uint64_t v) { o->interrupt_cpu = (int32_t)v; }
static void take_interrupt_priority(struct arm_options *o, uint64_t v) { o->interrupt_priority = (int32_t)v; }
static void take_self_trigger(struct arm_options *o, uint64_t v) { o->self_trigger = v; }
static void take_second_level(struct arm_options *o, uint64_t v) { o->second_level = (enum second_level)v; }
static void take_handler(struct arm_options *o, uint64_t v) { o->handler = (enum handler)v; }
static void take_response_pin(struct arm_options *o, uint64_t v) { o->response_pin = (uint16_t)v; }
static void take_trigger_pin(struct arm_options *o, uint64_t v) { o->trigger_pin = (uint16_t)v; }
static void take_interrupt_pin(struct arm_options *o, uint64_t v) { o->interrupt_pin = (uint16_t)v; }
static void take_variant(struct arm_options *o, uint64_t v) { o->variant = (enum variant)v; }
static void take_policy(struct arm_options *o, uint64_t v) { o->policy = (enum policy)v; }
static void take_runtime_ns(struct arm_options *o, uint64_t v) { o->runtime_ns = v; }
static void take_tasks(struct arm_options *o, uint64_t v) { o->tasks = (uint16_t)v; }
static void take_pin(struct arm_options *o, uint64_t v) { o->pin = v; }
static void take_work_ns(struct arm_options *o, uint64_t v) { o->work_ns = v; }
static void take_section_ns(struct arm_options *o, uint64_t v) { o->section_ns = v; }
static void take_pause_ns(struct arm_options *o, uint64_t v) { o->pause_ns = v; }
static void take_threshold_ns(struct arm_options *o, uint64_t v) { o->threshold_ns = v; }
static void take_wait_ns(struct arm_options *o, uint64_t v) { o->wait_ns = v; }
static void take_low_priority(struct arm_options *o, uint64_t v) { o->low_priority = (int32_t)v; }
static void take_timeout_ns(struct arm_options *o, uint64_t v) { o->timeout_ns = v; }
static void take_tasks_as(struct arm_options *o, uint64_t v) { o->tasks_as = (enum tasks_as)v; }
static void take_busy_ns(struct arm_options *o, uint64_t v) { o->busy_ns = v; }
static void take_batch(struct arm_options *o, uint64_t v) { o->batch = v; }
static void take_warm_up(struct arm_options *o, uint64_t v) { o->warm_up = v; }

static void take_gaps(struct arm_options *o, uint64_t v) { o->gaps = v; }
static void take_duration_ns(struct arm_options *o, uint64_t v) { o->duration_ns = v; }
static void take_period_stop_ns(struct arm_options *o, uint64_t v) { o->period_stop_ns = v; }
static void take_resolution_ppm(struct arm_options *o, uint64_t v) { o->resolution_ppm = v; }

static const struct word words_known[] = {
    {"measurement", measurements, 0, 0, take_measurement, 0},
    {"capacity", NULL, 1, CAPACITY_MAX, take_capacity, 0},
    {"stream", NULL, 0, 1, take_stream, 0},
    {"sequence_bits", NULL, 0, SEQUENCE_BITS_MAX, take_sequence_bits, 0},
    {"edge", edges, 0, 0, take_edge, 0},
    {"period_ns", NULL, SLEEP_NS_MIN, PERIOD_NS_MAX, take_period_ns, 0},
    {"timer", timers, 0, 0, take_timer, GIVEN_TIMER},
    {"count", NULL, 0, UINT64_MAX, take_count, 0},
    {"priority", NULL, 0, 99, take_priority, GIVEN_PRIORITY},
    {"cpu", NULL, 0, 4095, take_cpu, 0},
    {"interrupt_cpu", NULL, 0, 4095, take_interrupt_cpu, GIVEN_INTERRUPT},
    {"interrupt_priority", NULL, 1, 99, take_interrupt_priority, GIVEN_INTERRUPT},
    {"self_trigger", NULL, 0, 1, take_self_trigger, 0},
    {"second_level", second_levels, 0, 0, take_second_level, GIVEN_SECOND_LEVEL},
    {"handler", handlers, 0, 0, take_handler, GIVEN_HANDLER},
    {"response_pin", NULL, 0, PIN_NONE - 1, take_response_pin, GIVEN_RESPONSE_PIN},
    {"trigger_pin", NULL, 0, PIN_NONE - 1, take_trigger_pin, 0},
    {"interrupt_pin", NULL, 0, PIN_NONE - 1, take_interrupt_pin, 0},
    {"variant", variants, 0, 0, take_variant, GIVEN_VARIANT},
    {"policy", policies, 0, 0, take_policy, GIVEN_POLICY},
    {"runtime_ns", NULL, RUNTIME_NS_MIN, PERIOD_NS_MAX, take_runtime_ns, GIVEN_RUNTIME},
    {"tasks", NULL, 2, CREW_MAX, take_tasks, GIVEN_TASKS},
    {"pin", NULL, 0, 1, take_pin, GIVEN_PIN},
    {"work_ns", NULL, 0, WORK_NS_MAX, take_work_ns, GIVEN_WORK},
    {"section_ns", NULL, 0, SECTION_NS_MAX, take_section_ns, GIVEN_SECTION},
    {"pause_ns", NULL, 0, PAUSE_NS_MAX, take_pause_ns, GIVEN_PAUSE},
    {"threshold_ns", NULL, 1, THRESHOLD_NS_MAX, take_threshold_ns, GIVEN_THRESHOLD},
    {"wait_ns", NULL, 0, WAIT_NS_MAX, take_wait_ns, GIVEN_WAIT},
    {"low_priority", NULL, 0, 98, take_low_priority, GIVEN_LOW_PRIORITY},
    {"timeout_ns", NULL, 1, TIMEOUT_NS_MAX, take_timeout_ns, GIVEN_TIMEOUT},
    {"tasks_as", tasks_as, 0, 0, take_tasks_as, GIVEN_TASKS_AS},
    {"busy_ns", NULL, 0, BUSY_NS_MAX, take_busy_ns, GIVEN_BUSY},
    {"batch", NULL, 2, BATCH_MAX, take_batch, GIVEN_BATCH},
    {"warm_up", NULL, 0, WARM_UP_MAX, take_warm_up, GIVEN_WARM_UP},
    {"gaps", NULL, 1, UINT32_MAX, take_gaps, GIVEN_GAPS},
    {"duration_ns", NULL, 1, DURATION_NS_MAX, take_duration_ns, GIVEN_DURATION},
    {"period_stop_ns", NULL, PERIOD_NS_MIN, PERIOD_NS_MAX, take_period_stop_ns, GIVEN_SEARCH},
    {"resolution_ppm", NULL, 1000, 200000, take_resolution_ppm, GIVEN_SEARCH},
};
/* clang-format on */
#define WORDS (sizeof words_known / sizeof *words_known)
#define SEQUENCE_PINS "sequence_pins"
#define PERIODIC "periodic"

const char *measurement_name(enum measurement measurement)
{
    return measurements[measurement];
}

const char *variant_name(enum variant variant)
{
    return variants[variant];
}

const char *policy_name(enum policy policy)
{
    return policies[policy];
}

const char *word_given(uint32_t given)
{
    for (size_t i = 0; i < WORDS; i++)
        if (words_known[i].given & given)
            return words_known[i].name;
    return given & GIVEN_PERIODIC ? PERIODIC : "";
}

bool parse_u64(const char *digits, size_t count, uint64_t *number)
{
    uint64_t sum = 0;
    if (count == 0 || count > 20)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (digits[i] < '0' || digits[i] > '9')
            return false;
        uint64_t digit = (uint64_t)(digits[i] - '0');
        if (sum > (UINT64_MAX - digit) / 10)
            return false;
        sum = sum * 10 + digit;
    }
    *number = sum;
    return true;
}

static bool is(struct value value, const char *name)
{
    return strlen(name) == value.size && memcmp(name, value.text, value.size) == 0;
}

static bool choose(const struct word *word, struct value value, uint64_t *choice, struct text *why)
{
    for (*choice = 0; word->choices[*choice]; ++*choice)
        if (is(value, word->choices[*choice]))
            return true;
    text_say(why, word->name);
    text_add(why, " must be ");
    for (size_t i = 0; word->choices[i]; i++) {
        if (i)
            text_add(why, word->choices[i + 1] ? ", " : " or ");
        text_add(why, word->choices[i]);
    }
    return false;
}

static bool take_number(const struct word *word, struct value value, uint64_t *number,
                        struct text *why)
{
    if (parse_u64(value.text, value.size, number) && *number >= word->minimum &&
        *number <= word->maximum)
        return true;
    text_say(why, word->name);
    text_add(why, " must be a number from ");
    text_add_u64(why, word->minimum);
    text_add(why, " to ");
    text_add_u64(why, word->maximum);
    return false;
}

/* 1,2,3: the least significant bit first. */
static bool take_sequence_pins(struct arm_options *options, struct value value, struct text *why)
{
    size_t pins = 0;
    while (pins < SEQUENCE_BITS_MAX) {
        const char *comma = memchr(value.text, ',', value.size);
        size_t size = comma ? (size_t)(comma - value.text) : value.size;
        uint64_t pin;
        if (!parse_u64(value.text, size, &pin) || pin >= PIN_NONE)
            break;
        options->sequence_pins[pins++] = (uint16_t)pin;
        if (!comma) {
            options->given |= GIVEN_SEQUENCE_PINS;
            return true;
        }
        value = (struct value){comma + 1, value.size - size - 1};
    }
    text_say(why, SEQUENCE_PINS " must be 1 to 7 pin numbers with commas between, bit 0 first");
    return false;
}

/* Numbers with a colon between; returns how many, 0 if they are none or more than so many. */
static size_t take_numbers(struct value value, uint64_t *numbers, size_t most)
{
    for (size_t i = 0; i < most; i++) {
        const char *colon = memchr(value.text, ':', value.size);
        size_t size = colon ? (size_t)(colon - value.text) : value.size;
        if (!parse_u64(value.text, size, &numbers[i]))
            return 0;
        if (!colon)
            return i + 1;
        value = (struct value){colon + 1, value.size - size - 1};
    }
    return 0;
}

/* 1000000:20000:80,...: period and work in ns, and priority, of each task; then its run time. */
static bool take_periodic(struct arm_options *options, struct value value, struct text *why)
{
    while (options->periodic_count < PERIODIC_MAX) {
        const char *comma = memchr(value.text, ',', value.size);
        size_t size = comma ? (size_t)(comma - value.text) : value.size;
        uint64_t of[4] = {0};
        size_t numbers = take_numbers((struct value){value.text, size}, of, 4);
        if (numbers < 3 || of[0] < PERIOD_NS_MIN || of[0] > PERIOD_NS_MAX || of[1] > WORK_NS_MAX ||
            of[2] > 99 || (numbers == 4 && of[3] < RUNTIME_NS_MIN))
            break;
        options->periodic[options->periodic_count++] =
            (struct periodic_options){of[0], of[1], (int32_t)of[2], of[3]};
        if (!comma) {
            options->given |= GIVEN_PERIODIC;
            return true;
        }
        value = (struct value){comma + 1, value.size - size - 1};
    }
    text_say(why, PERIODIC " must be 1 to 16 times PERIOD_NS:WORK_NS:PRIORITY[:RUNTIME_NS] with commas between");
    return false;
}

static const struct {
    const char *name;
    bool (*take)(struct arm_options *options, struct value value, struct text *why);
} lists[] = {{SEQUENCE_PINS, take_sequence_pins}, {PERIODIC, take_periodic}};
#define LISTS (sizeof lists / sizeof *lists)

static const char *name_of(size_t i)
{
    return i < WORDS ? words_known[i].name : lists[i - WORDS].name;
}

static bool refuse_unknown(struct text *why)
{
    text_say(why, "unknown word; valid: ");
    for (size_t i = 0; i < WORDS + LISTS; i++) {
        text_add(why, i ? " " : "");
        text_add(why, name_of(i));
    }
    return false;
}

/* `seen` has one bit a word, that none is given twice. */
static bool take_word(struct arm_options *options, struct value name, struct value value,
                      uint64_t *seen, struct text *why)
{
    size_t i = 0;
    while (i < WORDS + LISTS && !is(name, name_of(i)))
        i++;
    if (i == WORDS + LISTS)
        return refuse_unknown(why);
    if (*seen & UINT64_C(1) << i) {
        text_say(why, name_of(i));
        text_add(why, " is given twice");
        return false;
    }
    *seen |= UINT64_C(1) << i;
    if (i >= WORDS)
        return lists[i - WORDS].take(options, value, why);
    const struct word *word = &words_known[i];
    uint64_t number;
    if (!(word->choices ? choose : take_number)(word, value, &number, why))
        return false;
    word->take(options, number);
    options->given |= word->given;
    return true;
}

static bool check_whole(const struct arm_options *options, uint64_t seen, struct text *why)
{
    bool beside = options->given & GIVEN_PERIODIC && options->measurement <= MEASURE_INTERRUPT_TO_TASK;
    const char *flaw = NULL;
    if (!(seen & 1u))
        flaw = "measurement is missing; HELLO tells the valid ones";
    else if (!(seen & 2u))
        flaw = "capacity is missing: the number of records the log must hold";
    else if (options->measurement == MEASURE_PERIOD && !options->period_ns)
        flaw = "measurement period needs period_ns";
    else if (options->period_ns && options->period_ns < PERIOD_NS_MIN &&
             options->measurement != MEASURE_LOOP_timer)
        flaw = "period_ns must be 10000 or more but for measurement timer";
    else if (options->self_trigger && !options->period_ns)
        flaw = "self_trigger needs period_ns, the time between two triggers";
    else if (options->self_trigger && options->measurement >= MEASURE_PERIOD)
        flaw = "self_trigger makes interrupts; this measurement has none";
    else if (options->given & GIVEN_INTERRUPT && options->measurement >= MEASURE_PERIOD)
        flaw = "interrupt_cpu and interrupt_priority are of an interrupt; this measurement has none";
    else if (beside && !(options->given & GIVEN_DURATION))
        flaw = "periodic beside interrupts needs duration_ns, for which the tasks run at most";
    else if (beside && options->self_trigger)
        flaw = "periodic is not for interrupts that the target makes itself";
    uint32_t odd = options->given & GIVEN_INSIDE;
    if (beside)
        odd &= ~(GIVEN_PERIODIC | GIVEN_DURATION);
    if (flaw)
        text_say(why, flaw);
    if (flaw || options->measurement > MEASURE_PERIOD)
        return !flaw;
    if (options->measurement < MEASURE_PERIOD)
        odd |= options->given & GIVEN_POLICY;
    if (odd) {
        text_say(why, word_given(odd));
        text_add(why, " is for measurements inside the target");
    }
    return !odd;
}

/* Each task that runs by deadlines has a run time in each period, and no other has. */
static const char *flaw_of_runtimes(const struct arm_options *options)
{
    bool is_deadline = options->policy == POLICY_DEADLINE;
    bool is_period = options->measurement == MEASURE_PERIOD;
    if (is_deadline && !is_period && options->measurement != MEASURE_LOOP_periodic_tasks)
        return "policy deadline is for period and periodic_tasks";
    if ((is_deadline && is_period) != !!options->runtime_ns || options->runtime_ns > options->period_ns)
        return "policy deadline of period needs runtime_ns, up to period_ns; nothing else has it";
    for (size_t i = 0; i < options->periodic_count; i++) {
        const struct periodic_options *task = &options->periodic[i];
        if (is_deadline != !!task->runtime_ns || task->runtime_ns > task->period_ns)
            return "policy deadline needs a RUNTIME_NS for each task, up to its PERIOD_NS; no other "
                   "policy has one";
    }
    return NULL;
}

static bool check_policy(const struct arm_options *options, struct text *why)
{
    bool has_none = options->policy == POLICY_OTHER || options->policy == POLICY_DEADLINE;
    const char *flaw = flaw_of_runtimes(options);
    if (!flaw && options->given & GIVEN_POLICY && has_none != (options->priority == 0))
        flaw = has_none ? "policy other and deadline have no real-time priority: priority must be 0"
                        : "policy fifo and rr need a priority from 1 to 99";
    if (flaw)
        text_say(why, flaw);
    return !flaw;
}

bool arm_parse(const char *words, struct arm_options *options, struct text *why)
{
    uint64_t seen = 0;
    _Static_assert(WORDS + LISTS <= 64, "one bit a word");
    *options = (struct arm_options){
        .priority = -1,
        .cpu = -1,
        .interrupt_cpu = -1,
        .response_pin = 0,
        .sequence_pins = {1, 2, 3, 4, 5, 6, 7},
        .trigger_pin = PIN_NONE,
        .interrupt_pin = PIN_NONE,
        .variant = VARIANTS_COUNT,
        .low_priority = -1,
        .timeout_ns = TIMEOUT_NS_DEFAULT,
    };
    while (*(words += strspn(words, " \t"))) {
        size_t size = strcspn(words, " \t");
        const char *equals = memchr(words, '=', size);
        if (!equals || equals == words) {
            text_say(why, "words of ARM are of the form name=value");
            return false;
        }
        struct value name = {words, (size_t)(equals - words)};
        struct value value = {equals + 1, size - name.size - 1};
        if (!take_word(options, name, value, &seen, why))
            return false;
        words += size;
    }
    if (!check_whole(options, seen, why))
        return false;
    bool spins = options->measurement == MEASURE_INTERRUPT_DISPATCH ||
                 options->measurement == MEASURE_LOOP_smi;
    bool has_none = options->policy == POLICY_OTHER || options->policy == POLICY_DEADLINE;
    if (options->priority < 0) /* a task that only spins must let others run */
        options->priority = spins || has_none ? 0 : PRIORITY_DEFAULT;
    return check_policy(options, why);
}
