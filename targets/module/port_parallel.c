/* SPDX-License-Identifier: GPL-2.0 */
/* The parallel port: taken, given back, written. Process context, rig->mutex held, but where it says. */
#define pr_fmt(format) KBUILD_MODNAME ": " format

#include <linux/io.h>
#include <linux/ioport.h>
#include <linux/irq.h>
#include <linux/module.h>
#include <linux/parport.h>

#include "rig.h"

#define PORT_REGISTERS 3
#define STATUS 1
#define STATUS_NO_INTERRUPT 0x04u /* of chips that have it: low from an interrupt to a read */
#define STATUS_ACK 0x40u
#define CONTROL 2
#define CONTROL_SELECT_AND_INIT 0x0cu /* idle levels of a port that nothing is printed on */
#define CONTROL_INTERRUPT 0x10u

#define RELEASE_LOOK_NS (20 * NSEC_PER_USEC)

static unsigned long base = 0x378;
module_param(base, ulong, 0444);
MODULE_PARM_DESC(base, "I/O address of the parallel port (default 0x378)");

static int irq = 7;
module_param(irq, int, 0444);
MODULE_PARM_DESC(irq, "interrupt line, if the parport driver does not know it (default 7)");

static bool shared;
module_param(shared, bool, 0444);
MODULE_PARM_DESC(shared, "own handlers share the line, as PCI cards must (default no)");

static bool parport_knows_irq(const struct parport *port)
{
	return port && port->irq >= 0;
}

bool port_parameters_valid(void)
{
	if (base > 0 && base <= IO_SPACE_LIMIT - PORT_REGISTERS && irq >= 0)
		return true;
	pr_err("base must be a port's I/O address, as 0x378, and irq 0 or more\n");
	return false;
}

/* All registers reading as ones is a bus that nobody drives. */
static bool region_answers(unsigned long at)
{
	return inb(at) != 0xff || inb(at + STATUS) != 0xff || inb(at + CONTROL) != 0xff;
}

static int take_region(unsigned long at)
{
	if (!request_region(at, PORT_REGISTERS, LRIG_NAME))
		return -EBUSY;
	if (region_answers(at))
		return 0;
	release_region(at, PORT_REGISTERS);
	return -ENODEV;
}

static u32 modes_of_parport(const struct parport *port)
{
	u32 modes = 1u << LRIG_MODE_PERIOD;

	if (parport_knows_irq(port))
		modes |= 1u << LRIG_MODE_PARPORT | 1u << LRIG_MODE_THREAD |
			 1u << LRIG_MODE_WORKQUEUE | 1u << LRIG_MODE_TASKLET;
	if (!parport_knows_irq(port) || shared)
		modes |= LRIG_MODES_OF_OWN_HANDLER;
	return modes;
}

/* Fills in what there is to know of the port. An armed one's modes stay 0. */
void port_describe(struct lrig_info *info)
{
	struct parport *port = parport_find_base(base);
	bool armed = info->flags & LRIG_INFO_ARMED;

	info->base = base;
	info->irq = parport_knows_irq(port) ? port->irq : irq;
	if (port) {
		info->flags |= LRIG_INFO_PARPORT;
		strscpy(info->line, port->name, sizeof(info->line));
		if (!armed)
			info->modes = modes_of_parport(port);
		parport_put_port(port);
		return;
	}
	snprintf(info->line, sizeof(info->line), "irq %d", irq);
	if (!armed && !take_region(base)) {
		info->modes = LRIG_MODES_OF_OWN_HANDLER | 1u << LRIG_MODE_PERIOD;
		release_region(base, PORT_REGISTERS);
	}
}

static int claim_parport(struct rig *rig, void (*on_interrupt)(void *rig))
{
	struct pardev_cb callbacks = {
		.irq_func = rig_wants_parport_irq(rig) ? on_interrupt : NULL,
		.private = rig,
	};

	rig->pardevice = parport_register_dev_model(rig->parport, LRIG_NAME, &callbacks, 0);
	if (!rig->pardevice)
		return -EBUSY;
	if (parport_claim(rig->pardevice)) {
		parport_unregister_device(rig->pardevice);
		return -EBUSY;
	}
	/* To claim with an irq_func is to switch the interrupt on; port_attach() does that. */
	rig->parport->ops->disable_irq(rig->parport);
	rig->parport->ops->data_forward(rig->parport);
	return 0;
}

static int take_parport(struct rig *rig, void (*on_interrupt)(void *rig))
{
	int error = 0;

	if (rig_wants_parport_irq(rig)) {
		if (!parport_knows_irq(rig->parport))
			error = -ENXIO;
		rig->irq = rig->parport->irq;
	}
	if (!error)
		error = claim_parport(rig, on_interrupt);
	if (error) {
		parport_put_port(rig->parport);
		rig->parport = NULL;
	}
	return error;
}

/* The response pin keeps its level; the others go to where they wait. */
static void rest_pins(struct rig *rig)
{
	u32 wanted = LRIG_ARM_SELF_TRIGGER | LRIG_ARM_TRIGGER_LOW;

	rig->data = inb(rig->base) & DATA_RESPONSE;
	if ((rig->options.flags & wanted) == wanted)
		rig->data |= DATA_TRIGGER;
	outb(rig->data, rig->base);
}

int port_take(struct rig *rig, void (*on_interrupt)(void *rig))
{
	int error;

	rig->base = base;
	rig->irq = irq;
	rig->parport = parport_find_base(base);
	if (rig->parport)
		error = take_parport(rig, on_interrupt);
	else if (rig_wants_parport_irq(rig))
		error = -ENODEV;
	else
		error = take_region(base);
	if (error)
		return error;
	rig->control = inb(base + CONTROL);
	rest_pins(rig);
	return 0;
}

void port_write(struct rig *rig, u8 data)
{
	outb(data, rig->base);
}

void port_give_back(struct rig *rig)
{
	if (!rig->parport) {
		release_region(rig->base, PORT_REGISTERS);
		return;
	}
	parport_release(rig->pardevice);
	parport_unregister_device(rig->pardevice);
	parport_put_port(rig->parport);
	rig->pardevice = NULL;
	rig->parport = NULL;
}

static unsigned long wanted_trigger(const struct rig *rig)
{
	switch (rig->options.flags & (LRIG_ARM_RISING | LRIG_ARM_FALLING)) {
	case LRIG_ARM_RISING:
		return IRQF_TRIGGER_RISING;
	case LRIG_ARM_FALLING:
		return IRQF_TRIGGER_FALLING;
	default:
		return IRQF_TRIGGER_NONE;
	}
}

/*
 * The kernel takes a trigger that the chip cannot set without a word. A chip that cannot set it
 * and does not know it is a PC's, whose edge-triggered lines are ISA's: rising.
 */
static bool can_trigger(const struct rig *rig, unsigned long wanted)
{
	struct irq_data *line = irq_get_irq_data(rig->irq);
	u32 fixed;

	if (!wanted || !line)
		return true;
	if (rig->own_handler && line->chip->irq_set_type)
		return true;
	fixed = irqd_get_trigger_type(line);
	if (!fixed && !irqd_is_level_type(line))
		fixed = IRQ_TYPE_EDGE_RISING;
	return fixed == wanted;
}

static int request_own_handler(struct rig *rig, unsigned long trigger, irq_handler_t begins,
			       irq_handler_t on_irq)
{
	/* request_irq() would find out too, but say so in the kernel log, with a stack dump on some. */
	if (parport_knows_irq(rig->parport) && rig->parport->irq == rig->irq && !shared)
		return -EBUSY;
	return interrupt_request(rig, trigger | (shared ? IRQF_SHARED : 0), begins, on_irq);
}

/* parport_pc keeps a copy of the control register and only lets its own irq be enabled. */
void port_open_line(struct rig *rig)
{
	u8 idle = rig->parport ? rig->control : CONTROL_SELECT_AND_INIT;

	if (rig->own_handler)
		outb(idle | CONTROL_INTERRUPT, rig->base + CONTROL);
	else
		rig->parport->ops->enable_irq(rig->parport);
	/* Some ports hold an interrupt back until the status is read. */
	inb(rig->base + STATUS);
}

void port_close_line(struct rig *rig)
{
	if (rig->own_handler)
		outb(rig->control & ~CONTROL_INTERRUPT, rig->base + CONTROL);
	else
		rig->parport->ops->disable_irq(rig->parport);
}

static enum hrtimer_restart await_release(struct hrtimer *timer)
{
	struct rig *rig = container_of(timer, struct rig, release);
	enum hrtimer_restart again = HRTIMER_NORESTART;
	unsigned long flags;

	raw_spin_lock_irqsave(&rig->lock, flags);
	if ((inb(rig->base + STATUS) ^ rig->rest) & STATUS_ACK) {
		hrtimer_forward_now(timer, ns_to_ktime(RELEASE_LOOK_NS));
		again = HRTIMER_RESTART;
	} else if (!rig->closed) {
		port_open_line(rig);
	}
	raw_spin_unlock_irqrestore(&rig->lock, flags);
	return again;
}

static void begin_release(struct rig *rig)
{
	struct irq_data *line = irq_get_irq_data(rig->irq);

	rig->level = rig->own_handler && line && irqd_is_level_type(line);
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 15, 0)
	hrtimer_setup(&rig->release, await_release, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
#else
	hrtimer_init(&rig->release, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	rig->release.function = await_release;
#endif
	rig->rest = inb(rig->base + STATUS);
}

bool port_wants_answer(struct rig *rig)
{
	return true; /* to ask would cost the answer time */
}

/*
 * A level-triggered line, as PCI cards have, interrupts again and again while nACK is active: the
 * card is kept from it until nACK is back. A pulse that is over before this looks shows on chips
 * that have a bit for it; of the others it cannot be told from another device's interrupt.
 */
bool port_finish_interrupt(struct rig *rig)
{
	u8 status;

	if (!rig->level)
		return true;
	status = inb(rig->base + STATUS);
	if ((status ^ rig->rest) & STATUS_ACK) {
		port_close_line(rig);
		hrtimer_start(&rig->release, ns_to_ktime(RELEASE_LOOK_NS), HRTIMER_MODE_REL_HARD);
		return true;
	}
	return (rig->rest & ~status) & STATUS_NO_INTERRUPT;
}

int port_attach(struct rig *rig, irq_handler_t begins, irq_handler_t on_irq)
{
	unsigned long trigger = wanted_trigger(rig);
	int error;

	if (!rig_wants_interrupt(rig))
		return 0;
	rig->own_handler = !rig_wants_parport_irq(rig);
	begin_release(rig);
	if (!can_trigger(rig, trigger))
		return -EOPNOTSUPP;
	if (rig->own_handler) {
		error = request_own_handler(rig, trigger, begins, on_irq);
		if (error)
			return error;
	}
	error = interrupt_move(rig);
	if (error) {
		if (rig->own_handler)
			free_irq(rig->irq, rig);
		return error;
	}
	port_open_line(rig);
	return 0;
}

/*
 * After this no handler that saw the rig armed is running. The parport driver's irq_func may be
 * called until port_give_back() on a line that other devices share; it finds the rig unarmed.
 */
void port_detach(struct rig *rig)
{
	if (!rig_wants_interrupt(rig))
		return;
	port_close_line(rig);
	interrupt_move_back(rig);
	if (rig->own_handler)
		free_irq(rig->irq, rig);
	else
		synchronize_irq(rig->irq);
	if (!rig->level)
		return;
	hrtimer_cancel(&rig->release);
	port_close_line(rig);
}
