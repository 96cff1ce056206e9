/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "text.h"

#include <string.h>

void text_begin(struct text *text, char *buffer, size_t size)
{
    *text = (struct text){.bytes = buffer, .size = size};
    buffer[0] = '\0';
}

void text_cut(struct text *text, size_t used)
{
    if (used < text->used) {
        text->used = used;
        text->bytes[used] = '\0';
    }
}

void text_add_bytes(struct text *text, const char *bytes, size_t count)
{
    if (count >= text->size - text->used) {
        text->full = true;
        return;
    }
    memcpy(text->bytes + text->used, bytes, count);
    text->used += count;
    text->bytes[text->used] = '\0';
}

void text_add(struct text *text, const char *words)
{
    text_add_bytes(text, words, strlen(words));
}

void text_add_u64(struct text *text, uint64_t number)
{
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    text_add_bytes(text, digits + at, sizeof digits - at);
}

void text_add_i64(struct text *text, int64_t number)
{
    if (number < 0)
        text_add(text, "-");
    text_add_u64(text, number < 0 ? 0 - (uint64_t)number : (uint64_t)number);
}

static void add_name(struct text *text, const char *name)
{
    text_add(text, text->used ? " " : "");
    text_add(text, name);
    text_add(text, "=");
}

void text_add_word(struct text *text, const char *name, const char *value)
{
    add_name(text, name);
    text_add(text, value);
}

void text_add_field(struct text *text, const char *name, uint64_t value)
{
    add_name(text, name);
    text_add_u64(text, value);
}

void text_say(struct text *text, const char *words)
{
    text_cut(text, 0);
    text->full = false;
    text_add(text, words);
}
