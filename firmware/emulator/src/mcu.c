/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcu.h"

#include <simavr/sim_core.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "fault.h"
#include "hex.h"
#include "registers.h"

enum {
    /* Datasheet 7.7.1: four cycles to enter an interrupt, four more if the CPU was asleep. simavr
     * takes neither into account. */
    INTERRUPT_ENTRY_CYCLES = 4,
    INTERRUPT_WAKE_CYCLES = 4,

    /* What 16 bits address there; a word or a flash page may begin at the last address. */
    REACH_BYTES = 65536 + 256,
    FLASH_GUARD_BYTES = 3, /* behind the flash simavr keeps an instruction that stops it */
};

static void mcu_ignore_log(avr_t *avr, const int level, const char *format, va_list arguments)
{
    (void)avr;
    (void)level;
    (void)format;
    (void)arguments;
}

static avr_io_t *mcu_find(avr_t *avr, const char *kind, char name)
{
    for (avr_io_t *io = avr->io_port; io != NULL; io = io->next) {
        if (strcmp(io->kind, kind) != 0)
            continue;
        /* Every one of these modules starts with its avr_io_t, so the cast back is exact. */
        char found = strcmp(kind, "timer") == 0  ? ((avr_timer_t *)io)->name
                     : strcmp(kind, "uart") == 0 ? ((avr_uart_t *)io)->name
                                                 : ((avr_ioport_t *)io)->name;
        if (found == name)
            return io;
    }
    return NULL;
}

/* simavr notices an access outside the memory but still makes it; with all that 16 bits can address
 * there, and behind a larger flash as much again, firmware cannot reach beyond. */
static bool mcu_enlarge_memories(avr_t *avr)
{
    const size_t flash_bytes = avr->flashend + 1u + REACH_BYTES;
    uint8_t *data = realloc(avr->data, REACH_BYTES);
    if (data != NULL)
        avr->data = data;
    uint8_t *flash = realloc(avr->flash, flash_bytes);
    if (flash != NULL)
        avr->flash = flash;
    if (data == NULL || flash == NULL)
        return false;
    memset(data + avr->ramend + 1, 0, REACH_BYTES - avr->ramend - 1u);
    memset(flash + avr->flashend + FLASH_GUARD_BYTES, 0xFF,
           flash_bytes - avr->flashend - FLASH_GUARD_BYTES);
    return true;
}

/* The pin that a timer's register bit stands for. */
static struct mcu_pin mcu_pin_of(avr_t *avr, avr_regbit_t pin)
{
    for (avr_io_t *io = avr->io_port; io != NULL; io = io->next) {
        avr_ioport_t *port = (avr_ioport_t *)io;
        if (strcmp(io->kind, "port") == 0 && (port->r_port == pin.reg || port->r_pin == pin.reg))
            return (struct mcu_pin){.port = port, .bit = pin.bit};
    }
    return (struct mcu_pin){.port = NULL};
}

/* Timer 1, UART 0 and their pins are where the emulator's own models take them to be. */
static bool mcu_find_parts(struct mcu *mcu)
{
    mcu->timer1 = (avr_timer_t *)mcu_find(mcu->avr, "timer", '1');
    mcu->uart0 = (avr_uart_t *)mcu_find(mcu->avr, "uart", '0');
    if (mcu->timer1 == NULL || mcu->uart0 == NULL)
        return false;
    const avr_timer_t *timer = mcu->timer1;
    const avr_uart_t *uart = mcu->uart0;
    mcu->stimulus = mcu_pin_of(mcu->avr, timer->comp[AVR_TIMER_COMPA].com_pin);
    mcu->response = mcu_pin_of(mcu->avr, timer->icp);
    return mcu->stimulus.port != NULL && mcu->response.port != NULL &&
           timer->comp[AVR_TIMER_COMPA].com.reg == REG_TCCR1A && timer->ices.reg == REG_TCCR1B &&
           timer->r_icr == REG_ICR1L && timer->overflow.raised.reg == REG_TIFR1 &&
           timer->overflow.enable.reg == REG_TIMSK1 && uart->r_ucsra == REG_UCSR0A &&
           uart->r_ucsrb == REG_UCSR0B && uart->r_ucsrc == REG_UCSR0C;
}

bool mcu_open(struct mcu *mcu, const char *chip, uint32_t clock_hz, const char *firmware)
{
    /* simavr would print on standard output, which carries the name of the serial port. */
    avr_global_logger_set(mcu_ignore_log);
    memset(mcu, 0, sizeof *mcu);
    mcu->avr = avr_make_mcu_by_name(chip);
    if (mcu->avr == NULL || avr_init(mcu->avr) != 0) {
        fault_say("%s: this libsimavr does not know it; emulated are AVR chips that it has a core of",
                  chip);
        return false;
    }
    mcu->clock_hz = clock_hz;
    if (!mcu_enlarge_memories(mcu->avr)) {
        fault_say("not enough memory for the chip");
        return false;
    }
    mcu->avr->frequency = clock_hz;
    /* Free running between events instead of one instruction at a time; events bound it again. */
    mcu->avr->run_cycle_limit = clock_hz;
    if (!mcu_find_parts(mcu)) {
        fault_say("%s: its timer 1 or UART 0 is not like the ATmega328P's; it cannot be emulated",
                  chip);
        return false;
    }
    return hex_load(firmware, mcu->avr->flash, mcu->avr->flashend + 1);
}

void mcu_close(struct mcu *mcu)
{
    if (mcu->avr == NULL)
        return;
    avr_terminate(mcu->avr);
    free(mcu->avr);
    mcu->avr = NULL;
}

void mcu_schedule(struct mcu *mcu, uint64_t cycle, avr_cycle_timer_t callback, void *context)
{
    /* simavr adds its present cycle again; unsigned arithmetic brings past cycles out right. */
    avr_cycle_timer_register(mcu->avr, cycle - mcu->avr->cycle, callback, context);
}

void mcu_stop(struct mcu *mcu)
{
    mcu->stop = true;
    mcu->avr->run_cycle_count = 0;
}

/* simavr calls timers between instructions with its clock already past the cycle they were due at,
 * so that captures come late, compares close after an overflow are lost, and edges get an
 * instruction's stamp. Turning the clock back to each timer's own cycle while it is served makes
 * all of them exact. */
static void mcu_serve_timers(avr_t *avr)
{
    const avr_cycle_count_t now = avr->cycle;
    const avr_cycle_timer_pool_t *pool = &avr->cycle_timers;

    while (pool->timer != NULL && pool->timer->when <= now) {
        avr->cycle = pool->timer->when;
        avr_cycle_timer_process(avr);
    }
    avr->cycle = now;
    avr_cycle_timer_process(avr); /* sets how far the core may run freely from here */
}

static void mcu_enter_interrupt(avr_t *avr, bool was_asleep)
{
    const uint8_t enabled = avr->sreg[S_I];
    const bool last_of_wait = avr->interrupt_state == -1;

    avr_service_interrupts(avr);
    if (last_of_wait) /* simavr would let two instructions pass after SEI and RETI, the chip lets */
                      /* one */
        avr_service_interrupts(avr);
    if (!enabled || avr->sreg[S_I])
        return;
    avr->cycle += INTERRUPT_ENTRY_CYCLES + (was_asleep ? INTERRUPT_WAKE_CYCLES : 0);
    mcu_serve_timers(avr);
}

static void mcu_step(avr_t *avr)
{
    const bool was_asleep = avr->state == cpu_Sleeping;

    if (was_asleep)
        avr->cycle = avr->cycle_timers.timer->when; /* never empty: the end of the slice is in it */
    else
        avr->pc = avr_run_one(avr);
    mcu_serve_timers(avr);
    if (avr->interrupt_state != 0)
        mcu_enter_interrupt(avr, was_asleep);
}

static bool mcu_alive(const avr_t *avr)
{
    const char *death = NULL;

    if (avr->state == cpu_Sleeping && !avr->sreg[S_I])
        death = "sleeps with interrupts off";
    else if (avr->state != cpu_Running && avr->state != cpu_Sleeping)
        death = "crashed (ran off the flash, or used memory that is not there)";
    else if (avr->run != avr_callback_run_raw)
        death = "was reset by its watchdog"; /* simavr asks for the reset by exchanging this pointer */
    if (death == NULL)
        return true;
    fault_say("the firmware %s at pc 0x%04x, cycle %llu", death, (unsigned)avr->pc,
              (unsigned long long)avr->cycle);
    return false;
}

static avr_cycle_count_t mcu_slice_ends(avr_t *avr, avr_cycle_count_t when, void *context)
{
    (void)avr;
    (void)when;
    (void)context;
    return 0;
}

bool mcu_run(struct mcu *mcu, uint64_t until_cycle)
{
    avr_t *avr = mcu->avr;
    bool alive = true;

    mcu->stop = false;
    if (avr->cycle >= until_cycle)
        return true;
    /* An event at the end keeps both sleep and free running from going past it. */
    mcu_schedule(mcu, until_cycle, mcu_slice_ends, mcu);
    mcu_serve_timers(avr); /* edges that were handed in with a cycle already past */
    while (alive && !mcu->stop && avr->cycle < until_cycle) {
        mcu_step(avr);
        alive = mcu_alive(avr);
    }
    avr_cycle_timer_cancel(avr, mcu_slice_ends, mcu);
    return alive;
}
