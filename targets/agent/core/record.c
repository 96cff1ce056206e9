/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record.h"

#include <string.h>

static void put(uint8_t *bytes, uint64_t value, int count)
{
    for (int i = 0; i < count; i++)
        bytes[i] = (uint8_t)(value >> (8 * i));
}

void put_u32(uint8_t *bytes, uint32_t value)
{
    put(bytes, value, 4);
}

void record_encode(const struct log_record *record, uint8_t bytes[LOG_RECORD_SIZE])
{
    put(bytes, record->sequence, 8);
    put(bytes + 8, record->handled, 8);
    put(bytes + 16, record->before_ticks, 8);
    put(bytes + 24, record->after_ticks, 8);
    put(bytes + 32, record->flags, 4);
    put(bytes + 36, record->lead_ticks, 4);
}

void header_encode(uint32_t count, uint64_t first, uint64_t tick_hz, uint8_t bytes[LOG_HEADER_SIZE])
{
    memcpy(bytes, "LRLG", 4);
    put(bytes + 4, LOG_FORMAT, 2);
    put(bytes + 6, LOG_RECORD_SIZE, 2);
    put(bytes + 8, count, 4);
    put(bytes + 12, first, 8);
    put(bytes + 20, tick_hz, 8);
    put(bytes + 28, 0, 4);
}
