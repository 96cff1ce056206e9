/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The log's record; targets/PROTOCOL.md says what the fields mean. */
#ifndef CORE_RECORD_H
#define CORE_RECORD_H

#include <stddef.h>
#include <stdint.h>

#define LOG_FORMAT 3
#define LOG_RECORD_SIZE 40
#define LOG_HEADER_SIZE 32

/* Bits of the flags; the lower six are those of the kernel module's records. */
#define RECORD_MISSED 0x01u    /* periods passed before this one without a pin write of their own */
#define RECORD_COALESCED 0x02u /* interrupts came before this one without a pin write of their own */
#define RECORD_SPAN 0x04u      /* dispatch: the handler, from its entry to its exit */
#define RECORD_TASK 0x08u      /* dispatch: the interrupted task goes on */
#define RECORD_TRIGGER 0x10u   /* the target made an interrupt itself */
#define RECORD_OF_TASK 0x20u   /* dispatch: it was that task which the handler interrupted */
#define RECORD_OVERRUN 0x40u   /* when the answer was done the next period was already due */
#define RECORD_VALUE 0x100u    /* from before to after is a value, measured inside; no answer */
#define RECORD_CLOCK 0x200u    /* of a value: in ns of the clock under test, not in ticks */
#define RECORD_WENT_ON 0x400u  /* the task that woke went on before the woken one ran */
#define RECORD_CLOSED 0x800u   /* the interrupt line was closed before this answer, under overload */
#define RECORD_FAILED 0x2000u  /* of a value: its iteration gave none, from before to after */
#define RECORD_OF 0x4000u      /* of a value: lead_ticks is the number of its task, from 1 */
#define RECORD_ENTRY 0x1000u   /* lead_ticks tells when the handler was entered */
#define RECORD_PART(n) ((uint32_t)(n) << 16) /* which part of its iteration */
#define RECORD_OVERLAP 0x80u   /* two tasks wrote the pins at a time: their levels may have flickered */

struct log_record {
    uint64_t sequence;
    uint64_t handled;
    uint64_t before_ticks;
    uint64_t after_ticks;
    uint32_t flags;
    uint32_t lead_ticks; /* from the handler's entry to before_ticks, with RECORD_ENTRY; or RECORD_OF */
};

_Static_assert(sizeof(struct log_record) == LOG_RECORD_SIZE, "records go over the wire as they are");

/* Little-endian whatever the target's own order. */
void record_encode(const struct log_record *record, uint8_t bytes[LOG_RECORD_SIZE]);

/* The header of a block but for its CRC, which is the last four bytes. */
void header_encode(uint32_t count, uint64_t first, uint64_t tick_hz, uint8_t bytes[LOG_HEADER_SIZE]);

void put_u32(uint8_t *bytes, uint32_t value);

#endif
