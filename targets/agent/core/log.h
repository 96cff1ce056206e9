/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A log in memory that was taken, touched and locked before: adding to it is a store and no more. */
#ifndef CORE_LOG_H
#define CORE_LOG_H

#include <stdint.h>

#include "record.h"

struct log {
    struct log_record *records;
    uint64_t capacity;
    uint64_t count;
    uint64_t dropped; /* records that found the log full */
};

/* Append; the record's sequence is its place. A full log counts it as dropped. */
static inline void log_add_entered(struct log *log, uint64_t handled, uint64_t before_ticks,
                                   uint64_t after_ticks, uint32_t flags, uint32_t lead_ticks)
{
    if (log->count == log->capacity) {
        log->dropped++;
        return;
    }
    log->records[log->count] = (struct log_record){
        .sequence = log->count,
        .handled = handled,
        .before_ticks = before_ticks,
        .after_ticks = after_ticks,
        .flags = flags,
        .lead_ticks = lead_ticks,
    };
    log->count++;
}

/* The same of what no handler was entered for, or nobody knows when. */
static inline void log_add(struct log *log, uint64_t handled, uint64_t before_ticks,
                           uint64_t after_ticks, uint32_t flags)
{
    log_add_entered(log, handled, before_ticks, after_ticks, flags, 0);
}

/*
 * Records of both logs in order of before_ticks, numbered anew. `to` must have room for both. The
 * counts of dropped records are added.
 */
void log_merge(const struct log *a, const struct log *b, struct log *to);

#endif
