/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "uart.h"

#include <avr/interrupt.h>
#include <avr/io.h>

#include "../core/limits.h"
#include "../core/port.h"
#include "engine.h"

/* Datasheet 20.3.1, asynchronous double speed. */
#define BAUD_HZ 500000UL
#define BAUD_DIVISOR (CLOCK_HZ / (8 * BAUD_HZ) - 1)
_Static_assert(CLOCK_HZ % (8 * BAUD_HZ) == 0, "a clock that makes the baud rate without error");

#define RING_SIZE 128 /* a power of two up to 128 */

static uint8_t ring[RING_SIZE];
static volatile uint8_t written;
static uint8_t taken;
static volatile uint8_t damage; /* DOR0 and FE0 as seen; RING_FULL */

#define RING_FULL 0x01

void uart_begin(void)
{
    UCSR0A = _BV(U2X0);
    UBRR0 = BAUD_DIVISOR;
    UCSR0C = _BV(UCSZ01) | _BV(UCSZ00);
    UCSR0B = _BV(RXEN0) | _BV(TXEN0) | _BV(RXCIE0);
}

/* Two received bytes are 20 us apart and the chip holds two: this must not wait for the main loop,
 * which works on an interval for longer. */
ISR(SERIAL_RECEIVED_vect)
{
    uint8_t flaws = UCSR0A & (_BV(FE0) | _BV(DOR0)); /* before UDR0: datasheet 20.7.4 */
    uint8_t byte = UDR0;
    UCSR0B = _BV(RXEN0) | _BV(TXEN0); /* not this one again, but any other: a train may wait */
    sei();

    uint8_t place = written;
    if ((uint8_t)(place - taken) >= RING_SIZE)
        flaws |= RING_FULL;
    else {
        ring[place % RING_SIZE] = byte;
        written = place + 1;
    }
    if (flaws != 0)
        damage |= flaws;

    UCSR0B = _BV(RXEN0) | _BV(TXEN0) | _BV(RXCIE0);
}

bool uart_received(void)
{
    return written != taken;
}

uint8_t uart_take(void)
{
    uint8_t byte = ring[taken % RING_SIZE];
    taken++;
    return byte;
}

enum error uart_fault(void)
{
    uint8_t flaws = damage;
    if (flaws == 0)
        return ERROR_NONE;
    damage = 0;
    return flaws & _BV(FE0) ? ERROR_COMMUNICATION : ERROR_INPUT_OVERRUN;
}

void port_put(uint8_t byte)
{
    do
        engine_refill(); /* at least once: a reply may be made no faster than it is sent */
    while (!(UCSR0A & _BV(UDRE0)));
    UDR0 = byte;
}
