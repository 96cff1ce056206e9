/* SPDX-License-Identifier: GPL-3.0-or-later */
/* simavr 1.6 writes a toggled OC1A into its port, treats the clear and set modes as pulse width
 * modulation even in normal mode (the pin also changes at overflows and OCR1A writes), and has no
 * FOC1A. So only the moment of the match is taken from it; latch and pin follow the datasheet,
 * figure 16-5. */
#include "stimulus_pin.h"

#include "registers.h"

enum { COM_DISCONNECTED = 0, COM_TOGGLE = 1, COM_CLEAR = 2, COM_SET = 3 };

static uint8_t stimulus_pin_mode(const struct stimulus_pin *pin)
{
    return pin->mcu->avr->data[REG_TCCR1A] >> 6;
}

static uint8_t stimulus_pin_bit(const struct stimulus_pin *pin, uint8_t port)
{
    return port >> pin->mcu->stimulus.bit & 1;
}

static void stimulus_pin_update(struct stimulus_pin *pin)
{
    const bool compare_drives =
        stimulus_pin_bit(pin, pin->direction) && stimulus_pin_mode(pin) != COM_DISCONNECTED;
    /* An undriven pin reads its pull-up, which the same port bit switches. */
    const uint8_t level = compare_drives ? pin->latch : stimulus_pin_bit(pin, pin->port);

    if (level == pin->level)
        return;
    pin->level = level;
    pin->edge(pin->context, mcu_cycle(pin->mcu), level);
}

static void stimulus_pin_match(struct stimulus_pin *pin)
{
    switch (stimulus_pin_mode(pin)) {
    case COM_TOGGLE:
        pin->latch ^= 1;
        break;
    case COM_CLEAR:
        pin->latch = 0;
        break;
    case COM_SET:
        pin->latch = 1;
        break;
    default:
        return;
    }
    stimulus_pin_update(pin);
}

static void stimulus_pin_compared(avr_irq_t *irq, uint32_t value, void *context)
{
    struct stimulus_pin *pin = context;
    const avr_timer_t *timer = pin->mcu->timer1;
    const uint64_t elapsed = mcu_cycle(pin->mcu) - timer->tov_base;
    const uint64_t match = timer->comp[AVR_TIMER_COMPA].comp_cycles;

    (void)irq;
    (void)value;
    /* simavr also raises this at overflows and reloads, never at the match's own cycle. A match at
     * the counter's top coincides with its return to zero. */
    if (elapsed == match || match == timer->tov_cycles)
        stimulus_pin_match(pin);
}

static void stimulus_pin_port_written(avr_irq_t *irq, uint32_t value, void *context)
{
    struct stimulus_pin *pin = context;

    (void)irq;
    pin->port = (uint8_t)value;
    stimulus_pin_update(pin);
}

static void stimulus_pin_direction_written(avr_irq_t *irq, uint32_t value, void *context)
{
    struct stimulus_pin *pin = context;

    (void)irq;
    pin->direction = (uint8_t)value;
    stimulus_pin_update(pin);
}

static void stimulus_pin_write_tccr1a(avr_t *avr, avr_io_addr_t address, uint8_t value,
                                      void *context)
{
    (void)avr;
    (void)address;
    (void)value; /* simavr's handler, called first, has stored it */
    stimulus_pin_update(context);
}

/* Datasheet 16.11.3: the strobe acts on the pin as a match would, raises no flag, and reads as
 * zero. */
static void stimulus_pin_write_tccr1c(avr_t *avr, avr_io_addr_t address, uint8_t value,
                                      void *context)
{
    (void)avr;
    (void)address;
    if (value & BIT_FOC1A)
        stimulus_pin_match(context);
}

void stimulus_pin_open(struct stimulus_pin *pin, struct mcu *mcu, stimulus_edge_t edge,
                       void *context)
{
    avr_t *avr = mcu->avr;
    avr_irq_t *compare = avr_io_getirq(avr, AVR_IOCTL_TIMER_GETIRQ('1'), TIMER_IRQ_OUT_COMP);
    avr_irq_t *port = mcu->stimulus.port->io.irq;

    *pin = (struct stimulus_pin){.mcu = mcu, .edge = edge, .context = context};
    avr_unconnect_irq(compare, port + mcu->stimulus.bit);
    avr_irq_register_notify(compare, stimulus_pin_compared, pin);
    avr_irq_register_notify(port + IOPORT_IRQ_REG_PORT, stimulus_pin_port_written, pin);
    avr_irq_register_notify(port + IOPORT_IRQ_DIRECTION_ALL, stimulus_pin_direction_written, pin);
    avr_register_io_write(avr, REG_TCCR1A, stimulus_pin_write_tccr1a, pin);
    avr_register_io_write(avr, REG_TCCR1C, stimulus_pin_write_tccr1c, pin);
}
