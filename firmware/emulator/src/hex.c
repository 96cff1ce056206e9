/* SPDX-License-Identifier: GPL-3.0-or-later */
/* simavr has a reader of its own, but it trusts the lengths it reads from the file. */
#include "hex.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "fault.h"

enum {
    RECORD_DATA = 0,
    RECORD_END = 1,
    RECORD_SEGMENT = 2,
    RECORD_START_SEGMENT = 3,
    RECORD_LINEAR = 4,
    RECORD_START_LINEAR = 5,

    RECORD_OVERHEAD = 5, /* length, two of address, type, checksum */
    RECORD_MAX = RECORD_OVERHEAD + 255,
};

struct hex_reader {
    uint8_t *memory;
    uint32_t size;
    uint32_t base;
    bool has_data;
    bool ended;
};

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return -1;
}

/* Returns the number of bytes in the record, or 0 if the text is no record. */
static size_t hex_decode(const char *text, uint8_t record[RECORD_MAX])
{
    size_t count = 0;

    if (*text++ != ':')
        return 0;
    while (*text != '\0') {
        int high = hex_digit(text[0]);
        int low = high < 0 ? -1 : hex_digit(text[1]);
        if (low < 0 || count == RECORD_MAX)
            return 0;
        record[count++] = (uint8_t)(high << 4 | low);
        text += 2;
    }
    return count;
}

static const char *hex_place(struct hex_reader *reader, const uint8_t *record)
{
    uint32_t address = reader->base + ((uint32_t)record[1] << 8 | record[2]);
    uint32_t count = record[0];

    if (address > reader->size || count > reader->size - address)
        return "the data lie outside the flash of an ATmega328P (32 KiB)";
    memcpy(reader->memory + address, record + 4, count);
    reader->has_data = reader->has_data || count > 0;
    return NULL;
}

/* Returns NULL, or what is wrong with this line. */
static const char *hex_line(struct hex_reader *reader, const char *text)
{
    uint8_t record[RECORD_MAX];
    size_t count = hex_decode(text, record);
    uint8_t sum = 0;

    if (count == 0)
        return "not an Intel hex record (a colon, then pairs of hex digits)";
    if (count < RECORD_OVERHEAD || count != (size_t)record[0] + RECORD_OVERHEAD)
        return "the record is not as long as it says";
    for (size_t i = 0; i < count; i++)
        sum = (uint8_t)(sum + record[i]);
    if (sum != 0)
        return "wrong checksum";

    switch (record[3]) {
    case RECORD_DATA:
        return hex_place(reader, record);
    case RECORD_END:
        reader->ended = true;
        return NULL;
    case RECORD_SEGMENT:
    case RECORD_LINEAR:
        if (record[0] != 2)
            return "an address record must hold two bytes";
        reader->base = ((uint32_t)record[4] << 8 | record[5])
                       << (record[3] == RECORD_LINEAR ? 16 : 4);
        return NULL;
    case RECORD_START_SEGMENT:
    case RECORD_START_LINEAR:
        return NULL; /* An AVR always starts at its reset vector. */
    default:
        return "unknown record type";
    }
}

static bool hex_read(FILE *file, const char *path, struct hex_reader *reader)
{
    char line[2 * RECORD_MAX + 8];

    for (unsigned number = 1; !reader->ended && fgets(line, sizeof line, file); number++) {
        line[strcspn(line, "\r\n")] = '\0';
        if (line[0] == '\0')
            continue;
        const char *wrong = hex_line(reader, line);
        if (wrong != NULL) {
            fault_say("%s, line %u: %s; build the firmware again", path, number, wrong);
            return false;
        }
    }
    if (!reader->ended || !reader->has_data) {
        fault_say("%s: the file is cut short or empty (no %s record); build the firmware again",
                  path, reader->ended ? "data" : "end");
        return false;
    }
    return true;
}

bool hex_load(const char *path, uint8_t *memory, uint32_t size)
{
    struct hex_reader reader = {.memory = memory, .size = size};
    FILE *file = fopen(path, "r");

    if (file == NULL) {
        fault_say("%s: %s; give an Intel hex file with --firmware", path, strerror(errno));
        return false;
    }
    bool good = hex_read(file, path, &reader);
    fclose(file);
    return good;
}
