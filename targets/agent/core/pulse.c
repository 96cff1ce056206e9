/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pulse.h"

#include <string.h>

/* What arm_parse() wants to hear of a measurement that needs the answering pins and no interrupt. */
#define AS_PERIOD "measurement=period capacity=1 period_ns=1000000"
#define WORDS_MAX 512

static const char *const pin_words[] = {"sequence_bits=", "response_pin=", "sequence_pins="};

/* The value if the word begins with this name. */
static const char *value_of(const char *word, size_t size, const char *name)
{
    size_t length = strlen(name);
    return size > length && strncmp(word, name, length) == 0 ? word + length : NULL;
}

static bool take_signal(const char *value, size_t size, struct pulse_options *options)
{
    static const char sequence[] = "sequence";
    uint64_t bit;
    if (size == 8 && strncmp(value, "response", size) == 0) {
        options->bit = 0;
        return true;
    }
    size_t length = sizeof sequence - 1;
    if (size != length + 1 || strncmp(value, sequence, length) != 0 ||
        !parse_u64(value + length, 1, &bit) || bit >= SEQUENCE_BITS_MAX)
        return false;
    options->bit = (uint8_t)(bit + 1);
    return true;
}

static bool is_pin_word(const char *word, size_t size)
{
    for (size_t i = 0; i < sizeof pin_words / sizeof *pin_words; i++)
        if (value_of(word, size, pin_words[i]))
            return true;
    return false;
}

/* One word of its own, or one for arm_parse(). NULL, or what is wrong. */
static const char *take_word(const char *word, size_t size, struct pulse_options *options,
                             struct text *for_arm)
{
    const char *end = word + size, *value;
    uint64_t number;
    if ((value = value_of(word, size, "signal=")))
        return take_signal(value, (size_t)(end - value), options)
                   ? NULL
                   : "signal must be response or sequence0 to sequence6";
    if ((value = value_of(word, size, "count="))) {
        if (!parse_u64(value, (size_t)(end - value), &number) || number > PULSES_MAX)
            return "count must be a number from 0 to 100";
        options->count = (uint8_t)number;
        return NULL;
    }
    if ((value = value_of(word, size, "width_us="))) {
        if (!parse_u64(value, (size_t)(end - value), &number) || number < 1 ||
            number > PULSE_WIDTH_US_MAX)
            return "width_us must be a number from 1 to 100000";
        options->width_us = (uint32_t)number;
        return NULL;
    }
    if (!is_pin_word(word, size))
        return "PULSE needs signal=response or sequence0 to sequence6; further words: count, "
               "width_us, sequence_bits, response_pin, sequence_pins";
    text_add(for_arm, " ");
    text_add_bytes(for_arm, word, size);
    return NULL;
}

bool pulse_parse(const char *words, struct pulse_options *options, struct text *why)
{
    char buffer[WORDS_MAX + sizeof AS_PERIOD];
    struct text for_arm;
    const char *flaw = NULL;
    text_begin(&for_arm, buffer, sizeof buffer);
    text_add(&for_arm, AS_PERIOD);
    *options = (struct pulse_options){.bit = UINT8_MAX, .count = 1,
                                      .width_us = PULSE_WIDTH_US_DEFAULT};
    while (!flaw && *(words += strspn(words, " \t"))) {
        size_t size = strcspn(words, " \t");
        flaw = take_word(words, size, options, &for_arm);
        words += size;
    }
    if (!flaw && options->bit == UINT8_MAX)
        flaw = "signal is missing; valid: response, sequence0 to sequence6";
    if (flaw) {
        text_say(why, flaw);
        return false;
    }
    if (!arm_parse(buffer, &options->pins, why))
        return false;
    if (options->bit <= options->pins.sequence_bits)
        return true;
    text_say(why, "that signal has no pin: sequence_bits must be above its number");
    return false;
}

/* --- the pulses --------------------------------------------------------------------------------- */

static void hold(const struct port *port, uint64_t ticks)
{
    uint64_t start = port->now_ticks();
    while (port->now_ticks() - start < ticks)
        ;
}

static const char *flaw_of(const struct port *port, const struct pulse_options *options)
{
    if (!port->write_pins || !port->now_ticks)
        return "this port cannot write single pins; start the agent with one that can, such as "
               "--port ppdev, to check the wires";
    if (options->pins.sequence_bits > port->sequence_bits)
        return "sequence_bits is more than this port has pins for";
    return NULL;
}

static const struct port *holder; /* the port whose pins are taken */
static struct arm_options held;

static bool holds(const struct port *port, const struct arm_options *pins)
{
    return holder == port && held.response_pin == pins->response_pin &&
           held.sequence_bits == pins->sequence_bits && held.given == pins->given &&
           memcmp(held.sequence_pins, pins->sequence_pins, sizeof held.sequence_pins) == 0;
}

static bool take(const struct port *port, const struct arm_options *pins, struct text *why)
{
    if (holds(port, pins))
        return true;
    pulse_release();
    if (!(port->take_pins ? port->take_pins : port->attach)(pins, why))
        return false;
    holder = port;
    held = *pins;
    return true;
}

void pulse_release(void)
{
    if (holder)
        (holder->give_pins ? holder->give_pins : holder->detach)();
    holder = NULL;
}

bool pulse_pins(const struct port *port, const struct pulse_options *options, struct text *why)
{
    struct ticks ignored;
    const char *flaw = flaw_of(port, options);
    if (flaw) {
        text_say(why, flaw);
        return false;
    }
    if (!take(port, &options->pins, why))
        return false;
    uint64_t width = port->counter.tick_hz / 1000000 * options->width_us;
    port->write_pins(0, &ignored);
    hold(port, width);
    for (unsigned i = 0; i < options->count; i++) {
        port->write_pins(1u << options->bit, &ignored);
        hold(port, width);
        port->write_pins(0, &ignored);
        hold(port, width);
    }
    return true;
}
