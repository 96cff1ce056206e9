/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pulses on OC1A by compare set and clear, from a table of intervals that a few wraps of the timer
 * stretch to more than 16 bits. Sends 'R' before the first pulse. For every pulse the compare first
 * clears a pin that is low already (a hop) and must not change it. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

enum { WIDTH = 160, INTERVALS = 8 };

static const uint32_t interval[INTERVALS] = {
    400, 65535, 65536, 65537, 131072, 200003, 1601, 70000,
};

static volatile uint32_t ahead = 5000; /* cycles from the last compare to the next rising edge */
static volatile uint8_t high, n;

static void aim(uint32_t cycles)
{
    const uint16_t step = cycles > 40000 ? 30000 : (uint16_t)cycles;

    ahead = cycles - step;
    TCCR1A = ahead == 0 && !high ? _BV(COM1A1) | _BV(COM1A0) : _BV(COM1A1);
    OCR1A += step;
}

ISR(TIMER1_COMPA_vect)
{
    if (ahead > 0) {
        aim(ahead);
    } else if (!high) {
        high = 1;
        aim(WIDTH);
    } else {
        high = 0;
        aim(interval[n] - WIDTH);
        n = (n + 1) % INTERVALS;
    }
}

int main(void)
{
    UBRR0 = 3;
    UCSR0A = _BV(U2X0);
    UCSR0B = _BV(TXEN0);
    DDRB = _BV(PB1);
    TCCR1B = _BV(CS10);
    OCR1A = TCNT1;
    aim(ahead);
    TIFR1 = _BV(OCF1A);
    TIMSK1 = _BV(OCIE1A);
    UDR0 = 'R';
    set_sleep_mode(SLEEP_MODE_IDLE);
    sei();
    for (;;)
        sleep_mode();
}
