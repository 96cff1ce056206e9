/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What match.S and engine.c share. The variables are engine.c's. */
#ifndef AVR_MATCH_H
#define AVR_MATCH_H

/* Flags, in a register that single instructions test, set and clear. */
#define FLAGS GPIOR0
#define FLAG_LEADING 0 /* the pending match is a leading edge */
#define FLAG_BEHIND 1 /* the train is behind its plan */
#define FLAG_STARVED 2 /* no step was ready: the wait handed over is not in the plan */

#define MATCH_RING 128 /* STEP_RING of core/steps.h, for assembly */

/* From reading TCNT1 to a match of unit B that cannot be missed. */
#define HAND_OVER_TICKS 24

/* While no step is ready the train looks again this often: most of the time has to remain for the
 * main loop, which works the steps out. */
#define STARVED_TICKS 2048

#define MATCH_DONE 2 /* ENGINE_DONE of core/port.h, for assembly */

#ifndef __ASSEMBLER__
#include <stdint.h>

extern volatile uint32_t match_rounds; /* of the timer since INIT */
extern volatile uint32_t match_sent; /* leading edges that left the pin */
extern volatile uint8_t match_state; /* an enum engine_state */
extern uint8_t match_action_pulse; /* TCCR1A for a leading edge */
extern uint8_t match_action_rest; /* TCCR1A for a trailing edge */
extern uint16_t match_width_ticks;
extern uint16_t match_ring[MATCH_RING]; /* words of core/steps.h */
extern volatile uint8_t match_ring_written; /* by the main loop */
extern volatile uint8_t match_ring_taken; /* by the interrupt */
extern volatile uint16_t match_slow_wait_ticks; /* what is handed over */
extern volatile uint16_t match_capture_stamp; /* ICR1 */

/* Work on a capture, in its interrupt; returns 0 if the next one is to be let in later. */
uint8_t match_captured(void);
#endif

#endif
