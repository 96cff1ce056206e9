/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "response_pin.h"

#include "registers.h"

/* Datasheet 16.6.2: four equal samples change the output, and ICR1 is updated four cycles after the
 * change at the input. */
enum { NOISE_CANCELER_CYCLES = 4 };

static struct response_edge *response_pin_at(struct response_pin *pin, size_t i)
{
    return &pin->queue[(pin->first + i) % RESPONSE_QUEUE_MAX];
}

/* What a read of TCNT1 would have given when the edge that is now at the pin was made; right also
 * for a cycle before the last overflow, as all is modulo the counter's round. */
static uint16_t response_pin_counter(const struct response_pin *pin)
{
    const avr_timer_t *timer = pin->mcu->timer1;

    if (timer->tov_cycles == 0)
        return 0; /* stopped */
    const uint64_t elapsed = mcu_cycle(pin->mcu) - pin->delay_cycles - timer->tov_base;
    return (uint16_t)(elapsed * (timer->tov_top + 1u) / timer->tov_cycles);
}

/* The edge detector and the capture of figure 16-3. simavr's own would do but for the reads of
 * ICR1, which it lets tear when a capture falls between them. */
static void response_pin_detect(struct response_pin *pin, uint8_t level)
{
    avr_t *avr = pin->mcu->avr;
    const uint8_t wanted = avr->data[REG_TCCR1B] & BIT_ICES1 ? 1 : 0;

    pin->filtered = level;
    if (level != wanted || pin->mcu->timer1->mode.top == avr_timer_wgm_reg_icr)
        return;
    pin->captured = response_pin_counter(pin);
    avr_raise_interrupt(avr, &pin->mcu->timer1->icr);
}

static void response_pin_feed(struct response_pin *pin, uint8_t level)
{
    if (level == pin->raw)
        return;
    pin->raw = level;
    pin->fed_cycle = mcu_cycle(pin->mcu);
    if (pin->fed != NULL)
        pin->fed(pin->context, pin->fed_cycle - pin->delay_cycles, level);
    /* As a pull, so that simavr keeps the level when the firmware writes the port. */
    pin->mcu->response.port->external.pull_value =
        (uint8_t)(level << pin->mcu->response.bit);
    avr_raise_irq(pin->mcu->response.port->io.irq + pin->mcu->response.bit, level);

    if (!(pin->mcu->avr->data[REG_TCCR1B] & BIT_ICNC1)) {
        pin->canceling = false;
        response_pin_detect(pin, level);
    } else {
        pin->canceling = level != pin->filtered;
        pin->accept_cycle = pin->fed_cycle + NOISE_CANCELER_CYCLES;
    }
}

/* The next cycle at which something happens on this pin, 0 for none. */
static uint64_t response_pin_due(struct response_pin *pin)
{
    uint64_t due = pin->canceling ? pin->accept_cycle : 0;

    if (pin->count > 0) {
        uint64_t cycle = response_pin_at(pin, 0)->cycle;
        if (cycle < pin->fed_cycle)
            cycle = pin->fed_cycle;
        if (due == 0 || cycle < due)
            due = cycle;
    }
    return due;
}

static avr_cycle_count_t response_pin_serve(avr_t *avr, avr_cycle_count_t when, void *context)
{
    struct response_pin *pin = context;

    (void)when;
    /* A level that held to this very cycle was sampled four times: accept it before the next edge. */
    if (pin->canceling && pin->accept_cycle <= avr->cycle) {
        pin->canceling = false;
        response_pin_detect(pin, pin->raw);
    }
    while (pin->count > 0 && response_pin_at(pin, 0)->cycle <= avr->cycle) {
        const uint8_t level = response_pin_at(pin, 0)->level;
        pin->first = (pin->first + 1) % RESPONSE_QUEUE_MAX;
        pin->count--;
        response_pin_feed(pin, level);
    }
    return response_pin_due(pin);
}

static uint8_t response_pin_read_low(avr_t *avr, avr_io_addr_t address, void *context)
{
    struct response_pin *pin = context;

    (void)avr;
    (void)address;
    pin->temporary_high =
        (uint8_t)(pin->captured >> 8); /* datasheet 16.3: the low byte is read first */
    return (uint8_t)pin->captured;
}

static uint8_t response_pin_read_high(avr_t *avr, avr_io_addr_t address, void *context)
{
    const struct response_pin *pin = context;

    (void)avr;
    (void)address;
    return pin->temporary_high;
}

void response_pin_open(struct response_pin *pin, struct mcu *mcu, response_edge_t fed,
                       void *context)
{
    *pin = (struct response_pin){.mcu = mcu, .fed = fed, .context = context};
    avr_unconnect_irq(mcu->response.port->io.irq + mcu->response.bit,
                      avr_io_getirq(mcu->avr, AVR_IOCTL_TIMER_GETIRQ('1'), TIMER_IRQ_IN_ICP));
    mcu->response.port->external.pull_mask = (uint8_t)(1u << mcu->response.bit);
    avr_register_io_read(mcu->avr, REG_ICR1L, response_pin_read_low, pin);
    avr_register_io_read(mcu->avr, REG_ICR1H, response_pin_read_high, pin);
}

bool response_pin_add(struct response_pin *pin, uint64_t cycle, uint8_t level)
{
    size_t place = pin->count;

    cycle += pin->delay_cycles;
    if (pin->count == RESPONSE_QUEUE_MAX)
        return false;
    for (; place > 0 && response_pin_at(pin, place - 1)->cycle > cycle; place--)
        *response_pin_at(pin, place) = *response_pin_at(pin, place - 1);
    *response_pin_at(pin, place) = (struct response_edge){.cycle = cycle, .level = level};
    pin->count++;
    mcu_schedule(pin->mcu, response_pin_due(pin), response_pin_serve, pin);
    return true;
}
