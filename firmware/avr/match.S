/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The interrupts that a train cannot wait for. In assembly, as C saves three times the registers:
 * that alone would make the shortest pulse and the shortest interval longer by half. */
#define __SFR_OFFSET 0
#include <avr/io.h>

#include "match.h"

.section .text

/* Set the next match r31:r30 ticks after the last one, and go to `done` if it will come, or has
 * come meanwhile. Otherwise hand over. The planned tick of a match is that of the one before plus
 * the wait between them, and as long as none is missed OCR1A holds it. */
.macro set_match done
    sbic FLAGS, FLAG_BEHIND
    rjmp hand_over
    lds r24, OCR1AL
    lds r25, OCR1AH
    add r24, r30
    adc r25, r31
    sts OCR1AH, r25 /* high byte first: datasheet 16.3 */
    sts OCR1AL, r24
    lds r30, TCNT1L
    lds r31, TCNT1H
    sub r30, r24
    sbc r31, r25
    brpl 1f
    rjmp \done
1:  sbic TIFR1, OCF1A
    rjmp \done
    rjmp missed
.endm

/* A match of compare unit A has happened. The edge itself was made by the timer; what counts here
 * is to set the next one before its time. */
.global TIMER1_COMPA_vect
TIMER1_COMPA_vect:
    push r24
    in r24, SREG
    push r24
    push r25
    push r30
    push r31
    sbis FLAGS, FLAG_LEADING
    rjmp next_step

    /* The leading edge has left: the trailing edge follows. */
    lds r24, match_action_rest
    sts TCCR1A, r24
    cbi FLAGS, FLAG_LEADING
    lds r30, match_width_ticks
    lds r31, match_width_ticks + 1
    set_match count

count:
    lds r24, match_sent
    subi r24, 0xFF
    sts match_sent, r24
    brcs restore /* adding 1 as subtracting -1: the carry is set unless the byte went round */
    lds r24, match_sent + 1
    sbci r24, 0xFF
    sts match_sent + 1, r24
    lds r24, match_sent + 2
    sbci r24, 0xFF
    sts match_sent + 2, r24
    lds r24, match_sent + 3
    sbci r24, 0xFF
    sts match_sent + 3, r24

restore:
    pop r31
    pop r30
    pop r25
    pop r24
    out SREG, r24
    pop r24
    reti

next_step:
    lds r30, match_ring_taken
    lds r24, match_ring_written
    cp r30, r24
    brne step_ready
    rjmp starved
step_ready:
    mov r24, r30
    inc r24
    sts match_ring_taken, r24
    andi r30, MATCH_RING - 1
    lsl r30
    ldi r31, 0
    subi r30, lo8(-(match_ring))
    sbci r31, hi8(-(match_ring))
    ld r24, Z+
    ld r31, Z
    mov r30, r24
    sbrc r31, 7
    rjmp hop
    lds r24, match_action_pulse
    sts TCCR1A, r24
    sbi FLAGS, FLAG_LEADING
    set_match restore

/* Without an action the port drives the pin, at the rest level. */
hop:
    andi r31, 0x7F
    ldi r24, 0
    sts TCCR1A, r24
    mov r24, r30
    or r24, r31
    brne hop_on
    rjmp ended
hop_on:
    set_match restore

ended:
    lds r24, TIMSK1
    andi r24, ~(1 << OCIE1A) & 0xFF
    sts TIMSK1, r24
    ldi r24, MATCH_DONE
    sts match_state, r24
    rjmp restore

starved:
    ldi r24, 0
    sts TCCR1A, r24
    ldi r30, lo8(STARVED_TICKS)
    ldi r31, hi8(STARVED_TICKS)
    sbi FLAGS, FLAG_STARVED
    rjmp hand_over

missed: /* OCR1A is at the planned tick already */
    ldi r30, 0
    ldi r31, 0

/* Leave the match to TIMER1_COMPB in engine.c: unit B makes no edge, it only lets a second, longer
 * interrupt follow, which turns itself off again. */
hand_over:
    sts match_slow_wait_ticks, r30
    sts match_slow_wait_ticks + 1, r31
    lds r30, TCNT1L
    lds r31, TCNT1H
    adiw r30, HAND_OVER_TICKS
    sts OCR1BH, r31
    sts OCR1BL, r30
    sbi TIFR1, OCF1B
    lds r24, TIMSK1
    ori r24, 1 << OCIE1B
    sts TIMSK1, r24
    rjmp restore

/* The timer has gone round. */
.global TIMER1_OVF_vect
TIMER1_OVF_vect:
    push r24
    in r24, SREG
    push r24
    lds r24, match_rounds
    subi r24, 0xFF
    sts match_rounds, r24
    brcs counted
    lds r24, match_rounds + 1
    sbci r24, 0xFF
    sts match_rounds + 1, r24
    lds r24, match_rounds + 2
    sbci r24, 0xFF
    sts match_rounds + 2, r24
    lds r24, match_rounds + 3
    sbci r24, 0xFF
    sts match_rounds + 3, r24
counted:
    pop r24
    out SREG, r24
    pop r24
    reti

/* An edge of the response. Others are kept out for a few instructions only: the next match of a
 * train is set in time even when captures follow each other without a pause. This interrupt itself
 * stays off until its work is done, so that it cannot pile up on the stack. */
.global TIMER1_CAPT_vect
TIMER1_CAPT_vect:
    push r24
    in r24, SREG
    push r24
    lds r24, ICR1L /* low byte first: datasheet 16.3 */
    sts match_capture_stamp, r24
    lds r24, ICR1H
    sts match_capture_stamp + 1, r24
    lds r24, TIMSK1
    andi r24, ~(1 << ICIE1) & 0xFF
    sts TIMSK1, r24
    sei

    .irp register, r0, r1, r18, r19, r20, r21, r22, r23, r25, r26, r27, r30, r31
    push \register
    .endr
    clr r1
    call match_captured
    .irp register, r31, r30, r27, r26, r25, r23, r22, r21, r20, r19, r18, r1, r0
    pop \register
    .endr

    tst r24
    cli
    breq leave_off
    lds r24, TIMSK1
    ori r24, 1 << ICIE1
    sts TIMSK1, r24
leave_off:
    pop r24
    out SREG, r24
    pop r24
    reti
