/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text in a buffer of fixed size: what does not fit is left out whole, and remembered. */
#ifndef CORE_TEXT_H
#define CORE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
    char *bytes; /* always ends with a zero byte */
    size_t size; /* of the buffer */
    size_t used; /* without the zero byte */
    bool full;   /* something did not fit */
};

void text_begin(struct text *text, char *buffer, size_t size);

/* Cut back to an earlier length. */
void text_cut(struct text *text, size_t used);

void text_add(struct text *text, const char *words);
void text_add_bytes(struct text *text, const char *bytes, size_t count);
void text_add_u64(struct text *text, uint64_t number);
void text_add_i64(struct text *text, int64_t number);

/* name=value, behind a blank if it is not the first. */
void text_add_word(struct text *text, const char *name, const char *value);
void text_add_field(struct text *text, const char *name, uint64_t value);

/* Forget what was said and say this; for the one line that tells what is wrong. */
void text_say(struct text *text, const char *words);

#endif
