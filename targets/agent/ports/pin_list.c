/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pin_list.h"

#include <string.h>

static bool take_pin(const char *digits, size_t size, uint16_t *pin)
{
    uint64_t number;
    if (!parse_u64(digits, size, &number) || number >= PIN_NONE)
        return false;
    *pin = (uint16_t)number;
    return true;
}

/* 0:1:2, bit 0 first. */
static bool take_sequence(struct pin_list *list, const char *text, size_t size)
{
    const char *end = text + size;
    for (list->sequence_count = 0; list->sequence_count < SEQUENCE_BITS_MAX;) {
        const char *colon = memchr(text, ':', (size_t)(end - text));
        const char *stop = colon ? colon : end;
        if (!take_pin(text, (size_t)(stop - text), &list->sequence[list->sequence_count++]))
            return false;
        if (!colon)
            return true;
        text = colon + 1;
    }
    return false;
}

static bool take_word(struct pin_list *list, const char *word, size_t size)
{
    static const char sequence[] = "sequence=";
    const struct {
        const char *name;
        uint16_t *pin;
    } known[] = {
        {"response=", &list->response},
        {"interrupt=", &list->interrupt},
        {"trigger=", &list->trigger},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t name = strlen(known[i].name);
        if (size > name && memcmp(word, known[i].name, name) == 0)
            return take_pin(word + name, size - name, known[i].pin);
    }
    size_t name = strlen(sequence);
    return size > name && memcmp(word, sequence, name) == 0 &&
           take_sequence(list, word + name, size - name);
}

bool pin_list_parse(const char *words, struct pin_list *list, struct text *why)
{
    *list = (struct pin_list){.response = PIN_NONE, .interrupt = PIN_NONE, .trigger = PIN_NONE};
    while (words) {
        const char *comma = strchr(words, ',');
        size_t size = comma ? (size_t)(comma - words) : strlen(words);
        if (!take_word(list, words, size)) {
            text_say(why, "--pins must be such as response=4,interrupt=5,trigger=6,sequence=0:1:2");
            return false;
        }
        words = comma ? comma + 1 : NULL;
    }
    return true;
}

void pin_list_complete(const struct pin_list *list, struct arm_options *options)
{
    if (!(options->given & GIVEN_RESPONSE_PIN) && list->response != PIN_NONE) {
        options->response_pin = list->response;
        options->given |= GIVEN_RESPONSE_PIN;
    }
    if (!(options->given & GIVEN_SEQUENCE_PINS) && list->sequence_count >= options->sequence_bits) {
        memcpy(options->sequence_pins, list->sequence, sizeof list->sequence);
        options->given |= GIVEN_SEQUENCE_PINS;
    }
    if (options->interrupt_pin == PIN_NONE)
        options->interrupt_pin = list->interrupt;
    if (options->trigger_pin == PIN_NONE)
        options->trigger_pin = list->trigger;
}
