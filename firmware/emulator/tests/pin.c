/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Moves PB1 by every means there is, then by compares at the counter's top, in an idle sleep. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

EMPTY_INTERRUPT(TIMER1_OVF_vect)

int main(void)
{
    __asm__ volatile("sbi %[ddr], 1 \n"
                     "sbi %[port], 1 \n" /* rise */
                     "nop \n"
                     "cbi %[port], 1 \n" /* fall 3 cycles later */
                     "nop \n"
                     "nop \n"
                     "sbi %[pin], 1 \n" /* rise 4 cycles later, by a write to PINB */
                     "nop \n"
                     "out %[port], __zero_reg__ \n" /* fall 3 cycles later */
                     :
                     : [ddr] "I"(_SFR_IO_ADDR(DDRB)), [port] "I"(_SFR_IO_ADDR(PORTB)),
                       [pin] "I"(_SFR_IO_ADDR(PINB)));
    TCCR1A = _BV(COM1A1) | _BV(COM1A0); /* set; the latch is still low: no edge */
    TCCR1C = _BV(FOC1A); /* rise */
    TCCR1A = 0; /* fall: the port drives again */
    TCCR1A = _BV(COM1A1); /* clear; the latch is high: rise */
    TCCR1C = _BV(FOC1A); /* fall */
    TCCR1A = _BV(COM1A0); /* toggle */
    OCR1A = 65535;
    TIMSK1 = _BV(TOIE1);
    TCCR1B = _BV(CS10); /* rise at 65536, fall at 131072, and so on */
    set_sleep_mode(SLEEP_MODE_IDLE);
    sei();
    for (;;) {
        sleep_mode();
        PORTB ^= _BV(PB5); /* must not disturb OC1A */
    }
}
