/* SPDX-License-Identifier: GPL-3.0-or-later */
/* simavr 1.6 clears every flag on any write to TIFR1, and forgets an interrupt whose flag was
 * raised while its enable bit was off. Firmware that clears ICF1 would lose compares and overflows
 * with it. */
#include "timer1.h"

#include "registers.h"

enum { VECTORS = 5 };

static void timer1_vectors(avr_timer_t *timer, avr_int_vector_t *vectors[VECTORS])
{
    vectors[0] = &timer->overflow;
    vectors[1] = &timer->icr;
    for (int i = 0; i < AVR_TIMER_COMP_COUNT; i++)
        vectors[2 + i] = &timer->comp[i].interrupt;
}

static uint8_t timer1_flag(const avr_int_vector_t *vector)
{
    return vector->vector != 0 ? (uint8_t)(1u << vector->raised.bit) : 0;
}

/* SBI writes one bit only on this chip (note 3 to the datasheet's register summary), but simavr
 * makes it a read and a write of the whole register. */
static uint8_t timer1_written_bits(const avr_t *avr, uint8_t value)
{
    uint16_t opcode = (uint16_t)(avr->flash[avr->pc] | avr->flash[avr->pc + 1] << 8);

    return (opcode & 0xFF00) == 0x9A00 ? (uint8_t)(1u << (opcode & 7)) : value;
}

/* Datasheet 16.11.9: a flag is cleared by writing a one to its own bit. */
static void timer1_write_tifr(avr_t *avr, avr_io_addr_t address, uint8_t value, void *context)
{
    avr_int_vector_t *vectors[VECTORS];
    const uint8_t ones = timer1_written_bits(avr, value);

    (void)address;
    timer1_vectors(context, vectors);
    for (int i = 0; i < VECTORS; i++) {
        if (ones & timer1_flag(vectors[i]))
            avr_clear_interrupt(avr, vectors[i]);
    }
}

/* Datasheet 7.7: an interrupt whose flag is set is executed once its enable bit is set. */
static void timer1_write_timsk(avr_t *avr, avr_io_addr_t address, uint8_t value, void *context)
{
    avr_int_vector_t *vectors[VECTORS];

    avr->data[address] = value;
    timer1_vectors(context, vectors);
    for (int i = 0; i < VECTORS; i++) {
        const uint8_t flag = timer1_flag(vectors[i]);
        if (value & avr->data[REG_TIFR1] & flag)
            avr_raise_interrupt(avr, vectors[i]);
    }
}

void timer1_open(struct mcu *mcu)
{
    const avr_io_addr_t tifr = AVR_DATA_TO_IO(REG_TIFR1);

    /* In place of simavr's own handler; avr_register_io_write would only add to it. */
    mcu->avr->io[tifr].w.c = timer1_write_tifr;
    mcu->avr->io[tifr].w.param = mcu->timer1;
    avr_register_io_write(mcu->avr, REG_TIMSK1, timer1_write_timsk, mcu->timer1);
}
