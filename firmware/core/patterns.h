/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the intervals of a train can be made. All that is known of a pattern is in patterns.c. */
#ifndef CORE_PATTERNS_H
#define CORE_PATTERNS_H

#include <stdbool.h>
#include <stdint.h>

#include "setting.h"
#include "train.h"

#define NAME_SIZE 9

struct pattern {
    char name[NAME_SIZE]; /* "": the end of the table */
    uint32_t least_ticks; /* the shortest interval that the chip can keep to */
    uint32_t most_ticks; /* the longest that a setting may ask for */
    enum conflict (*check)(const struct train_settings *settings);
    uint32_t (*shortest)(const struct train_settings *settings); /* as train_shortest_ticks */
    void (*begin)(struct train_sequence *sequence, const struct train_settings *settings);
    next_interval *next;
};

/* In flash, and ended by an empty row. Defaults begin with the first pattern. */
extern const struct pattern pattern_table[];
extern const struct setting pattern_settings[];

void pattern_defaults(struct train_settings *settings);

/* A row of pattern_table; false behind the last one. */
bool pattern_load(uint32_t number, struct pattern *pattern);

#endif
