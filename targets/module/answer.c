/* SPDX-License-Identifier: GPL-2.0 */
/* What happens at an interrupt: the pin write and its record. Nothing here sleeps or prints. */
#include <linux/delay.h>
#include <linux/hardirq.h>
#include <linux/ptrace.h>

#include <asm/irq_regs.h>

#include "rig.h"
#include "ticks.h"

/* All static functions below: rig->lock is held. */

/* Returns NULL if the log is full. */
static struct lrig_record *append(struct rig *rig, u64 before, u64 after, u32 flags)
{
	struct lrig_record *record;

	if (rig->records - rig->released == rig->capacity) {
		rig->dropped++;
		return NULL;
	}
	record = &rig->log[rig->place];
	rig->place = rig->place + 1 == rig->capacity ? 0 : rig->place + 1;
	record->sequence = rig->records++;
	record->handled = rig->handled;
	record->before_ticks = before;
	record->after_ticks = after;
	record->flags = flags;
	record->lead_ticks = 0;
	if (flags & LRIG_RECORD_ENTRY)
		record->lead_ticks = before - rig->entry;
	return record;
}

static u8 answer_byte(const struct rig *rig)
{
	u8 sequence = (rig->handled & rig->sequence_mask) << DATA_SEQUENCE_SHIFT;
	u8 pins = DATA_RESPONSE | rig->sequence_mask << DATA_SEQUENCE_SHIFT;

	return (rig->data & ~pins) | sequence | (~rig->data & DATA_RESPONSE);
}

static void answer(struct rig *rig, u32 flags)
{
	u8 byte = answer_byte(rig);
	u64 before, after;

	if (rig->handled - rig->answered > 1 && rig_wants_interrupt(rig))
		flags |= LRIG_RECORD_COALESCED;
	if (rig->reopened)
		flags |= LRIG_RECORD_CLOSED;
	rig->reopened = false;
	before = ticks_before();
	port_write(rig, byte);
	after = ticks_after();
	if (rig_wants_interrupt(rig) && before - rig->entry <= U32_MAX)
		flags |= LRIG_RECORD_ENTRY;
	rig->data = byte;
	rig->answered = rig->handled;
	append(rig, before, after, flags);
}

static bool interrupted_user_code(const struct rig *rig)
{
	struct pt_regs *registers = in_hardirq() ? get_irq_regs() : NULL;

	return registers && user_mode(registers) && current->tgid == rig->armed_by;
}

/*
 * The record spans the handler and not the pin write alone. The counter is read for the exit as
 * late as it can be and still be told: what follows are three stores and the way out.
 */
static void answer_dispatch(struct rig *rig, u64 entry)
{
	struct lrig_state *state = rig->state;
	bool of_task = interrupted_user_code(rig) || rig->of_task;
	u32 flags = of_task ? LRIG_RECORD_OF_TASK : 0;
	struct lrig_record *record;
	u64 exit;

	WRITE_ONCE(state->begun, rig->handled);
	smp_wmb();
	rig->data = answer_byte(rig);
	port_write(rig, rig->data);
	rig->answered = rig->handled;
	state->entry_ticks = entry;
	state->flags = flags;
	state->cpu = raw_smp_processor_id();
	record = append(rig, entry, 0, flags | LRIG_RECORD_SPAN);

	exit = ticks_after();
	if (record)
		record->after_ticks = exit;
	state->exit_ticks = exit;
	smp_store_release(&state->handled, rig->handled);
}

/* After an interrupt that someone answers later; no lock is held. */
static void wake_answerer(struct rig *rig)
{
	if (rig->thread)
		wake_up_process(rig->thread);
	else if (rig->options.mode == LRIG_MODE_TASKLET)
		tasklet_schedule(&rig->tasklet);
	else if (rig->options.cpu >= 0)
		queue_work_on(rig->options.cpu, rig->workqueue, &rig->work);
	else
		queue_work(rig->workqueue, &rig->work);
}

/*
 * Every mode's interrupt comes here, in hard interrupt context or in an irq thread. Returns whether
 * the interrupt was the port's.
 */
static bool handle(struct rig *rig)
{
	bool dispatch = rig->options.flags & LRIG_ARM_DISPATCH;
	u64 entry = ticks_before();
	bool wanted, ours, later = rig_answers_later(rig);
	unsigned long flags;

	raw_spin_lock_irqsave(&rig->lock, flags);
	wanted = port_wants_answer(rig) && rig->armed;
	if (wanted) {
		rig->handled++;
		rig->entry = entry;
		if (dispatch)
			answer_dispatch(rig, entry);
		else if (!later)
			answer(rig, 0);
	}
	/* Dispatch spins in a task that is to be interrupted: nobody else runs there anyhow. */
	if (rig->armed && !dispatch)
		overload_count(rig);
	ours = port_finish_interrupt(rig);
	raw_spin_unlock_irqrestore(&rig->lock, flags);
	if (wanted && later)
		wake_answerer(rig);
	return ours;
}

void rig_interrupt(void *data)
{
	handle(data);
}

/* The part in hard interrupt context of a handler that is a thread: only here it can be known what
 * was interrupted. The line is masked until the thread is done.
 */
irqreturn_t rig_irq_begins(int line, void *data)
{
	struct rig *rig = data;

	WRITE_ONCE(rig->of_task, interrupted_user_code(rig));
	return IRQ_WAKE_THREAD;
}

irqreturn_t rig_irq(int line, void *data)
{
	return handle(data) ? IRQ_HANDLED : IRQ_NONE;
}

/* Answers the interrupts that wait for one, all at once. Returns false if there were none. */
bool rig_answer_waiting(struct rig *rig)
{
	unsigned long flags;
	bool waiting;

	raw_spin_lock_irqsave(&rig->lock, flags);
	waiting = rig->handled != rig->answered;
	if (waiting)
		answer(rig, 0);
	raw_spin_unlock_irqrestore(&rig->lock, flags);
	return waiting;
}

void rig_answer_period(struct rig *rig, u64 missed)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&rig->lock, flags);
	rig->handled += missed + 1;
	answer(rig, missed ? LRIG_RECORD_MISSED : 0);
	raw_spin_unlock_irqrestore(&rig->lock, flags);
}

/* The interrupted task's pin write. -EINVAL as in struct lrig_answer. */
int rig_answer_task(struct rig *rig, const struct lrig_answer *told)
{
	unsigned long flags;
	int error = -EINVAL;
	u8 byte;

	raw_spin_lock_irqsave(&rig->lock, flags);
	if (rig->armed && (rig->options.flags & LRIG_ARM_DISPATCH) &&
	    told->handled && told->handled == rig->handled &&
	    told->continued_ticks >= rig->state->exit_ticks &&
	    told->continued_ticks <= ticks_before()) {
		byte = (rig->data & ~DATA_TASK) | (told->handled & 1 ? DATA_TASK : 0);
		port_write(rig, byte);
		rig->data = byte;
		append(rig, told->continued_ticks, ticks_after(), LRIG_RECORD_TASK);
		error = 0;
	}
	raw_spin_unlock_irqrestore(&rig->lock, flags);
	return error;
}

static int write_trigger(struct rig *rig, bool active)
{
	bool high = active == !(rig->options.flags & LRIG_ARM_TRIGGER_LOW);
	unsigned long flags;
	int error = -EINVAL;
	u64 before, after;
	u8 byte;

	raw_spin_lock_irqsave(&rig->lock, flags);
	if (rig->armed && (rig->options.flags & LRIG_ARM_SELF_TRIGGER)) {
		byte = (rig->data & ~DATA_TRIGGER) | (high ? DATA_TRIGGER : 0);
		before = ticks_before();
		port_write(rig, byte);
		after = ticks_after();
		rig->data = byte;
		if (active)
			append(rig, before, after, LRIG_RECORD_TRIGGER);
		error = 0;
	}
	raw_spin_unlock_irqrestore(&rig->lock, flags);
	return error;
}

/*
 * Interrupts are off for each write, so that its record is in order, and on between the two: on
 * this processor the interrupt is held back until the first record is written.
 */
int rig_trigger(struct rig *rig)
{
	int error = write_trigger(rig, true);

	if (error)
		return error;
	udelay(2);
	return write_trigger(rig, false);
}
