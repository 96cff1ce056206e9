/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine.h"

#include <avr/cpufunc.h>
#include <avr/interrupt.h>
#include <avr/io.h>
#include <stdint.h>
#include <util/atomic.h>

#include "../core/limits.h"
#include "../core/port.h"
#include "../core/steps.h"
#include "match.h"

/* Actions of a compare match, datasheet table 16-1. Without one, the port drives the pin: it holds
 * the rest level, as does the compare latch between pulses, so the change of hands is not seen. */
#define ACTION_NONE 0
#define ACTION_LOW _BV(COM1A1)
#define ACTION_HIGH (_BV(COM1A1) | _BV(COM1A0))

/* From reading TCNT1 to a match that cannot be missed, in TIMER1_COMPB. */
#define RESCUE_TICKS 40
/* A match nearer than this could come while an abort is under way. */
#define ABORT_TICKS 64
/* Steps worked out in one go; to begin costs as much as a step. */
#define REFILL_STEPS 8
/* Below this many steps ready, captures wait for the main loop. */
#define STEPS_LOW 64
/* And so they do after this many on a full buffer. */
#define CAPTURES_SPARE 16

_Static_assert(ENGINE_DONE == MATCH_DONE && STEP_RING == MATCH_RING, "as match.S has them");
_Static_assert(STEP_HOP == 0x8000 && STEP_END == STEP_HOP, "as match.S takes them apart");

/* --- the train ------------------------------------------------------------------------------- */

uint16_t match_ring[MATCH_RING];
volatile uint8_t match_ring_written;
volatile uint8_t match_ring_taken;
uint8_t match_action_pulse;
uint8_t match_action_rest;
uint16_t match_width_ticks;
volatile uint8_t match_state;
volatile uint32_t match_sent;
volatile uint16_t match_slow_wait_ticks;
volatile uint32_t match_rounds;
volatile uint16_t match_capture_stamp;

static struct steps steps;
static uint32_t behind_ticks; /* of the last match, after its planned tick */
static volatile uint32_t late;
static volatile uint32_t late_max_ticks;

/* --- captures -------------------------------------------------------------------------------- */

static uint32_t captures[CAPTURE_RING];
static volatile uint8_t captures_written; /* by the interrupt */
static volatile uint8_t captures_taken; /* by the main loop */
static volatile uint8_t captures_spare; /* still to be counted before the main loop has a turn */
static bool capturing;
static uint32_t fetched;
static volatile uint32_t overruns;

static inline uint8_t steps_ready(void)
{
    return (uint8_t)(match_ring_written - match_ring_taken);
}

/* The train does without the main loop for a while. */
static inline bool steps_suffice(void)
{
    return match_state != ENGINE_RUNNING || steps.ended || steps_ready() >= STEPS_LOW;
}

/* --- interrupts ------------------------------------------------------------------------------ */

/* Set the match that match.S has left: one was missed, no step was ready, or the train is behind its
 * plan. What it is behind is taken from the waits that follow, so that the plan never shifts; a wait
 * not long enough for that ends as soon as the hardware can. */
ISR(TIMER1_COMPB_vect)
{
    TIMSK1 &= (uint8_t)~_BV(OCIE1B); /* until the next time */

    uint8_t action = TCCR1A;
    if (action == match_action_rest)
        match_sent++; /* the match before was a leading edge */

    bool starved = FLAGS & _BV(FLAG_STARVED);
    uint32_t behind = behind_ticks;
    uint16_t fired = OCR1A;
    uint16_t wait_ticks = match_slow_wait_ticks;
    uint16_t planned_ticks = starved ? 0 : wait_ticks;
    uint16_t aim_ticks = 0; /* the wait from the last match that would be right */
    uint16_t real_ticks;
    if (starved)
        aim_ticks = wait_ticks;
    else if (wait_ticks > behind)
        aim_ticks = wait_ticks - (uint16_t)behind;

    do {
        real_ticks = TCNT1 - fired + RESCUE_TICKS;
        if (real_ticks < aim_ticks)
            real_ticks = aim_ticks;
        OCR1A = fired + real_ticks;
    } while ((uint16_t)(TCNT1 - fired) >= real_ticks && !(TIFR1 & _BV(OCF1A)));

    behind = behind + real_ticks - planned_ticks;
    behind_ticks = behind;
    FLAGS &= (uint8_t)~(_BV(FLAG_BEHIND) | _BV(FLAG_STARVED));
    if (behind == 0)
        return;
    FLAGS |= _BV(FLAG_BEHIND);
    if (action != ACTION_NONE) { /* a hop makes no edge */
        late++;
        if (behind > late_max_ticks)
            late_max_ticks = behind;
    }
}

/* The level that the capture unit waits for is at the pin. */
static inline bool capture_level_is_there(void)
{
    bool waits_for_high = TCCR1B & _BV(ICES1);
    bool high = RESPONSE_LEVELS & _BV(RESPONSE_BIT);
    return waits_for_high == high;
}

/* The level that the capture unit waits for is there already: the edge was lost. The noise canceler
 * delays an edge by 4 cycles (datasheet 16.6.2), so one seen at the pin may still be on its way to
 * ICF1; and a pulse shorter than that, which is no edge, is over after the wait. */
static inline bool capture_out_of_step(void)
{
    if (!capture_level_is_there())
        return false;
    __builtin_avr_delay_cycles(8);
    return capture_level_is_there() && !(TIFR1 & _BV(ICF1));
}

/* Wait for the other edge. Datasheet 16.6.3: the flag has to be cleared after the change. */
static inline void capture_other_edge(void)
{
    TCCR1B ^= _BV(ICES1);
    TIFR1 = _BV(ICF1);
}

uint8_t match_captured(void)
{
    uint16_t stamp = match_capture_stamp;
    bool overwritten = TIFR1 & _BV(ICF1); /* a whole pulse too short to follow */
    capture_other_edge();
    cli();
    uint16_t now = TCNT1;
    uint16_t round = (uint16_t)match_rounds;
    bool went_round = TIFR1 & _BV(TOV1);
    sei();
    if (went_round && !(now & 0x8000))
        round++; /* not counted yet */
    if (now < stamp)
        round--; /* between the edge and now */

    uint8_t place = captures_written;
    bool full = (uint8_t)(place - captures_taken) >= CAPTURE_RING;
    if (full)
        overruns++;
    else {
        captures[place % CAPTURE_RING] = ((uint32_t)round << 16) | stamp;
        captures_written = place + 1;
    }
    if (overwritten)
        overruns += 2;
    while (capture_out_of_step()) {
        overruns++;
        capture_other_edge();
    }

    /* A response line that never rests must not lock the main loop out: with few steps ready, or
     * many edges on a full buffer, the next edge is let in by the main loop. */
    if (full && captures_spare != 0)
        captures_spare--;
    return steps_suffice() && (!full || captures_spare != 0);
}

/* --- main loop ------------------------------------------------------------------------------- */

/* The timer runs freely from power-up. */
void engine_begin(void)
{
    STIMULUS_DIRECTION |= _BV(STIMULUS_BIT);
    TCCR1A = ACTION_NONE;
    TCCR1B = _BV(ICNC1) | _BV(ICES1) | _BV(CS10);
    TIMSK1 = _BV(TOIE1);
}

static bool refill_due(void)
{
    return match_state == ENGINE_RUNNING && !steps.ended &&
           steps_ready() <= STEP_RING - REFILL_STEPS;
}

/* Let captures in again. What came meanwhile is lost, as its stamp may be older than a round of the
 * timer. At least one edge came if the flag is set, and at least two if the pin is back where it
 * was. */
static void capture_resume(void)
{
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        if (TIFR1 & _BV(ICF1)) {
            bool awaited_high = TCCR1B & _BV(ICES1);
            bool high = RESPONSE_LEVELS & _BV(RESPONSE_BIT);
            TIFR1 = _BV(ICF1);
            overruns += 2;
            if (high == awaited_high) {
                overruns--;
                capture_other_edge();
            }
        }
        TIMSK1 |= _BV(ICIE1);
    }
}

void engine_refill(void)
{
    if (refill_due()) {
        uint8_t place = match_ring_written;
        match_ring_written = place + steps_fill(&steps, match_ring, place, REFILL_STEPS);
    }
    captures_spare = CAPTURES_SPARE;
    if (capturing && !(TIMSK1 & _BV(ICIE1)) && !refill_due())
        capture_resume();
}

bool engine_settled(void)
{
    return !refill_due() && (!capturing || (TIMSK1 & _BV(ICIE1)));
}

static uint64_t now_ticks(void)
{
    uint16_t low;
    uint32_t high;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        low = TCNT1;
        high = match_rounds;
        if ((TIFR1 & _BV(TOV1)) && !(low & 0x8000))
            high++; /* went round after the last interrupt */
    }
    return ((uint64_t)high << 16) | low;
}

uint32_t port_now_ticks(void)
{
    return (uint32_t)now_ticks();
}

/* The compare latch follows a forced match (datasheet 16.7.2); the port then takes the pin over at
 * the same level. */
static void rest_now(void)
{
    TCCR1A = match_action_rest;
    TCCR1C = _BV(FOC1A);
    if (match_action_rest == ACTION_HIGH)
        STIMULUS_PORT |= _BV(STIMULUS_BIT);
    else
        STIMULUS_PORT &= (uint8_t)~_BV(STIMULUS_BIT);
    TCCR1A = ACTION_NONE;
}

void port_rest(enum polarity polarity)
{
    match_action_rest = polarity == POLARITY_NEGATIVE ? ACTION_HIGH : ACTION_LOW;
    match_action_pulse = polarity == POLARITY_NEGATIVE ? ACTION_LOW : ACTION_HIGH;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        rest_now();
    }
}

static void forget_counts(void)
{
    match_sent = 0;
    overruns = 0;
    late = 0;
    late_max_ticks = 0;
    behind_ticks = 0;
    FLAGS = 0;
    captures_written = 0;
    captures_taken = 0;
    fetched = 0;
}

void port_start(const struct train_settings *settings)
{
    match_width_ticks = (uint16_t)settings->width_ticks;
    match_ring_taken = 0;
    steps_begin(&steps, settings);
    match_ring_written = steps_fill(&steps, match_ring, 0, STEP_RING);
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        forget_counts();
        TCNT1 = 0;
        match_rounds = 0;
        OCR1A = STEP_LEAD_TICKS;
        TCCR1B = _BV(ICNC1) | _BV(CS10) | (RESPONSE_LEVELS & _BV(RESPONSE_BIT) ? 0 : _BV(ICES1));
        TIFR1 = _BV(ICF1) | _BV(OCF1A) | _BV(OCF1B) | _BV(TOV1);
        TIMSK1 = _BV(TOIE1) | _BV(OCIE1A) | _BV(ICIE1);
        capturing = true;
        match_state = ENGINE_RUNNING;
    }
}

void port_abort(void)
{
    /* Let a match pass that is near, or is still to be set: then each edge is either out and
     * counted, or will not come. */
    cli();
    while ((TIMSK1 & _BV(OCIE1B)) || (uint16_t)(OCR1A - TCNT1) < ABORT_TICKS) {
        sei();
        _NOP(); /* interrupts come one instruction after sei */
        cli();
    }
    if (match_state == ENGINE_RUNNING) {
        TIMSK1 &= (uint8_t)~_BV(OCIE1A);
        if ((FLAGS & _BV(FLAG_LEADING)) && (TIFR1 & _BV(OCF1A)))
            match_sent++; /* its edge has left, its interrupt has not come */
        rest_now();
        match_state = ENGINE_ABORTED;
    }
    sei();
}

void port_forget(void)
{
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        TIMSK1 = _BV(TOIE1);
        capturing = false;
        forget_counts();
        match_state = ENGINE_IDLE;
    }
}

enum engine_state port_state(void)
{
    return (enum engine_state)match_state;
}

/* A counter of an interrupt; interrupts are off for these four loads only, as a train's next match
 * may be waiting to be set. */
static uint32_t whole(const volatile uint32_t *counter)
{
    uint32_t value;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        value = *counter;
    }
    return value;
}

void port_status(struct engine_status *status)
{
    status->state = (enum engine_state)match_state;
    status->sent = whole(&match_sent);
    status->late = whole(&late);
    status->late_max_ticks = whole(&late_max_ticks);
    status->fetched = fetched;
    status->captured = fetched + port_captures();
    status->overruns = whole(&overruns);
    status->now_ticks = now_ticks();
}

uint8_t port_captures(void)
{
    return (uint8_t)(captures_written - captures_taken);
}

uint32_t port_take_capture(void)
{
    uint32_t ticks = captures[captures_taken % CAPTURE_RING];
    captures_taken++;
    fetched++;
    return ticks;
}

void port_return_captures(uint8_t count)
{
    if (count > fetched) /* they were of an earlier train */
        count = (uint8_t)fetched;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        uint8_t intact = CAPTURE_RING - port_captures();
        if (count > intact)
            count = intact;
        captures_taken -= count;
    }
    fetched -= count;
}
