/* SPDX-License-Identifier: GPL-2.0 */
/* The interrupt of an own handler, whatever port it is of. Process context, rig->mutex held. */
#include <linux/irq.h>
#include <linux/irqdesc.h>
#include <linux/jiffies.h>

#include "rig.h"

/* NULL: the handler runs in hard interrupt context. */
static struct task_struct *irq_thread(struct rig *rig)
{
	struct irq_desc *line = irq_data_to_desc(irq_get_irq_data(rig->irq));
	struct task_struct *thread = NULL;
	struct irqaction *action;
	unsigned long flags;

	raw_spin_lock_irqsave(&line->lock, flags);
	for (action = line->action; action; action = action->next)
		if (action->dev_id == rig)
			thread = action->thread;
	raw_spin_unlock_irqrestore(&line->lock, flags);
	return thread;
}

/*
 * An irq thread gives itself its real-time priority when it first runs, which may be after
 * request_irq() and, beside a task that spins, ticks later. Interrupts would be lost until then.
 */
static int await_irq_thread(struct rig *rig)
{
	struct task_struct *thread = irq_thread(rig);
	unsigned long end = jiffies + HZ;

	while (thread && READ_ONCE(thread->policy) != SCHED_FIFO) {
		if (time_after(jiffies, end))
			return -ETIMEDOUT;
		schedule_timeout_uninterruptible(1);
	}
	return 0;
}

/* The kernel would thread the handler, and what it interrupted could not be known. */
static bool threaded_dispatch(const struct rig *rig)
{
	return IS_ENABLED(CONFIG_PREEMPT_RT) && rig->options.mode == LRIG_MODE_DEFAULT &&
	       (rig->options.flags & LRIG_ARM_DISPATCH);
}

/*
 * On a shared line all actions have IRQF_ONESHOT or none. The kernel gives it to handlers that
 * PREEMPT_RT threads, and since 6.9 to those beside them.
 */
static bool oneshot_beside_others(struct rig *rig)
{
	bool oneshot = false;
#ifndef IRQF_COND_ONESHOT
	struct irq_desc *line = irq_data_to_desc(irq_get_irq_data(rig->irq));
	unsigned long flags;

	raw_spin_lock_irqsave(&line->lock, flags);
	oneshot = line->action && line->action->flags & IRQF_ONESHOT;
	raw_spin_unlock_irqrestore(&line->lock, flags);
#endif
	return oneshot;
}

int interrupt_request(struct rig *rig, unsigned long flags, irq_handler_t begins,
		      irq_handler_t on_irq)
{
	int error;

	if (!irq_get_irq_data(rig->irq))
		return -ENXIO;
	if (rig->options.mode != LRIG_MODE_DEFAULT)
		flags |= IRQF_NO_THREAD;
	if (flags & IRQF_SHARED && flags & IRQF_NO_THREAD && oneshot_beside_others(rig))
		flags |= IRQF_ONESHOT;
	if (threaded_dispatch(rig))
		error = request_threaded_irq(rig->irq, begins, on_irq, flags | IRQF_ONESHOT,
					     LRIG_NAME, rig);
	else
		error = request_irq(rig->irq, on_irq, flags, LRIG_NAME, rig);
	if (error)
		return error;
	error = await_irq_thread(rig);
	if (error)
		free_irq(rig->irq, rig);
	return error;
}

int interrupt_move(struct rig *rig)
{
	const struct cpumask *now = irq_get_affinity_mask(rig->irq);

	if (rig->options.cpu < 0)
		return 0;
	if (!now)
		return -EOPNOTSUPP;
	cpumask_copy(rig->affinity, now);
	if (irq_set_affinity(rig->irq, cpumask_of(rig->options.cpu)))
		return -EOPNOTSUPP;
	rig->affinity_set = true;
	return 0;
}

void interrupt_move_back(struct rig *rig)
{
	if (rig->affinity_set)
		irq_set_affinity(rig->irq, rig->affinity);
	rig->affinity_set = false;
}
