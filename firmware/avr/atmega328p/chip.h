/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the chip is and can do, for the core and for the host, which asks for it (SYSTem:CHIP?). The
 * least intervals come from measurement: PROTOCOL.md, "Limits". */
#ifndef AVR_ATMEGA328P_CHIP_H
#define AVR_ATMEGA328P_CHIP_H

#define CHIP_NAME "atmega328p"
#define CHIP_TITLE "ATmega328P"
#define CLOCK_HZ 16000000UL

/* As Arduino boards name them, and as the data sheet does: PB1 and PB0. */
#define STIMULUS_PIN "D9:OC1A"
#define RESPONSE_PIN "D8:ICP1"

/* The same for the port: registers and bits, and the interrupt of a byte received. */
#define STIMULUS_PORT PORTB
#define STIMULUS_DIRECTION DDRB
#define STIMULUS_BIT PB1
#define RESPONSE_LEVELS PINB
#define RESPONSE_BIT PB0
#define SERIAL_RECEIVED_vect USART_RX_vect

#define CAPTURE_RING 128

#define WIDTH_MIN_TICKS 160UL
#define WIDTH_MAX_TICKS 32767UL /* one step of the pattern engine */
#define GAP_MIN_TICKS 160UL
#define DELAY_MIN_TICKS 1600UL
#define INTERVAL_MAX_TICKS 160000000UL /* 10 s */
#define RAMP_INTERVAL_MAX_TICKS 16000000UL /* 1 s: beyond it the rate words are too coarse */

#define PERIODIC_MIN_TICKS 320UL
#define BURST_MIN_TICKS 320UL
#define UNIFORM_MIN_TICKS 1280UL
#define POISSON_MIN_TICKS 1600UL
#define RAMP_MIN_TICKS 1600UL

#endif
