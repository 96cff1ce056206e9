/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "json.h"

#define RESERVE 40 /* for "omitted" with ten digits and the last closer */

static void add_escaped(struct text *text, const char *value)
{
    static const char hex[] = "0123456789abcdef";
    text_add(text, "\"");
    for (; *value; value++) {
        unsigned char byte = (unsigned char)*value;
        if (byte == '"' || byte == '\\') {
            char pair[2] = {'\\', (char)byte};
            text_add_bytes(text, pair, 2);
        } else if (byte < 0x20 || byte > 0x7e) {
            char unit[6] = {'\\', 'u', '0', '0', hex[byte >> 4], hex[byte & 15]};
            text_add_bytes(text, unit, 6);
        } else {
            text_add_bytes(text, value, 1);
        }
    }
    text_add(text, "\"");
}

/* Where the member begins, to cut it off again if it does not fit. */
static size_t begin_member(struct json *json, const char *key)
{
    size_t start = json->text.used;
    json->text.full = false;
    if (!json->first)
        text_add(&json->text, ",");
    if (key) {
        add_escaped(&json->text, key);
        text_add(&json->text, ":");
    }
    return start;
}

static bool end_member(struct json *json, size_t start)
{
    if (json->text.full) {
        text_cut(&json->text, start);
        json->omitted++;
        return false;
    }
    json->first = false;
    return true;
}

void json_begin(struct json *json, char *buffer, size_t size)
{
    *json = (struct json){.first = true};
    text_begin(&json->text, buffer, size - RESERVE);
    text_add(&json->text, "{");
}

void json_end(struct json *json)
{
    while (json->depth || json->skipped)
        json_close(json);
    json->text.size += RESERVE;
    json->text.full = false;
    if (json->omitted) {
        text_add(&json->text, json->first ? "\"omitted\":" : ",\"omitted\":");
        text_add_u64(&json->text, json->omitted);
    }
    text_add(&json->text, "}");
}

void json_string(struct json *json, const char *key, const char *value)
{
    if (json->skipped)
        return;
    size_t start = begin_member(json, key);
    add_escaped(&json->text, value);
    end_member(json, start);
}

void json_u64(struct json *json, const char *key, uint64_t value)
{
    if (json->skipped)
        return;
    size_t start = begin_member(json, key);
    text_add_u64(&json->text, value);
    end_member(json, start);
}

void json_i64(struct json *json, const char *key, int64_t value)
{
    if (json->skipped)
        return;
    size_t start = begin_member(json, key);
    text_add_i64(&json->text, value);
    end_member(json, start);
}

void json_bool(struct json *json, const char *key, bool value)
{
    if (json->skipped)
        return;
    size_t start = begin_member(json, key);
    text_add(&json->text, value ? "true" : "false");
    end_member(json, start);
}

static void open(struct json *json, const char *key, const char *opener, char closer)
{
    if (json->skipped || json->depth == JSON_DEPTH_MAX) {
        json->skipped++;
        return;
    }
    size_t start = begin_member(json, key);
    text_add(&json->text, opener);
    text_add_bytes(&json->text, &closer, 1); /* so that there is room for it later */
    if (!end_member(json, start)) {
        json->skipped++;
        return;
    }
    text_cut(&json->text, json->text.used - 1);
    json->text.size--;
    json->closers[json->depth++] = closer;
    json->first = true;
}

void json_open_object(struct json *json, const char *key)
{
    open(json, key, "{", '}');
}

void json_open_array(struct json *json, const char *key)
{
    open(json, key, "[", ']');
}

void json_close(struct json *json)
{
    if (json->skipped) {
        json->skipped--;
        return;
    }
    if (!json->depth)
        return;
    json->text.size++;
    json->text.full = false;
    text_add_bytes(&json->text, &json->closers[--json->depth], 1);
    json->first = false;
}
