/* SPDX-License-Identifier: GPL-2.0 */
/* The device file: checks what user space asks and keeps the order of things. */
#include <linux/compat.h>
#include <linux/fs.h>
#include <linux/math64.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/uaccess.h>
#include <linux/version.h>
#include <linux/vmalloc.h>

#include "rig.h"
#include "ticks.h"

#define ARM_FLAGS_KNOWN                                                                            \
	(LRIG_ARM_RISING | LRIG_ARM_FALLING | LRIG_ARM_DISPATCH | LRIG_ARM_SELF_TRIGGER |          \
	 LRIG_ARM_VIA_PARPORT | LRIG_ARM_TRIGGER_LOW | LRIG_ARM_STREAM)
#define ARM_FLAGS_OF_INTERRUPTS                                                                    \
	(LRIG_ARM_RISING | LRIG_ARM_FALLING | LRIG_ARM_SELF_TRIGGER | LRIG_ARM_TRIGGER_LOW |       \
	 LRIG_ARM_STREAM)

static struct rig the_rig = {
	.mutex = __MUTEX_INITIALIZER(the_rig.mutex),
	.lock = __RAW_SPIN_LOCK_UNLOCKED(the_rig.lock),
};

/* One process at a time. */
static atomic_t device_open = ATOMIC_INIT(0);

/* --- what may be asked ---------------------------------------------------------------------- */

static u32 flags_allowed(u32 mode)
{
	switch (mode) {
	case LRIG_MODE_PARPORT:
	case LRIG_MODE_HARD:
	case LRIG_MODE_DEFAULT:
		return ARM_FLAGS_OF_INTERRUPTS | LRIG_ARM_DISPATCH;
	case LRIG_MODE_THREAD:
	case LRIG_MODE_WORKQUEUE:
	case LRIG_MODE_TASKLET:
		return ARM_FLAGS_OF_INTERRUPTS | LRIG_ARM_VIA_PARPORT;
	default:
		return LRIG_ARM_STREAM;
	}
}

static u32 sequence_bits_allowed(u32 flags)
{
	if (flags & LRIG_ARM_SELF_TRIGGER)
		return LRIG_MAX_SEQUENCE_BITS - 2;
	if (flags & LRIG_ARM_DISPATCH)
		return LRIG_MAX_SEQUENCE_BITS - 1;
	return LRIG_MAX_SEQUENCE_BITS;
}

static bool flags_valid(const struct lrig_arm *arm)
{
	u32 edges = LRIG_ARM_RISING | LRIG_ARM_FALLING;

	if (arm->flags & ~ARM_FLAGS_KNOWN || arm->flags & ~flags_allowed(arm->mode))
		return false;
	if ((arm->flags & edges) == edges)
		return false;
	return !(arm->flags & LRIG_ARM_TRIGGER_LOW) || arm->flags & LRIG_ARM_SELF_TRIGGER;
}

static bool period_valid(const struct lrig_arm *arm)
{
	if (arm->mode != LRIG_MODE_PERIOD)
		return !arm->period_ns && !arm->count;
	return arm->period_ns >= LRIG_MIN_PERIOD_NS && arm->period_ns <= LRIG_MAX_PERIOD_NS;
}

static bool priority_valid(const struct lrig_arm *arm)
{
	if (arm->mode != LRIG_MODE_THREAD && arm->mode != LRIG_MODE_PERIOD)
		return !arm->priority;
	return arm->priority >= 0 && arm->priority <= 99;
}

static bool cpu_valid(s32 cpu)
{
	return cpu == -1 || (cpu >= 0 && cpu < nr_cpu_ids && cpu_online(cpu));
}

static bool arm_valid(const struct lrig_arm *arm)
{
	return arm->mode <= LRIG_MODE_TASKLET && arm->capacity >= 1 &&
	       arm->capacity <= LRIG_MAX_CAPACITY && flags_valid(arm) &&
	       arm->sequence_bits <= sequence_bits_allowed(arm->flags) && period_valid(arm) &&
	       priority_valid(arm) && cpu_valid(arm->cpu) &&
	       !memchr_inv(arm->reserved, 0, sizeof(arm->reserved));
}

/* --- arm and stop; rig->mutex is held --------------------------------------------------------- */

static void free_log(struct rig *rig)
{
	vfree(rig->log);
	rig->log = NULL;
	rig->capacity = 0;
	rig->records = rig->place = rig->released = 0;
}

/* Zeroed, and by that touched: no page of it is missing later. */
static int take_log(struct rig *rig, u64 capacity)
{
	size_t bytes = capacity * sizeof(*rig->log);

	free_log(rig);
	/* More would cost the system its page cache, and so disturb what is measured. */
	if (bytes >> PAGE_SHIFT > si_mem_available() / 2)
		return -ENOMEM;
	rig->log = __vmalloc(bytes, GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN |
					    __GFP_RETRY_MAYFAIL);
	if (!rig->log)
		return -ENOMEM;
	rig->capacity = capacity;
	return 0;
}

static void set_armed(struct rig *rig, bool armed)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&rig->lock, flags);
	rig->armed = armed;
	raw_spin_unlock_irqrestore(&rig->lock, flags);
}

static void reset_counts(struct rig *rig)
{
	rig->sequence_mask = (1u << rig->options.sequence_bits) - 1;
	rig->armed_by = current->tgid;
	rig->dropped = 0;
	rig->handled = 0;
	rig->answered = 0;
	rig->of_task = false;
	memset(rig->state, 0, sizeof(*rig->state));
	overload_begin(rig);
}

static int arm(struct rig *rig, const struct lrig_arm *options)
{
	int error;

	if (rig->armed)
		return -EBUSY;
	if (!arm_valid(options))
		return -EINVAL;
	error = take_log(rig, options->capacity);
	if (error)
		return error;
	rig->options = *options;
	reset_counts(rig);
	error = port_take(rig, rig_interrupt);
	if (error)
		goto no_port;
	error = tasks_create(rig);
	if (error)
		goto no_tasks;
	error = port_attach(rig, rig_irq_begins, rig_irq);
	if (error)
		goto no_interrupt;
	/* Interrupts that the switching on itself made are not counted. */
	set_armed(rig, true);
	tasks_start(rig);
	return 0;

no_interrupt:
	tasks_end(rig);
no_tasks:
	port_give_back(rig);
no_port:
	free_log(rig);
	return error;
}

static void disarm(struct rig *rig)
{
	set_armed(rig, false);
	overload_end(rig);
	port_detach(rig);
	tasks_end(rig);
	port_give_back(rig);
}

static int stop(struct rig *rig, struct lrig_summary *summary)
{
	const struct lrig_arm *options = &rig->options;

	if (!rig->armed)
		return -EINVAL;
	disarm(rig);
	summary->handled = rig->handled;
	summary->records = rig->records;
	summary->dropped = rig->dropped;
	if (rig->dropped)
		summary->flags |= LRIG_SUMMARY_LOG_FULL;
	if (options->mode == LRIG_MODE_PERIOD && options->count && rig->handled == options->count)
		summary->flags |= LRIG_SUMMARY_DONE;
	summary->flags |= (u64)rig->closings << LRIG_SUMMARY_CLOSINGS_SHIFT;
	return 0;
}

/* --- ioctl ------------------------------------------------------------------------------------ */

static long ioctl_info(struct rig *rig, void __user *user)
{
	struct lrig_info info = {
		.version = LRIG_VERSION,
		.flags = (ticks_invariant() ? LRIG_INFO_INVARIANT : 0) |
			 (IS_ENABLED(CONFIG_PREEMPT_RT) ? LRIG_INFO_PREEMPT_RT : 0) |
			 (rig->armed ? LRIG_INFO_ARMED : 0),
		.tick_hz = ticks_hz(),
		.counter = LRIG_COUNTER,
	};

	port_describe(&info);
	return copy_to_user(user, &info, sizeof(info)) ? -EFAULT : 0;
}

static long ioctl_arm(struct rig *rig, const void __user *user)
{
	struct lrig_arm options;

	if (copy_from_user(&options, user, sizeof(options)))
		return -EFAULT;
	return arm(rig, &options);
}

static long ioctl_stop(struct rig *rig, void __user *user)
{
	struct lrig_summary summary = {};
	int error = stop(rig, &summary);

	if (error)
		return error;
	return copy_to_user(user, &summary, sizeof(summary)) ? -EFAULT : 0;
}

static int progress(struct rig *rig, struct lrig_progress *told)
{
	unsigned long flags;
	int error = -EINVAL;

	raw_spin_lock_irqsave(&rig->lock, flags);
	if (rig->armed && (rig->options.flags & LRIG_ARM_STREAM) &&
	    told->released >= rig->released && told->released <= rig->records) {
		rig->released = told->released;
		told->records = rig->records;
		error = 0;
	}
	raw_spin_unlock_irqrestore(&rig->lock, flags);
	return error;
}

static long ioctl_progress(struct rig *rig, void __user *user)
{
	struct lrig_progress told;
	int error;

	if (copy_from_user(&told, user, sizeof(told)))
		return -EFAULT;
	error = progress(rig, &told);
	if (error)
		return error;
	return copy_to_user(user, &told, sizeof(told)) ? -EFAULT : 0;
}

static long ioctl_answer(struct rig *rig, const void __user *user)
{
	struct lrig_answer told;

	if (copy_from_user(&told, user, sizeof(told)))
		return -EFAULT;
	return rig_answer_task(rig, &told);
}

static long lrig_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	struct rig *rig = file->private_data;
	void __user *user = (void __user *)argument;
	long result;

	/* These two are measured: no mutex, the spinlock orders them. */
	if (command == LRIG_ANSWER)
		return ioctl_answer(rig, user);
	if (command == LRIG_TRIGGER)
		return rig_trigger(rig);

	if (mutex_lock_interruptible(&rig->mutex))
		return -ERESTARTSYS;
	switch (command) {
	case LRIG_INFO:
		result = ioctl_info(rig, user);
		break;
	case LRIG_ARM:
		result = ioctl_arm(rig, user);
		break;
	case LRIG_STOP:
		result = ioctl_stop(rig, user);
		break;
	case LRIG_PROGRESS:
		result = ioctl_progress(rig, user);
		break;
	default:
		result = -ENOTTY;
	}
	mutex_unlock(&rig->mutex);
	return result;
}

/* --- the other file operations ---------------------------------------------------------------- */

static u64 records_so_far(struct rig *rig)
{
	unsigned long flags;
	u64 records;

	raw_spin_lock_irqsave(&rig->lock, flags);
	records = rig->records;
	raw_spin_unlock_irqrestore(&rig->lock, flags);
	return records;
}

/* Out of the ring, up to its end at most. Nobody writes what has not been released. */
static ssize_t copy_records(struct rig *rig, char __user *user, u64 first, u64 count)
{
	u64 place;

	if (!count)
		return 0;
	div64_u64_rem(first, rig->capacity, &place);
	count = min(count, rig->capacity - place);
	if (copy_to_user(user, rig->log + place, count * sizeof(*rig->log)))
		return -EFAULT;
	return count * sizeof(*rig->log);
}

static ssize_t read_log(struct rig *rig, char __user *user, size_t size, loff_t *position)
{
	u32 record = sizeof(*rig->log);
	u64 first, end, rest;
	ssize_t done;

	if (rig->armed && !(rig->options.flags & LRIG_ARM_STREAM))
		return -EBUSY;
	first = div64_u64_rem(*position, record, &rest);
	if (*position < 0 || rest || size % record || first < rig->released)
		return -EINVAL;
	end = records_so_far(rig);
	done = copy_records(rig, user, first, first < end ? min_t(u64, size / record, end - first) : 0);
	if (done > 0)
		*position += done;
	return done;
}

static ssize_t lrig_read(struct file *file, char __user *user, size_t size, loff_t *position)
{
	struct rig *rig = file->private_data;
	ssize_t result;

	if (mutex_lock_interruptible(&rig->mutex))
		return -ERESTARTSYS;
	result = read_log(rig, user, size, position);
	mutex_unlock(&rig->mutex);
	return result;
}

static int lrig_mmap(struct file *file, struct vm_area_struct *area)
{
	struct rig *rig = file->private_data;

	if (area->vm_end - area->vm_start != PAGE_SIZE || area->vm_pgoff)
		return -EINVAL;
	if (area->vm_flags & VM_WRITE)
		return -EPERM;
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
	vm_flags_clear(area, VM_MAYWRITE);
#else
	area->vm_flags &= ~VM_MAYWRITE;
#endif
	return remap_vmalloc_range(area, rig->state, 0);
}

static int lrig_open(struct inode *inode, struct file *file)
{
	if (atomic_cmpxchg(&device_open, 0, 1))
		return -EBUSY;
	memset(the_rig.state, 0, sizeof(*the_rig.state));
	file->private_data = &the_rig;
	return 0;
}

static int lrig_release(struct inode *inode, struct file *file)
{
	struct rig *rig = file->private_data;

	mutex_lock(&rig->mutex);
	if (rig->armed)
		disarm(rig);
	free_log(rig);
	mutex_unlock(&rig->mutex);
	atomic_set(&device_open, 0);
	return 0;
}

static const struct file_operations lrig_operations = {
	.owner = THIS_MODULE, /* no unloading while the device is open, hence none while armed */
	.open = lrig_open,
	.release = lrig_release,
	.read = lrig_read,
	.llseek = default_llseek,
	.mmap = lrig_mmap,
	.unlocked_ioctl = lrig_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

static struct miscdevice lrig_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "latency-rig",
	.mode = 0660,
	.fops = &lrig_operations,
};

static int __init lrig_init(void)
{
	int error;

	BUILD_BUG_ON(sizeof(struct lrig_info) != 96);
	BUILD_BUG_ON(sizeof(struct lrig_arm) != 72);
	BUILD_BUG_ON(sizeof(struct lrig_summary) != 32);
	BUILD_BUG_ON(sizeof(struct lrig_record) != 40);
	BUILD_BUG_ON(sizeof(struct lrig_progress) != 16);

	if (!port_parameters_valid())
		return -EINVAL;
	if (!zalloc_cpumask_var(&the_rig.affinity, GFP_KERNEL))
		return -ENOMEM;
	the_rig.state = vmalloc_user(PAGE_SIZE);
	if (!the_rig.state) {
		free_cpumask_var(the_rig.affinity);
		return -ENOMEM;
	}
	error = misc_register(&lrig_device);
	if (error) {
		vfree(the_rig.state);
		free_cpumask_var(the_rig.affinity);
	}
	return error;
}

static void __exit lrig_exit(void)
{
	misc_deregister(&lrig_device);
	vfree(the_rig.state);
	free_cpumask_var(the_rig.affinity);
}

module_init(lrig_init);
module_exit(lrig_exit);

MODULE_DESCRIPTION("Latency Rig: answers interrupts from the kernel and logs the cycle counter");
MODULE_VERSION("0.1.0");
MODULE_LICENSE("GPL");
