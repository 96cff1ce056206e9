/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A JSON object in a buffer of fixed size. It is valid JSON at any bound: a member that does not fit
 * is left out whole, and the last member, "omitted", says how many were.
 */
#ifndef CORE_JSON_H
#define CORE_JSON_H

#include "text.h"

#define JSON_DEPTH_MAX 4

struct json {
    struct text text;
    char closers[JSON_DEPTH_MAX];
    uint8_t depth;
    uint8_t skipped; /* objects and arrays left out that are still open for the caller */
    bool first;      /* no comma before the next member */
    uint32_t omitted;
};

void json_begin(struct json *json, char *buffer, size_t size);

/* Close the object; its length is json->text.used. The buffer must hold at least 64 bytes. */
void json_end(struct json *json);

/* Within arrays the key is NULL. Text is taken as bytes: those above 126 become \u00XX. */
void json_string(struct json *json, const char *key, const char *value);
void json_u64(struct json *json, const char *key, uint64_t value);
void json_i64(struct json *json, const char *key, int64_t value);
void json_bool(struct json *json, const char *key, bool value);

void json_open_object(struct json *json, const char *key);
void json_open_array(struct json *json, const char *key);
void json_close(struct json *json);

#endif
