/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sends back every byte it gets, from interrupts, through a ring. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

static volatile uint8_t ring[256], first, last;

ISR(USART_RX_vect)
{
    ring[last++] = UDR0;
    UCSR0B |= _BV(UDRIE0);
}

ISR(USART_UDRE_vect)
{
    UDR0 = ring[first++];
    if (first == last)
        UCSR0B &= (uint8_t)~_BV(UDRIE0);
}

int main(void)
{
    UBRR0 = 3;
    UCSR0A = _BV(U2X0);
    UCSR0B = _BV(RXEN0) | _BV(TXEN0) | _BV(RXCIE0);
    set_sleep_mode(SLEEP_MODE_IDLE);
    sei();
    for (;;)
        sleep_mode();
}
