/* SPDX-License-Identifier: GPL-2.0 */
/* Who answers later: a kernel thread, a work item, a tasklet, or the thread of a period. */
#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/math64.h>
#include <uapi/linux/sched/types.h>

#include "rig.h"

#define DEFAULT_PRIORITY 50 /* that of the kernel's own irq threads */

static int answer_thread(void *data)
{
	struct rig *rig = data;

	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (kthread_should_stop())
			break;
		if (!rig_answer_waiting(rig))
			schedule();
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

static void answer_work(struct work_struct *work)
{
	rig_answer_waiting(container_of(work, struct rig, work));
}

/* It runs on the CPU that took the interrupt. */
static void answer_tasklet(struct tasklet_struct *tasklet)
{
	rig_answer_waiting(container_of(tasklet, struct rig, tasklet));
}

static void sleep_until_stopped(void)
{
	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (kthread_should_stop())
			break;
		schedule();
	}
	__set_current_state(TASK_RUNNING);
}

/* Returns false if the thread was asked to stop before. */
static bool sleep_until(ktime_t expiry)
{
	while (ktime_before(ktime_get(), expiry)) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (kthread_should_stop()) {
			__set_current_state(TASK_RUNNING);
			return false;
		}
		schedule_hrtimeout_range(&expiry, 0, HRTIMER_MODE_ABS);
	}
	return !kthread_should_stop();
}

/* Wakes at start + n * period whatever the delay: a late period moves none after it. */
static int period_thread(void *data)
{
	struct rig *rig = data;
	u64 period_ns = rig->options.period_ns;
	u64 left = rig->options.count ? rig->options.count : U64_MAX;
	ktime_t expiry = ktime_get();

	while (left) {
		u64 missed;

		expiry = ktime_add_ns(expiry, period_ns);
		if (!sleep_until(expiry))
			return 0;
		missed = div64_u64(ktime_to_ns(ktime_sub(ktime_get(), expiry)), period_ns);
		missed = min(missed, left - 1);
		expiry = ktime_add_ns(expiry, missed * period_ns);
		rig_answer_period(rig, missed);
		left -= missed + 1;
	}
	sleep_until_stopped();
	return 0;
}

static int create_thread(struct rig *rig, int (*function)(void *))
{
	struct sched_attr attributes = {
		.size = sizeof(attributes),
		.sched_policy = SCHED_FIFO,
		.sched_priority = rig->options.priority ? rig->options.priority : DEFAULT_PRIORITY,
	};
	struct task_struct *thread = kthread_create(function, rig, LRIG_NAME);
	int error;

	if (IS_ERR(thread))
		return PTR_ERR(thread);
	error = sched_setattr_nocheck(thread, &attributes);
	if (error) {
		kthread_stop(thread);
		return error;
	}
	if (rig->options.cpu >= 0)
		kthread_bind(thread, rig->options.cpu);
	rig->thread = thread;
	return 0;
}

static int create_workqueue_of_rig(struct rig *rig)
{
	/* One worker of normal priority, as a driver's schedule_work() gets. */
	rig->workqueue = alloc_workqueue(LRIG_NAME, LRIG_WQ_PERCPU, 1);
	if (!rig->workqueue)
		return -ENOMEM;
	INIT_WORK(&rig->work, answer_work);
	return 0;
}

int tasks_create(struct rig *rig)
{
	switch (rig->options.mode) {
	case LRIG_MODE_THREAD:
		return create_thread(rig, answer_thread);
	case LRIG_MODE_PERIOD:
		return create_thread(rig, period_thread);
	case LRIG_MODE_WORKQUEUE:
		return create_workqueue_of_rig(rig);
	case LRIG_MODE_TASKLET:
		tasklet_setup(&rig->tasklet, answer_tasklet);
		return 0;
	default:
		return 0;
	}
}

void tasks_start(struct rig *rig)
{
	if (rig->thread)
		wake_up_process(rig->thread);
}

/* No interrupt wakes anyone any more: port_detach() came before. */
void tasks_end(struct rig *rig)
{
	if (rig->thread)
		kthread_stop(rig->thread);
	if (rig->workqueue)
		destroy_workqueue(rig->workqueue);
	if (rig->options.mode == LRIG_MODE_TASKLET)
		tasklet_kill(&rig->tasklet);
	rig->thread = NULL;
	rig->workqueue = NULL;
}
