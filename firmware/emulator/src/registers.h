/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Data-space addresses and bits of the ATmega328P that the emulator models itself, from the
 * register summary of the datasheet. Sections are cited here and elsewhere as in Atmel-8271J.
 * Other chips of the family have timer 1 and UART 0 at the same addresses; mcu_open looks. */
#ifndef RIG_EMULATOR_REGISTERS_H
#define RIG_EMULATOR_REGISTERS_H

enum {
    REG_TIFR1 = 0x36,
    REG_TIMSK1 = 0x6F,
    REG_TCCR1A = 0x80,
    REG_TCCR1B = 0x81,
    REG_TCCR1C = 0x82,
    REG_ICR1L = 0x86,
    REG_ICR1H = 0x87,
    REG_UCSR0A = 0xC0,
    REG_UCSR0B = 0xC1,
    REG_UCSR0C = 0xC2,
    REG_UBRR0L = 0xC4,
    REG_UBRR0H = 0xC5,

    BIT_OCIE1A = 1 << 1,
    BIT_ICES1 = 1 << 6,
    BIT_ICNC1 = 1 << 7,
    BIT_FOC1A = 1 << 7,
    BIT_U2X0 = 1 << 1,
    BIT_RXEN0 = 1 << 4,
};

#endif
