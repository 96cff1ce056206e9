/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Latency Rig: interface of the kernel module latency_rig.
 *
 * One misc device, LRIG_DEVICE, opened by one process at a time. The order is
 *
 *	open, LRIG_INFO, { LRIG_ARM, interrupts, LRIG_STOP, pread ... } again and again, close
 *
 * LRIG_ARM takes the port and the interrupt and zeroes the log; LRIG_STOP gives both back and
 * keeps the log until the next LRIG_ARM. A log that is streamed (LRIG_ARM_STREAM) is read meanwhile,
 * { LRIG_PROGRESS, pread } again and again. close() stops what is armed. The module answers each
 * interrupt by one write of the parallel port's data register:
 *
 *	D0		toggles with each answer
 *	D1 ...		sequence_bits low bits of the handler count, same write
 *	D6		trigger pin (LRIG_ARM_SELF_TRIGGER)
 *	D7		task pin (LRIG_ARM_DISPATCH)
 *
 * Neither LRIG_ARM nor LRIG_STOP toggles D0: it keeps the level it has.
 *
 * All structs have the same layout for 32-bit and 64-bit programs. Reserved fields must be zero
 * when given to the module and are zero when returned.
 */
#ifndef LATENCY_RIG_H
#define LATENCY_RIG_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define LRIG_DEVICE "/dev/latency-rig"
#define LRIG_VERSION 2

/* --- LRIG_INFO ------------------------------------------------------------------------------ */

/* lrig_info.flags */
#define LRIG_INFO_INVARIANT 0x1u /* the counter keeps its rate and never stops */
#define LRIG_INFO_PREEMPT_RT 0x2u /* the kernel is PREEMPT_RT */
#define LRIG_INFO_PARPORT 0x4u /* a parport driver drives the port */
#define LRIG_INFO_ARMED 0x8u
#define LRIG_INFO_GPIO 0x10u /* the pins are lines of a GPIO chip; no mode PARPORT */
#define LRIG_INFO_SERIAL 0x20u /* ... handshake lines of a serial port; no mode PARPORT */

/* lrig_info.counter: what the ticks of the log count; the same counter as read by user space */
#define LRIG_COUNTER_TSC 1 /* x86-64: lfence; rdtsc; lfence before, rdtscp; lfence after */
#define LRIG_COUNTER_MONOTONIC_RAW 2 /* elsewhere: CLOCK_MONOTONIC_RAW in ns */

struct lrig_info {
	__u32 version; /* LRIG_VERSION; a module of another version has another layout */
	__u32 flags; /* LRIG_INFO_* */
	__u64 tick_hz; /* counter rate as the kernel knows it; TSC: to 1 kHz, 0 if it does not */
	__u32 base; /* I/O address of the data register */
	__s32 irq; /* kernel's number of the line, -1: none known */
	char line[32]; /* the line by name, as "parport0" or "irq 7"; ends with a zero */
	__u32 counter; /* LRIG_COUNTER_* */
	__u32 modes; /* bit (1 << LRIG_MODE_*) set: could be armed as things are now */
	__u32 reserved[8];
};

/* --- LRIG_ARM ------------------------------------------------------------------------------- */

/* lrig_arm.mode: who answers */
#define LRIG_MODE_PARPORT 0 /* the parport driver's irq_func; on PREEMPT_RT in its irq thread */
#define LRIG_MODE_HARD 1 /* own handler, IRQF_NO_THREAD: in hard interrupt context always */
#define LRIG_MODE_DEFAULT 2 /* own handler, no flags: the kernel threads it on PREEMPT_RT */
#define LRIG_MODE_THREAD 3 /* a kernel thread, SCHED_FIFO, that a hard handler wakes */
#define LRIG_MODE_WORKQUEUE 4 /* a work item that a hard handler queues */
#define LRIG_MODE_PERIOD 5 /* a kernel thread, SCHED_FIFO, that sleeps on an hrtimer */
#define LRIG_MODE_TASKLET 6 /* a tasklet that a hard handler schedules: a softirq */

/* lrig_arm.flags */
/*
 * Trigger on this edge of the interrupt line, or refuse; neither: take the line as it is. Not in
 * PERIOD. A PC's ISA lines are wired to the rising edge. Which edge of nACK raises the line is up
 * to the port's circuit.
 */
#define LRIG_ARM_RISING 0x1u
#define LRIG_ARM_FALLING 0x2u
/* Interrupt dispatch: see "Dispatch" below. Modes PARPORT, HARD, DEFAULT; sequence_bits <= 6. */
#define LRIG_ARM_DISPATCH 0x4u
/* D6 is wired to nACK: LRIG_TRIGGER makes the interrupts. Not in PERIOD; sequence_bits <= 5. */
#define LRIG_ARM_SELF_TRIGGER 0x8u
/* Modes THREAD, WORKQUEUE, TASKLET: woken from the parport driver's irq_func, not from an own handler. */
#define LRIG_ARM_VIA_PARPORT 0x10u
/* LRIG_TRIGGER pulses low from an idle high level; without it, high from idle low. */
#define LRIG_ARM_TRIGGER_LOW 0x20u
/* The log is a ring: read while armed, and what LRIG_PROGRESS releases is written over. */
#define LRIG_ARM_STREAM 0x40u

#define LRIG_MAX_CAPACITY (1ull << 24) /* records: 640 MiB */
#define LRIG_MAX_SEQUENCE_BITS 7
#define LRIG_MIN_PERIOD_NS 10000ull
#define LRIG_MAX_PERIOD_NS 3600000000000ull

/*
 * EINVAL: a value, flag or combination outside what is written here. EBUSY: armed already, or
 * port or interrupt held by another driver (own handlers need a line that parport_pc does not
 * hold: load it with io=0x378 irq=none, or not at all). ENODEV: no port. ENXIO: the port has no
 * interrupt. EOPNOTSUPP: the line cannot trigger on that edge or go to that CPU. ENOMEM: the log
 * does not fit. ETIMEDOUT: the kernel's irq thread does not get to run.
 */
struct lrig_arm {
	__u64 capacity; /* records the log holds, 1 ... LRIG_MAX_CAPACITY */
	__u64 period_ns; /* PERIOD: LRIG_MIN_PERIOD_NS ... LRIG_MAX_PERIOD_NS; else 0 */
	__u64 count; /* PERIOD: periods to run, 0: until LRIG_STOP; else 0 */
	__u32 mode; /* LRIG_MODE_* */
	__u32 sequence_bits; /* 0 ... LRIG_MAX_SEQUENCE_BITS */
	__u32 flags; /* LRIG_ARM_* */
	__s32 priority; /* THREAD, PERIOD: SCHED_FIFO 1 ... 99, 0: 50; else 0 */
	__s32 cpu; /* where interrupt and thread run; -1: left as it is */
	__u32 reserved[7];
};

/* --- LRIG_STOP ------------------------------------------------------------------------------ */

/* lrig_summary.flags */
#define LRIG_SUMMARY_LOG_FULL 0x1u /* dropped is not 0 */
#define LRIG_SUMMARY_DONE 0x2u /* PERIOD: all `count` periods were run */
/*
 * The upper half of the flags: how often the interrupt line was closed for a while, because
 * interrupts left the system no time for anything else. What came meanwhile nobody counted.
 */
#define LRIG_SUMMARY_CLOSINGS_SHIFT 32

/* EINVAL: nothing is armed. */
struct lrig_summary {
	__u64 handled; /* interrupts that the handler counted; PERIOD: periods that passed */
	__u64 records; /* records in the log */
	__u64 dropped; /* pin writes that found the log full; the pin was written nevertheless */
	__u64 flags; /* LRIG_SUMMARY_* */
};

/* --- LRIG_PROGRESS -------------------------------------------------------------------------- */

/*
 * EINVAL: not armed with LRIG_ARM_STREAM, or `released` is beyond `records` or before what was
 * released already.
 */
struct lrig_progress {
	__u64 released; /* given: records before this one may be written over */
	__u64 records; /* returned: logged so far; those from `released` on can be read */
};

/* --- the log -------------------------------------------------------------------------------- */

/* lrig_record.flags */
#define LRIG_RECORD_MISSED 0x1u /* PERIOD: whole periods passed before this answer */
#define LRIG_RECORD_COALESCED 0x2u /* this one answers more than one interrupt */
#define LRIG_RECORD_SPAN 0x4u /* dispatch: before = handler's entry, after = its exit */
#define LRIG_RECORD_TASK 0x8u /* dispatch: pin write of the interrupted task, on D7 */
#define LRIG_RECORD_TRIGGER 0x10u /* self-trigger: active edge written to D6 */
#define LRIG_RECORD_OF_TASK 0x20u /* the handler interrupted user code of the arming process */
#define LRIG_RECORD_CLOSED 0x800u /* the line was closed before this answer: interrupts were lost */
#define LRIG_RECORD_ENTRY 0x1000u /* lead_ticks tells when the handler was entered */

/*
 * One pin write: the agent's log record as in targets/PROTOCOL.md. The edge lies between
 * before_ticks and after_ticks. Read after LRIG_STOP, or while it is streamed, with
 * pread(fd, buffer, n * sizeof(struct lrig_record), first * sizeof(struct lrig_record));
 * EINVAL: size or offset is no multiple of the record, or the offset is of one that was released;
 * EBUSY: armed, and the log is not streamed.
 */
struct lrig_record {
	__u64 sequence; /* from 0, no hole */
	__u64 handled; /* handler count at the pin write, from 1 (TRIGGER: from 0) */
	__u64 before_ticks;
	__u64 after_ticks;
	__u32 flags; /* LRIG_RECORD_* */
	/*
	 * ENTRY: from the handler's entry, for the interrupt that `handled` counts last, to
	 * before_ticks. Else 0, as in a SPAN, which has it, and in PERIOD, which has no handler.
	 */
	__u32 lead_ticks;
};

/* --- Dispatch ------------------------------------------------------------------------------- */

/*
 * Interrupt dispatch latency: from the handler's exit to the interrupted task. The task spins on
 * the mapped struct lrig_state on the CPU that takes the interrupt, without a system call:
 *
 *	mmap(NULL, page, PROT_READ, MAP_SHARED, fd, 0)
 *	while (state->handled == seen) ;
 *	t = counter
 *
 * t is where the task continued, late by one turn of the loop at most. It calls LRIG_ANSWER
 * with it. The log then holds, for one `handled`, a SPAN record (handler, D0 toggles inside) and a
 * TASK record (before = t, D7 takes the low bit of `handled` before after_ticks). By ticks:
 * latency = TASK.before - SPAN.after. By pins: D7's edge - D0's edge, which also holds the
 * handler's way out after its pin write and the task's way into the kernel.
 * Count only SPANs with LRIG_RECORD_OF_TASK: the others interrupted something else. (The kernel
 * knows this only in hard interrupt context, where HARD is always and the others are without
 * PREEMPT_RT; there DEFAULT is a thread with a part in that context, which looks. PARPORT has none.)
 *
 * The handler writes `begun`, the ticks, then `handled`. A reader on another CPU checks that
 * begun == handled after it has read the ticks.
 */
struct lrig_state {
	__u64 handled; /* handler count; 0 after LRIG_ARM */
	__u64 begun;
	__u64 entry_ticks; /* SPAN.before of that interrupt */
	__u64 exit_ticks; /* SPAN.after */
	__u32 flags; /* LRIG_RECORD_OF_TASK or 0 */
	__u32 cpu; /* where the handler ran */
};

/*
 * EINVAL: not armed for dispatch, `handled` is 0 or not the present count (a newer interrupt came
 * in between: look again), continued_ticks before that interrupt's exit or in the future.
 */
struct lrig_answer {
	__u64 handled;
	__u64 continued_ticks;
};

#define LRIG_IOC_MAGIC 'L'
#define LRIG_INFO _IOR(LRIG_IOC_MAGIC, 0xa0, struct lrig_info)
#define LRIG_ARM _IOW(LRIG_IOC_MAGIC, 0xa1, struct lrig_arm)
#define LRIG_STOP _IOR(LRIG_IOC_MAGIC, 0xa2, struct lrig_summary)
#define LRIG_ANSWER _IOW(LRIG_IOC_MAGIC, 0xa3, struct lrig_answer)
/* One pulse of about 2 us on D6, logged as a TRIGGER record. EINVAL: not armed for it. */
#define LRIG_TRIGGER _IO(LRIG_IOC_MAGIC, 0xa4)
#define LRIG_PROGRESS _IOWR(LRIG_IOC_MAGIC, 0xa5, struct lrig_progress)

#endif
