/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An AVR chip on simavr, stepped so that every event happens at its own cycle. */
#ifndef RIG_EMULATOR_MCU_H
#define RIG_EMULATOR_MCU_H

#include <simavr/avr_ioport.h>
#include <simavr/avr_timer.h>
#include <simavr/avr_uart.h>
#include <simavr/sim_avr.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mcu_pin {
    avr_ioport_t *port;
    uint8_t bit;
};

struct mcu {
    avr_t *avr;
    uint32_t clock_hz;
    avr_timer_t *timer1;
    avr_uart_t *uart0;
    struct mcu_pin stimulus; /* OC1A */
    struct mcu_pin response; /* ICP1 */
    bool stop; /* asked for by mcu_stop */
};

/* Makes the chip, by simavr's name for it, and loads the Intel hex file. Returns false after saying
 * why not. */
bool mcu_open(struct mcu *mcu, const char *chip, uint32_t clock_hz, const char *firmware);
void mcu_close(struct mcu *mcu);

/* Runs until the clock is at `until_cycle` or the instruction that crossed it has ended, or
 * mcu_stop was called. Returns false after saying how the firmware died. */
bool mcu_run(struct mcu *mcu, uint64_t until_cycle);

/* Called from a pin's or a timer's callback: leave mcu_run once the present instruction has ended. */
void mcu_stop(struct mcu *mcu);

static inline uint64_t mcu_cycle(const struct mcu *mcu)
{
    return mcu->avr->cycle;
}

/* Calls back at `cycle`, with the clock showing that cycle. It may already lie in the past: then
 * the call comes before the next instruction. */
void mcu_schedule(struct mcu *mcu, uint64_t cycle, avr_cycle_timer_t callback, void *context);

#endif
