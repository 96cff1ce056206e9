/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Latency Rig, kernel module: what its files share.
 *
 *	device.c	the device file: checks what user space asks, keeps the order of things
 *	port_*.c	takes, gives back and writes the pins: one of them, LRIG_PORT in Kbuild
 *	interrupt.c	the interrupt of an own handler
 *	answer.c	what happens at an interrupt: pin write, log
 *	tasks.c		who answers later: kernel thread, work item, tasklet, period thread
 *	overload.c	closes the interrupt line while the system gets no time for anything else
 */
#ifndef LRIG_RIG_H
#define LRIG_RIG_H

#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/version.h>
#include <linux/workqueue.h>

#include "latency_rig.h"

#define LRIG_NAME "latency_rig"

/* The older name still works, but prints a warning, and that from a measured interrupt. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 17, 0)
#define LRIG_SYSTEM_WQ system_percpu_wq
#define LRIG_WQ_PERCPU WQ_PERCPU
#else
#define LRIG_SYSTEM_WQ system_wq
#define LRIG_WQ_PERCPU 0
#endif

/* Those that need no parport driver's interrupt. */
#define LRIG_MODES_OF_OWN_HANDLER                                                                  \
	(1u << LRIG_MODE_HARD | 1u << LRIG_MODE_DEFAULT | 1u << LRIG_MODE_THREAD |                 \
	 1u << LRIG_MODE_WORKQUEUE | 1u << LRIG_MODE_TASKLET)

#define DATA_RESPONSE 0x01u
#define DATA_SEQUENCE_SHIFT 1
#define DATA_TRIGGER 0x40u
#define DATA_TASK 0x80u

struct rig {
	/* Process context: orders LRIG_ARM, LRIG_STOP, reading and close. */
	struct mutex mutex;
	struct lrig_arm options;
	u64 capacity;
	struct lrig_state *state; /* one page, mapped read-only by user space */

	/* The port, while taken. */
	unsigned long base;
	int irq; /* -1: none */
	bool own_handler;
	bool affinity_set;
	bool level; /* the line interrupts for as long as it is active */
	u8 control; /* as it was */
	u8 rest; /* status register with nACK at rest */
	struct hrtimer release; /* level: looks whether nACK is back at rest */
	struct parport *parport; /* NULL: no parport driver, own I/O region */
	struct pardevice *pardevice;
	cpumask_var_t affinity; /* as it was */

	/* Who answers later. */
	struct task_struct *thread;
	struct workqueue_struct *workqueue;
	struct work_struct work;
	struct tasklet_struct tasklet;

	/* What an interrupt touches. */
	raw_spinlock_t lock;
	bool armed;
	u8 data; /* the data register, as written last */
	u32 sequence_mask;
	pid_t armed_by; /* thread group */
	struct lrig_record *log;
	u64 records;
	u64 place; /* of the next record: the log is a ring */
	u64 released; /* records whose places may be taken by others */
	u64 dropped;
	u64 handled;
	u64 answered; /* `handled` of the last answer */
	bool of_task; /* what a handler in a thread has interrupted, by its part that is none */
	u64 entry; /* ticks at the handler's entry for the last one handled */

	/* Overload. */
	struct work_struct sign_of_life;
	u32 unproven; /* interrupts since an ordinary task has run */
	u32 closings; /* of the line, since LRIG_ARM */
	bool closed;
	bool reopened; /* no answer since */
};

/*
 * port_*.c: -errno or 0. Between take and attach the pins stand still and no handler runs. Its
 * interrupts go to the handlers given: the first if the parport driver has the line, else the
 * other one, each with the rig as its argument. Where the other one is a thread, `begins` is called
 * in hard interrupt context before it.
 */
bool port_parameters_valid(void); /* says what is wrong */
void port_describe(struct lrig_info *info);
int port_take(struct rig *rig, void (*on_interrupt)(void *rig));
int port_attach(struct rig *rig, irq_handler_t begins, irq_handler_t on_irq);
void port_detach(struct rig *rig);
void port_give_back(struct rig *rig);
/* Whether interrupts reach the processor; in any context. */
void port_open_line(struct rig *rig);
void port_close_line(struct rig *rig);
/* Before an answer, rig->lock held: whether the interrupt asks for one. */
bool port_wants_answer(struct rig *rig);
/* After it, rig->lock held: whether the interrupt was the port's. */
bool port_finish_interrupt(struct rig *rig);
/* All pins at once, or the response as the last of them; in any context. */
void port_write(struct rig *rig, u8 data);

/* interrupt.c: -errno or 0. `flags` are those of request_irq() that the port knows. */
int interrupt_request(struct rig *rig, unsigned long flags, irq_handler_t begins,
		      irq_handler_t on_irq);
int interrupt_move(struct rig *rig);
void interrupt_move_back(struct rig *rig);

/* answer.c: the two handlers for the port, and what answers later. */
void rig_interrupt(void *rig);
irqreturn_t rig_irq(int line, void *rig);
irqreturn_t rig_irq_begins(int line, void *rig);
bool rig_answer_waiting(struct rig *rig);
void rig_answer_period(struct rig *rig, u64 missed);
int rig_answer_task(struct rig *rig, const struct lrig_answer *answer);
int rig_trigger(struct rig *rig);

/* tasks.c: tasks_create prepares, tasks_start lets a period run. */
int tasks_create(struct rig *rig);
void tasks_start(struct rig *rig);
void tasks_end(struct rig *rig);

/* overload.c: overload_count follows each interrupt. */
void overload_begin(struct rig *rig);
void overload_count(struct rig *rig);
void overload_end(struct rig *rig);

static inline bool rig_answers_later(const struct rig *rig)
{
	u32 mode = rig->options.mode;

	return mode == LRIG_MODE_THREAD || mode == LRIG_MODE_WORKQUEUE || mode == LRIG_MODE_TASKLET;
}

static inline bool rig_wants_interrupt(const struct rig *rig)
{
	return rig->options.mode != LRIG_MODE_PERIOD;
}

static inline bool rig_wants_parport_irq(const struct rig *rig)
{
	return rig->options.mode == LRIG_MODE_PARPORT ||
	       (rig->options.flags & LRIG_ARM_VIA_PARPORT);
}

#endif
