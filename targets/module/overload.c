/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interrupts that come faster than they can be served leave no time for anyone else: the system
 * hangs, and with it the agent that could end the measurement. So a sign of life is asked for, a
 * work item that an ordinary task runs on the same processor. If so many interrupts come that none
 * ran in between, the port's line is closed, until one has run and the system has had a rest.
 *
 * The count needs no clock, and a measurement that leaves the system any time is not disturbed.
 */
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/smp.h>

#include "rig.h"

#define ASK_EVERY 4096u
#define REST_MS 50

static uint storm = 1u << 17;
module_param(storm, uint, 0444);
MODULE_PARM_DESC(storm, "interrupts without an ordinary task having run after which the line is "
			"closed for a while (default 131072; 0: never)");

static void give_sign_of_life(struct work_struct *work)
{
	struct rig *rig = container_of(work, struct rig, sign_of_life);
	unsigned long flags;

	if (READ_ONCE(rig->closed))
		msleep(REST_MS);
	raw_spin_lock_irqsave(&rig->lock, flags);
	rig->unproven = 0;
	if (rig->closed && rig->armed) {
		rig->closed = false;
		rig->reopened = true;
		port_open_line(rig);
	}
	raw_spin_unlock_irqrestore(&rig->lock, flags);
}

void overload_begin(struct rig *rig)
{
	rig->unproven = 0;
	rig->closings = 0;
	rig->closed = false;
	rig->reopened = false;
	INIT_WORK(&rig->sign_of_life, give_sign_of_life);
}

/* After an answer; rig->lock is held and the rig is armed. */
void overload_count(struct rig *rig)
{
	bool close = storm && ++rig->unproven >= storm && !rig->closed;

	if (close) {
		port_close_line(rig);
		rig->closed = true;
		rig->closings++;
	}
	if (close || (storm && rig->unproven % ASK_EVERY == 0))
		queue_work_on(raw_smp_processor_id(), LRIG_SYSTEM_WQ, &rig->sign_of_life);
}

/* No interrupt is counted any more. */
void overload_end(struct rig *rig)
{
	cancel_work_sync(&rig->sign_of_life);
}
