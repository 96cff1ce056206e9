/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "train.h"

#include "flash.h"
#include "limits.h"
#include "patterns.h"

void train_defaults(struct train_settings *settings)
{
    static const struct train_settings defaults FLASH = {
        .polarity = POLARITY_POSITIVE,
        .count = 1000,
        .seed = 1,
        .delay_ticks = 16000,
        .width_ticks = 160,
    };
    flash_copy(settings, &defaults, sizeof defaults);
    pattern_defaults(settings);
}

static struct pattern pattern_of(const struct train_settings *settings)
{
    struct pattern pattern;
    pattern_load(settings->pattern, &pattern);
    return pattern;
}

uint32_t train_shortest_ticks(const struct train_settings *settings)
{
    return pattern_of(settings).shortest(settings);
}

enum conflict train_check(const struct train_settings *settings)
{
    struct pattern pattern = pattern_of(settings);
    enum conflict conflict = pattern.check(settings);
    if (conflict != CONFLICT_NONE)
        return conflict;

    uint32_t shortest_ticks = pattern.shortest(settings);
    if (shortest_ticks < pattern.least_ticks)
        return CONFLICT_INTERVAL;
    if (settings->width_ticks + GAP_MIN_TICKS > shortest_ticks)
        return CONFLICT_WIDTH;
    return CONFLICT_NONE;
}

void train_begin(struct train_sequence *sequence, const struct train_settings *settings)
{
    struct pattern pattern = pattern_of(settings);
    *sequence = (struct train_sequence){.next = pattern.next};
    pattern.begin(sequence, settings);
}

uint32_t train_next(struct train_sequence *sequence, uint32_t most, uint32_t *times)
{
    return sequence->next(sequence, most, times);
}
