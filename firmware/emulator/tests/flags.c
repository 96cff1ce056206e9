/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What becomes of timer 1's flags, and how long an interrupt takes to enter. Sends one byte a
 * check. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

static volatile uint8_t entered_low, compared_b;

static void send(uint8_t byte)
{
    while (!(UCSR0A & _BV(UDRE0)))
        ;
    UDR0 = byte;
}

/* Reads the counter with its very first instruction, then returns. */
ISR(TIMER1_COMPA_vect, ISR_NAKED)
{
    __asm__ volatile("lds r2, %[tcnt] \n"
                     "sts entered_low, r2 \n"
                     "reti \n"
                     :
                     : [tcnt] "i"(&TCNT1L));
}

ISR(TIMER1_COMPB_vect)
{
    compared_b++;
}

static void raise_all(void)
{
    TCCR1B = 0;
    TCNT1 = 0;
    OCR1A = 100;
    OCR1B = 200;
    TCCR1B = _BV(CS10);
    while (!(TIFR1 & _BV(TOV1)))
        ;
}

int main(void)
{
    UBRR0 = 3;
    UCSR0A = _BV(U2X0);
    UCSR0B = _BV(TXEN0);

    raise_all();
    TIFR1 = _BV(OCF1A);
    send(TIFR1 & 7); /* OCF1B and TOV1 remain */
    __asm__ volatile("sbi %[tifr], 0" : : [tifr] "I"(_SFR_IO_ADDR(TIFR1)));
    send(TIFR1 & 7); /* OCF1B remains */

    TIMSK1 = _BV(OCIE1B); /* its flag has been set long since */
    sei();
    __asm__ volatile("nop");
    cli();
    send(compared_b);

    raise_all(); /* masked after it became pending, and enabled again */
    TIFR1 = 7;
    OCR1B = TCNT1 + 200;
    while (!(TIFR1 & _BV(OCF1B)))
        ;
    TIMSK1 = 0;
    sei();
    __asm__ volatile("nop");
    send(compared_b);
    TIMSK1 = _BV(OCIE1B);
    __asm__ volatile("nop");
    send(compared_b);

    TIMSK1 = 0;
    TIFR1 = 7;
    OCR1A = 0x3000;
    TIMSK1 = _BV(OCIE1A);
    while (TCNT1 > 0x2000)
        ;
    while (TCNT1 < 0x2FC0)
        ;
    __asm__ volatile(".rept 200 \n nop \n .endr");
    send(entered_low);

    while (TCNT1 < 0x4000)
        ;
    set_sleep_mode(SLEEP_MODE_IDLE);
    sleep_mode();
    send(entered_low);
    for (;;)
        sleep_mode();
}
