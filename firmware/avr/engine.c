/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine.h"

#include <avr/interrupt.h>
#include <avr/io.h>
#include <stdint.h>
#include <util/atomic.h>

#include "../core/limits.h"
#include "../core/port.h"
#include "../core/steps.h"

#define STIMULUS_BIT PB1 /* OC1A */
#define RESPONSE_BIT PB0 /* ICP1 */
#define STEP_RING 128 /* powers of two up to 128 */

/* Actions of a compare match, datasheet table 16-1. Without one, the port drives the pin: it holds
 * the rest level, as does the compare latch between pulses, so the change of hands is not seen. */
#define ACTION_NONE 0
#define ACTION_LOW _BV(COM1A1)
#define ACTION_HIGH (_BV(COM1A1) | _BV(COM1A0))

/* From reading TCNT1 to a match that can just be set: in the fast interrupt, in the slow one. */
#define HAND_OVER_TICKS 24
#define RESCUE_TICKS 40
/* While no interval is ready the engine looks again this often: most of the time has to remain for
 * the main loop, which works the intervals out. */
#define STARVED_TICKS 2048
/* Intervals worked out in one go. */
#define REFILL_STEPS 16

/* Flags in a register that is tested and set by single instructions. */
#define FLAGS GPIOR0
#define FLAG_LEADING 0 /* the pending match is a leading edge */
#define FLAG_BEHIND 1 /* the train is behind its plan: behind_ticks is not 0 */
#define FLAG_STARVED 2 /* no interval was ready: the wait handed over is not in the plan */

/* A counter that an interrupt keeps in 16 bits, as more would cost it time, and that the main loop
 * extends: it has to look at least once in 65,535 events. */
struct tally {
    volatile uint16_t events; /* by the interrupt, modulo 2^16 */
    uint16_t seen;
    uint32_t total;
};

/* --- the train ------------------------------------------------------------------------------- */

static uint16_t ring[STEP_RING];
static volatile uint8_t ring_written; /* by the main loop */
static volatile uint8_t ring_taken; /* by the interrupt */
static struct steps steps;

static uint8_t action_pulse;
static uint8_t action_rest;
static uint16_t width_ticks;
static volatile enum engine_state state;
static struct tally sent;

/* What the fast interrupt hands to the slow one. */
static volatile struct {
    bool pending;
    bool edge; /* the wait ends with an edge */
    uint16_t fired;
    uint16_t wait_ticks;
} slow;
static uint32_t behind_ticks; /* of the last match, after its planned tick */
static volatile uint32_t late;
static volatile uint32_t late_max_ticks;

/* --- time and captures ----------------------------------------------------------------------- */

static volatile uint32_t overflows;
static uint32_t captures[CAPTURE_RING];
static volatile uint8_t captures_written; /* by the interrupt */
static volatile uint8_t captures_taken; /* by the main loop */
static bool capturing;
static uint32_t fetched;
static struct tally overruns;

static void tally_clear(struct tally *tally)
{
    tally->events = 0;
    tally->seen = 0;
    tally->total = 0;
}

static uint32_t tally_total(struct tally *tally)
{
    uint16_t events;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        events = tally->events;
    }
    tally->total += (uint16_t)(events - tally->seen);
    tally->seen = events;
    return tally->total;
}

/* --- interrupts ------------------------------------------------------------------------------ */

ISR(TIMER1_OVF_vect)
{
    overflows++;
}

/* Leave the rest of a match to TIMER1_COMPB: compare unit B makes no edge, it only lets a second
 * interrupt follow. So the fast one saves no registers for what is rarely needed. */
static inline void hand_over(uint16_t fired, uint16_t wait_ticks, bool edge)
{
    slow.fired = fired;
    slow.wait_ticks = wait_ticks;
    slow.edge = edge;
    slow.pending = true;
    OCR1B = TCNT1 + HAND_OVER_TICKS;
}

/* A match has happened: set the next one. Each edge is made by the timer at its match; what counts
 * here is to be done before the next. The planned tick of a match is that of the one before plus
 * the wait between them, and as long as no match is missed OCR1A holds it. */
ISR(TIMER1_COMPA_vect)
{
    uint16_t fired = OCR1A;
    uint16_t wait_ticks;

    if (FLAGS & _BV(FLAG_LEADING)) {
        TCCR1A = action_rest;
        FLAGS &= (uint8_t)~_BV(FLAG_LEADING);
        wait_ticks = width_ticks;
        if (!(FLAGS & _BV(FLAG_BEHIND))) {
            OCR1A = fired + wait_ticks;
            sent.events++;
            if ((uint16_t)(TCNT1 - fired) < wait_ticks || (TIFR1 & _BV(OCF1A)))
                return;
        } else
            sent.events++;
        hand_over(fired, wait_ticks, true);
        return;
    }

    uint8_t taken = ring_taken;
    if (taken == ring_written) {
        TCCR1A = ACTION_NONE;
        FLAGS |= _BV(FLAG_BEHIND) | _BV(FLAG_STARVED);
        hand_over(fired, STARVED_TICKS, false);
        return;
    }
    uint16_t step = ring[taken % STEP_RING];
    ring_taken = taken + 1;
    wait_ticks = step & STEP_TICKS_MASK;
    bool edge = !(step & STEP_HOP);
    if (edge) {
        TCCR1A = action_pulse;
        FLAGS |= _BV(FLAG_LEADING);
    } else {
        TCCR1A = ACTION_NONE;
        if (step == STEP_END) {
            TIMSK1 &= (uint8_t)~_BV(OCIE1A);
            state = ENGINE_DONE;
            return;
        }
    }
    if (!(FLAGS & _BV(FLAG_BEHIND))) {
        OCR1A = fired + wait_ticks;
        if ((uint16_t)(TCNT1 - fired) < wait_ticks || (TIFR1 & _BV(OCF1A)))
            return;
    }
    hand_over(fired, wait_ticks, edge);
}

/* The match set by the fast interrupt was missed, or the train is behind its plan. What it is
 * behind is taken from the waits that follow, so that the plan never shifts; a wait that is not
 * long enough for that ends as soon as the hardware can. */
ISR(TIMER1_COMPB_vect)
{
    if (!slow.pending)
        return; /* unit B matches once in each round of the timer */
    slow.pending = false;

    bool starved = FLAGS & _BV(FLAG_STARVED);
    uint32_t behind = behind_ticks;
    uint16_t planned_ticks = starved ? 0 : slow.wait_ticks;
    uint16_t aim_ticks = 0; /* the wait from the last match that would be right */
    uint16_t real_ticks;
    if (starved)
        aim_ticks = slow.wait_ticks;
    else if (planned_ticks > behind)
        aim_ticks = planned_ticks - (uint16_t)behind;

    do {
        real_ticks = TCNT1 - slow.fired + RESCUE_TICKS;
        if (real_ticks < aim_ticks)
            real_ticks = aim_ticks;
        OCR1A = slow.fired + real_ticks;
    } while ((uint16_t)(TCNT1 - slow.fired) >= real_ticks && !(TIFR1 & _BV(OCF1A)));

    behind = behind + real_ticks - planned_ticks;
    behind_ticks = behind;
    FLAGS &= (uint8_t)~(_BV(FLAG_BEHIND) | _BV(FLAG_STARVED));
    if (behind == 0)
        return;
    FLAGS |= _BV(FLAG_BEHIND);
    if (slow.edge) {
        late++;
        if (behind > late_max_ticks)
            late_max_ticks = behind;
    }
}

/* The level that the capture unit waits for is the one the pin has already: the edge was lost. The
 * noise canceler delays an edge by 4 cycles (datasheet 16.6.2), so one seen at the pin may still be
 * on its way to ICF1. */
static inline bool capture_out_of_step(void)
{
    bool waits_for_high = TCCR1B & _BV(ICES1);
    bool high = PINB & _BV(RESPONSE_BIT);
    if (waits_for_high != high)
        return false;
    __builtin_avr_delay_cycles(8);
    return !(TIFR1 & _BV(ICF1));
}

/* Wait for the other edge. Datasheet 16.6.3: the flag has to be cleared after the change. */
static inline void capture_other_edge(void)
{
    TCCR1B ^= _BV(ICES1);
    TIFR1 = _BV(ICF1);
}

/* An edge of the response. The first part is short, as nothing can interrupt it: a train's next
 * match is set in time even when captures follow each other without a pause. */
ISR(TIMER1_CAPT_vect)
{
    uint16_t stamp = ICR1;
    bool overwritten = TIFR1 & _BV(ICF1); /* a whole pulse too short to follow */
    capture_other_edge();
    uint16_t now = TCNT1;
    uint16_t round = (uint16_t)overflows;
    if ((TIFR1 & _BV(TOV1)) && !(now & 0x8000))
        round++;
    if (now < stamp) /* the timer went round between the edge and now */
        round--;
    TIMSK1 &= (uint8_t)~_BV(ICIE1);
    sei();

    uint8_t place = captures_written;
    bool full = (uint8_t)(place - captures_taken) >= CAPTURE_RING;
    if (full)
        overruns.events++;
    else {
        captures[place % CAPTURE_RING] = ((uint32_t)round << 16) | stamp;
        captures_written = place + 1;
    }
    if (overwritten)
        overruns.events += 2;
    while (capture_out_of_step()) {
        overruns.events++;
        capture_other_edge();
    }

    /* With the buffer full the next edge is let in by the main loop, so that a response line that
     * never rests cannot lock it out. */
    cli();
    if (!full)
        TIMSK1 |= _BV(ICIE1);
}

/* --- main loop ------------------------------------------------------------------------------- */

/* The timer runs freely from power-up. */
void engine_begin(void)
{
    DDRB |= _BV(STIMULUS_BIT);
    TCCR1A = ACTION_NONE;
    TCCR1B = _BV(ICNC1) | _BV(ICES1) | _BV(CS10);
    TIMSK1 = _BV(TOIE1);
}

static bool refill_one(void)
{
    uint8_t place = ring_written;
    if (steps.ended || (uint8_t)(place - ring_taken) >= STEP_RING)
        return false;
    ring[place % STEP_RING] = steps_next(&steps);
    ring_written = place + 1;
    return true;
}

void engine_refill(void)
{
    if (state == ENGINE_RUNNING)
        for (uint8_t i = 0; i < REFILL_STEPS && refill_one(); i++)
            ;
    (void)tally_total(&sent);
    (void)tally_total(&overruns);
    if (capturing && !(TIMSK1 & _BV(ICIE1))) {
        ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
        {
            TIMSK1 |= _BV(ICIE1);
        }
    }
}

bool engine_settled(void)
{
    bool filled = state != ENGINE_RUNNING || steps.ended ||
                  (uint8_t)(ring_written - ring_taken) >= STEP_RING;
    return filled && (!capturing || (TIMSK1 & _BV(ICIE1)));
}

uint64_t port_now_ticks(void)
{
    uint16_t low;
    uint32_t high;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        low = TCNT1;
        high = overflows;
        if ((TIFR1 & _BV(TOV1)) && !(low & 0x8000))
            high++;
    }
    return ((uint64_t)high << 16) | low;
}

/* The compare latch follows a forced match (datasheet 16.7.2); the port then takes the pin over at
 * the same level. */
static void rest_now(void)
{
    TCCR1A = action_rest;
    TCCR1C = _BV(FOC1A);
    if (action_rest == ACTION_HIGH)
        PORTB |= _BV(STIMULUS_BIT);
    else
        PORTB &= (uint8_t)~_BV(STIMULUS_BIT);
    TCCR1A = ACTION_NONE;
}

void port_rest(enum polarity polarity)
{
    action_rest = polarity == POLARITY_NEGATIVE ? ACTION_HIGH : ACTION_LOW;
    action_pulse = polarity == POLARITY_NEGATIVE ? ACTION_LOW : ACTION_HIGH;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        rest_now();
    }
}

static void forget_counts(void)
{
    tally_clear(&sent);
    tally_clear(&overruns);
    late = 0;
    late_max_ticks = 0;
    behind_ticks = 0;
    slow.pending = false;
    FLAGS = 0;
    captures_written = 0;
    captures_taken = 0;
    fetched = 0;
}

void port_start(const struct train_settings *settings)
{
    width_ticks = (uint16_t)settings->width_ticks;
    ring_written = 0;
    ring_taken = 0;
    steps_begin(&steps, settings);
    while (refill_one())
        ;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        forget_counts();
        TCNT1 = 0;
        overflows = 0;
        OCR1A = STEP_LEAD_TICKS;
        TCCR1B = _BV(ICNC1) | _BV(CS10) | (PINB & _BV(RESPONSE_BIT) ? 0 : _BV(ICES1));
        TIFR1 = _BV(ICF1) | _BV(OCF1A) | _BV(OCF1B) | _BV(TOV1);
        TIMSK1 = _BV(TOIE1) | _BV(OCIE1A) | _BV(OCIE1B) | _BV(ICIE1);
        capturing = true;
        state = ENGINE_RUNNING;
    }
}

void port_abort(void)
{
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        if (state == ENGINE_RUNNING) {
            TIMSK1 &= (uint8_t)~(_BV(OCIE1A) | _BV(OCIE1B));
            if ((FLAGS & _BV(FLAG_LEADING)) && (TIFR1 & _BV(OCF1A)))
                sent.events++; /* its edge has left, its interrupt has not come */
            rest_now();
            state = ENGINE_ABORTED;
        }
    }
}

void port_forget(void)
{
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        TIMSK1 = _BV(TOIE1);
        capturing = false;
        forget_counts();
        state = ENGINE_IDLE;
    }
}

enum engine_state port_state(void)
{
    return state;
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
    status->state = state;
    status->sent = tally_total(&sent);
    status->late = whole(&late);
    status->late_max_ticks = whole(&late_max_ticks);
    status->fetched = fetched;
    status->captured = fetched + port_captures();
    status->overruns = tally_total(&overruns);
    status->now_ticks = port_now_ticks();
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
