/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A system with one processor, whose tasks take turns at each call that gives way and nowhere else.
 * A switch takes SWITCH_TICKS, so that a test knows each value beforehand.
 */
#include <assert.h>
#include <pthread.h>

#include "fake_port.h"

#define SWITCH_TICKS 100000
#define SLEEP_LATE_NS 77
#define WORK_TICKS 4 /* of an iteration */
#define NOBODY UINT32_MAX

static struct {
    void (*prepare)(uint32_t number);
    void (*body)(uint32_t number);
    pthread_t threads[FAKE_CREW_MAX];
    bool alive[FAKE_CREW_MAX];
    uint32_t turn;
    uint32_t wakes;
    uint32_t holder[INSIDE_MUTEXES];
    uint32_t releases[INSIDE_RELEASES];
    uint64_t clock;
    uint64_t expiry;
    uint32_t sleeper;
    uint64_t due; /* for the sleeper, in ticks; 0: nobody sleeps */
} crew;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static __thread uint32_t me;

static uint32_t next_alive(void)
{
    for (uint32_t i = 1; i <= fake.crew; i++)
        if (crew.alive[(me + i) % fake.crew])
            return (me + i) % fake.crew;
    return NOBODY;
}

static void give_turn(uint32_t to)
{
    if (to == me || to == NOBODY)
        return;
    pthread_mutex_lock(&lock);
    fake.ticks += SWITCH_TICKS;
    crew.turn = to;
    pthread_cond_broadcast(&turned);
    while (crew.turn != me)
        pthread_cond_wait(&turned, &lock);
    pthread_mutex_unlock(&lock);
}

/* A task that slept takes the processor when it is due, from whoever reads the counter then. */
static bool preempted(void)
{
    bool due = crew.due && crew.sleeper != me && fake.ticks >= crew.due;
    if (due) {
        crew.due = 0;
        give_turn(crew.sleeper);
    }
    return due;
}

uint64_t fake_reading(void)
{
    if (crew.body && fake.preempts_before)
        preempted();
    uint64_t ticks = fake.ticks += 1000;
    if (crew.body && !fake.preempts_before && !preempted() && me == 0) {
        ticks -= fake.behind_once;
        fake.behind_once = 0;
    }
    return ticks;
}

/* Others run meanwhile, if there are any. */
static void sleep_ticks(uint64_t ticks)
{
    if (next_alive() == NOBODY || next_alive() == me)
        return;
    crew.sleeper = me;
    crew.due = fake.ticks + ticks + fake.oversleeps + fake.oversleeps_once;
    fake.oversleeps_once = 0;
    give_turn(next_alive());
}

static void *run(void *context)
{
    me = (uint32_t)(uintptr_t)context;
    pthread_mutex_lock(&lock);
    while (crew.turn != me)
        pthread_cond_wait(&turned, &lock);
    pthread_mutex_unlock(&lock);
    if (crew.prepare)
        crew.prepare(me);
    crew.body(me);
    pthread_mutex_lock(&lock);
    crew.alive[me] = false;
    crew.turn = next_alive();
    pthread_cond_broadcast(&turned);
    pthread_mutex_unlock(&lock);
    return NULL;
}

void fake_run_crew(void)
{
    if (!crew.body)
        return;
    crew.turn = 0;
    for (uint32_t i = 0; i < fake.crew; i++)
        crew.alive[i] = true;
    for (uint32_t i = 0; i < fake.crew; i++)
        assert(pthread_create(&crew.threads[i], NULL, run, (void *)(uintptr_t)i) == 0);
    for (uint32_t i = 0; i < fake.crew; i++)
        pthread_join(crew.threads[i], NULL);
    crew.body = NULL;
}

/* --- the port's members -------------------------------------------------------------------------- */

static bool begin(const struct arm_options *options, struct text *why)
{
    assert(options->variant < VARIANTS_COUNT);
    if (fake.refuse_begin) {
        text_say(why, "no semaphore");
        return false;
    }
    fake.begun++;
    crew.wakes = 0;
    crew.due = 0;
    crew.clock = 1000000;
    crew.expiry = 0;
    for (uint32_t i = 0; i < INSIDE_MUTEXES; i++)
        crew.holder[i] = NOBODY;
    for (uint32_t i = 0; i < INSIDE_RELEASES; i++)
        crew.releases[i] = 0;
    return true;
}

static void end(void)
{
    fake.begun--;
}

static bool start_crew(void (*prepare)(uint32_t number), void (*body)(uint32_t number), uint32_t count,
                       int32_t (*priority)(uint32_t number), int32_t cpu, struct text *why)
{
    (void)cpu;
    if (fake.refuse_crew || count > FAKE_CREW_MAX) {
        text_say(why, "no task");
        return false;
    }
    crew.prepare = prepare;
    crew.body = body;
    fake.crew = count;
    for (uint32_t i = 0; i < count; i++)
        fake.crew_priorities[i] = priority(i);
    return true;
}

static bool stop_crew(void)
{
    crew.body = NULL;
    fake.crew = 0;
    return !fake.hang;
}

static bool await_crew(uint32_t timeout_ms)
{
    (void)timeout_ms;
    return !crew.body;
}

static bool stopping(void)
{
    return fake.looks_inside == 0 || --fake.looks_inside == 0;
}

static void yield(void)
{
    if (!fake.yield_stays)
        give_turn(next_alive());
}

static void lock_mutex(uint32_t mutex)
{
    while (crew.holder[mutex] != NOBODY && next_alive() != NOBODY && fake.looks_inside)
        give_turn(next_alive());
    crew.holder[mutex] = me;
}

static void unlock_mutex(uint32_t mutex)
{
    crew.holder[mutex] = NOBODY;
}

/* Whoever is released goes on at once, as one of higher priority. */
static bool release(uint32_t number)
{
    if (fake.calls_fail)
        return false;
    crew.releases[number]++;
    if (crew.alive[number])
        give_turn(number);
    return true;
}

static bool await_release(uint32_t number)
{
    while (!crew.releases[number]) {
        if (stopping() || next_alive() == NOBODY)
            return false;
        give_turn(next_alive());
    }
    crew.releases[number]--;
    return true;
}

static bool wake(void)
{
    if (fake.calls_fail)
        return false;
    crew.wakes++;
    if (!fake.woken_late && crew.alive[0])
        give_turn(0);
    return true;
}

static bool wait(uint64_t *ran)
{
    while (!crew.wakes) {
        if (stopping() || next_alive() == NOBODY)
            return false;
        give_turn(next_alive());
    }
    crew.wakes--;
    *ran = fake.port.now_ticks();
    return true;
}

static uint64_t clock_ns(enum variant clock)
{
    (void)clock;
    return crew.clock += 5;
}

static enum port_event sleep_until(uint64_t ns)
{
    crew.clock = (ns > crew.clock ? ns : crew.clock) + SLEEP_LATE_NS;
    return fake.calls_fail ? PORT_FAILED : stopping() ? PORT_STOPPED : PORT_DUE;
}

/* Expiries that pass between two calls are lost. */
static enum port_event timer_wait(uint64_t period_ns)
{
    if (!crew.expiry)
        crew.expiry = crew.clock;
    crew.expiry += period_ns * ((crew.clock - crew.expiry) / period_ns + 1);
    if (fake.timer_late_ns && fake.sleeps++ == 2)
        return sleep_until(crew.expiry + fake.timer_late_ns);
    return sleep_until(crew.expiry);
}

static enum port_event sleep_for(uint64_t ns)
{
    fake.sleeps_for++;
    sleep_ticks(ns);
    return sleep_until(crew.clock + ns);
}

static void work(uint64_t iterations)
{
    fake.ticks += WORK_TICKS * iterations;
    if (fake.works++ == fake.interrupted_work)
        fake.ticks += fake.interruption_ticks;
}

static bool serve(struct ticks *around)
{
    around->before = fake.port.now_ticks();
    around->after = fake.port.now_ticks();
    return !fake.calls_fail;
}

static struct port_inside inside = {
    .begin = begin,
    .end = end,
    .start_crew = start_crew,
    .stop_crew = stop_crew,
    .await_crew = await_crew,
    .stopping = stopping,
    .yield = yield,
    .lock = lock_mutex,
    .unlock = unlock_mutex,
    .release = release,
    .await_release = await_release,
    .wake = wake,
    .wait = wait,
    .clock_ns = clock_ns,
    .sleep_until = sleep_until,
    .sleep_for = sleep_for,
    .timer_wait = timer_wait,
    .work = work,
    .create = serve,
    .serve = serve,
};

void fake_add_inside(void)
{
    crew.body = NULL;
    inside.measurements = MEASURE_ALL_LOOPS;
    inside.variants = VARIANT_BIT(VARIANTS_COUNT) - 1;
    if (fake.variants_few)
        inside.variants &= ~(1u << VARIANT_FUTEX);
    fake.port.inside = &inside;
}
