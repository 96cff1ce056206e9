/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sends, for every edge captured on ICP1, a line: the 32-bit extended capture in hex, a space, and
 * the edge's direction as captured (R, F), and PB0 as it reads after it (1, 0). The first byte from
 * the host gives the noise canceler's bit of TCCR1B. Then the timer starts and it sends a line
 * "GO". OC1A toggles 10,000 ticks after the start and with every turn of the timer. */
#include <avr/interrupt.h>
#include <avr/io.h>

static volatile uint16_t overflows;

static void send(char c)
{
    while (!(UCSR0A & _BV(UDRE0)))
        ;
    UDR0 = (uint8_t)c;
}

ISR(TIMER1_OVF_vect)
{
    overflows++;
}

struct capture {
    uint32_t ticks;
    uint8_t rising, level;
};

static volatile struct capture ring[16];
static volatile uint8_t first, last;

ISR(TIMER1_CAPT_vect)
{
    const uint16_t low = ICR1;
    uint16_t high = overflows;

    if ((TIFR1 & _BV(TOV1)) && low < 0x8000)
        high++;
    ring[last].ticks = (uint32_t)high << 16 | low;
    ring[last].rising = TCCR1B & _BV(ICES1);
    PORTB ^= _BV(PB5); /* must not put the pull-up's level on the driven line */
    ring[last].level = PINB & _BV(PB0);
    TCCR1B ^= _BV(ICES1);
    TIFR1 = _BV(ICF1);
    last = (last + 1) & 15;
}

static void report(uint32_t ticks, uint8_t rising, uint8_t level)
{
    for (int8_t shift = 28; shift >= 0; shift -= 4)
        send("0123456789abcdef"[ticks >> shift & 15]);
    send(' ');
    send(rising ? 'R' : 'F');
    send(level ? '1' : '0');
    send('\n');
}

int main(void)
{
    UBRR0 = 3;
    UCSR0A = _BV(U2X0);
    UCSR0B = _BV(RXEN0) | _BV(TXEN0);
    PORTB = _BV(PB0); /* pull-up; the line is driven, so it must not matter */
    DDRB = _BV(PB5) | _BV(PB1);
    OCR1A = 9999;
    TCCR1A = _BV(COM1A0);
    while (!(UCSR0A & _BV(RXC0)))
        ;
    TIMSK1 = _BV(ICIE1) | _BV(TOIE1);
    TCCR1B = _BV(ICES1) | _BV(CS10) | (UDR0 & _BV(ICNC1));
    sei();
    send('G');
    send('O');
    send('\n');
    for (;;) {
        if (first == last)
            continue;
        report(ring[first].ticks, ring[first].rising, ring[first].level);
        first = (first + 1) & 15;
    }
}
