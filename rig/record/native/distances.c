/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "distances.h"

#include <string.h>

#define EXPORT __attribute__((visibility("default")))
#define CHANNEL 0x7F
#define TABLES 4 /* a table for each of as many edges in a row: counts do not wait for each other */

/* Where the last edges were, in samples; 0 if there was none. */
struct places {
    int64_t at[DISTANCES_BASES];
};

EXPORT int distances_interface(void)
{
    return DISTANCES_INTERFACE;
}

/* Of each channel and level the place of its first code. */
static void first_places(const struct distances_line *line, const uint8_t *packed, size_t count,
                         size_t *place)
{
    size_t found[TABLES][DISTANCES_VALUES], sum = 0;

    memset(found, 0, sizeof found);
    for (size_t i = 0; i < count; i++)
        found[i % TABLES][packed[i]]++;
    for (size_t k = 0; k < DISTANCES_VALUES; k++) {
        const uint8_t value = line->value[k];

        place[value] = sum;
        for (size_t table = 0; table < TABLES; table++)
            sum += found[table][value];
    }
}

static inline void passed(struct places *last, const struct distances_line *line, uint8_t value,
                          int64_t at)
{
    last->at[DISTANCES_PULSE] = value == line->pulse ? at : last->at[DISTANCES_PULSE];
    last->at[DISTANCES_ANSWER] =
        (value & CHANNEL) == line->answer ? at : last->at[DISTANCES_ANSWER];
    last->at[DISTANCES_LAST] = at;
}

EXPORT int distances_encode(const struct distances_line *line, const uint8_t *packed,
                            const uint32_t *delta, size_t count, uint32_t *code)
{
    size_t place[DISTANCES_VALUES];
    struct places last = {{0}};
    uint64_t high = 0;
    int64_t at = 0;

    first_places(line, packed, count, place);
    for (size_t i = 0; i < count; i++) {
        const uint8_t value = packed[i];
        uint64_t told;

        at += delta[i];
        told = (uint64_t)(at - last.at[line->base[value]]);
        high |= told;
        code[place[value]++] = (uint32_t)told;
        passed(&last, line, value, at);
    }
    return high >> 32 == 0;
}

EXPORT int distances_decode(const struct distances_line *line, const uint8_t *packed,
                            const uint32_t *code, size_t count, uint32_t *delta)
{
    size_t place[DISTANCES_VALUES];
    struct places last = {{0}};
    uint64_t high = 0;

    first_places(line, packed, count, place);
    for (size_t i = 0; i < count; i++) {
        const uint8_t value = packed[i];
        const int64_t at = last.at[line->base[value]] + code[place[value]++];
        const uint64_t distance = (uint64_t)(at - last.at[DISTANCES_LAST]);

        high |= distance; /* of a negative one all high bits are set */
        delta[i] = (uint32_t)distance;
        passed(&last, line, value, at);
    }
    return high >> 32 == 0;
}
