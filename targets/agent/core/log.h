/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A log in memory that was taken, touched and locked before: adding to it is a store and no more. */
#ifndef CORE_LOG_H
#define CORE_LOG_H

#include <stdatomic.h>
#include <stdint.h>

#include "record.h"

/*
 * A ring. Its reader may be another task: it reads records that are published, and releases those
 * that it has done with. Both are counted in 32 bits, which every processor reads and writes whole.
 */
struct log {
    struct log_record *records;
    uint64_t capacity;
    uint64_t count;
    uint64_t dropped; /* records that found the log full */
    uint64_t place;   /* of the next record */
    struct log_record *last, *before_last; /* NULL: none, or dropped */
    atomic_uint published; /* low bits of `count` */
    atomic_uint released;  /* records whose places may be taken by others, low bits */
};

/* Append; the record's sequence is its number. A full log counts it as dropped. */
static inline void log_add_entered(struct log *log, uint64_t handled, uint64_t before_ticks,
                                   uint64_t after_ticks, uint32_t flags, uint32_t lead_ticks)
{
    log->before_last = log->last;
    log->last = NULL;
    unsigned released = atomic_load_explicit(&log->released, memory_order_acquire);
    if ((unsigned)log->count - released >= log->capacity) {
        log->dropped++;
        return;
    }
    log->last = &log->records[log->place];
    *log->last = (struct log_record){
        .sequence = log->count,
        .handled = handled,
        .before_ticks = before_ticks,
        .after_ticks = after_ticks,
        .flags = flags,
        .lead_ticks = lead_ticks,
    };
    log->count++;
    log->place = log->place + 1 == log->capacity ? 0 : log->place + 1;
    atomic_store_explicit(&log->published, (unsigned)log->count, memory_order_release);
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
