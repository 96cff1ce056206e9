/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "log.h"

#include <stdbool.h>

void log_merge(const struct log *a, const struct log *b, struct log *to)
{
    uint64_t i = 0, j = 0;
    to->count = 0;
    to->dropped = a->dropped + b->dropped;
    while (i < a->count || j < b->count) {
        bool from_a = j == b->count ||
                      (i < a->count && a->records[i].before_ticks <= b->records[j].before_ticks);
        to->records[to->count] = from_a ? a->records[i++] : b->records[j++];
        to->records[to->count].sequence = to->count;
        to->count++;
    }
}
