/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Handshake lines of a 16550 at I/O ports: an input interrupts, RTS answers, and DTR is the sequence's
 * bit, the trigger or the task. Process context, rig->mutex held, but where it says.
 *
 * Levels are those at the chip: a line whose bit in a register is set is low.
 */
#define pr_fmt(format) KBUILD_MODNAME ": " format

#include <linux/io.h>
#include <linux/ioport.h>
#include <linux/module.h>

#include "rig.h"

#define PORT_REGISTERS 8
#define INTERRUPT_ENABLE 1
#define ENABLE_MODEM 0x08u
#define INTERRUPT_SOURCE 2 /* bits 4 and 5 are always 0 */
#define LINE_CONTROL 3
#define LINE_DIVISOR 0x80u
#define MODEM_CONTROL 4
#define CONTROL_DTR 0x01u
#define CONTROL_RTS 0x02u
#define CONTROL_OUT2 0x08u /* lets a PC's port interrupt */
#define CONTROL_LOOP 0x10u
#define MODEM_STATUS 6
#define STATUS_CHANGES 0x0fu

static unsigned long base = 0x3f8;
module_param(base, ulong, 0444);
MODULE_PARM_DESC(base, "I/O address of the serial port (default 0x3f8)");

static int irq = 4;
module_param(irq, int, 0444);
MODULE_PARM_DESC(irq, "interrupt line (default 4)");

static bool shared;
module_param(shared, bool, 0444);
MODULE_PARM_DESC(shared, "the line is shared with other devices, as on PCI cards (default no)");

static const struct input {
	const char *name;
	u8 line, change; /* bits of the modem status */
} inputs[] = {
	{ "CTS", 0x10, 0x01 },
	{ "DSR", 0x20, 0x02 },
	{ "DCD", 0x80, 0x08 },
	{ "RI", 0x40, 0x04 }, /* its change is told of the rising edge alone */
};
#define INPUT_RI 3

static int interrupt;
module_param(interrupt, int, 0444);
MODULE_PARM_DESC(interrupt, "line that interrupts: 0 CTS, 1 DSR, 2 DCD, 3 RI (default 0)");

static bool was_active; /* the line was where the edge leads that interrupts, when looked at last */
static bool changed; /* the interrupt handled now is this chip's */

bool port_parameters_valid(void)
{
	if (base > 0 && base <= IO_SPACE_LIMIT - PORT_REGISTERS && irq > 0 && interrupt >= 0 &&
	    interrupt < ARRAY_SIZE(inputs))
		return true;
	pr_err("base must be a port's I/O address, as 0x3f8, irq 1 or more, and interrupt 0 to 3\n");
	return false;
}

static int take_region(void)
{
	if (!request_region(base, PORT_REGISTERS, LRIG_NAME))
		return -EBUSY;
	if (inb(base + INTERRUPT_SOURCE) != 0xff)
		return 0;
	release_region(base, PORT_REGISTERS);
	return -ENODEV;
}

void port_describe(struct lrig_info *info)
{
	info->flags |= LRIG_INFO_SERIAL;
	info->base = base;
	info->irq = irq;
	snprintf(info->line, sizeof(info->line), "%s, irq %d", inputs[interrupt].name, irq);
	if (!(info->flags & LRIG_INFO_ARMED) && !take_region()) {
		info->modes = LRIG_MODES_OF_OWN_HANDLER | 1u << LRIG_MODE_PERIOD;
		release_region(base, PORT_REGISTERS);
	}
}

/* There is one output beside the response. */
static u8 second_pin(const struct rig *rig)
{
	u8 pins = rig->sequence_mask << DATA_SEQUENCE_SHIFT;

	if (rig->options.flags & LRIG_ARM_SELF_TRIGGER)
		pins |= DATA_TRIGGER;
	if (rig->options.flags & LRIG_ARM_DISPATCH)
		pins |= DATA_TASK;
	return pins;
}

/* In any context. */
void port_write(struct rig *rig, u8 data)
{
	u8 control = rig->control;

	if (!(data & DATA_RESPONSE))
		control |= CONTROL_RTS;
	if (!(data & second_pin(rig)))
		control |= CONTROL_DTR;
	outb(control, rig->base + MODEM_CONTROL);
}

int port_take(struct rig *rig, void (*on_interrupt)(void *rig))
{
	u32 resting_high = LRIG_ARM_SELF_TRIGGER | LRIG_ARM_TRIGGER_LOW;
	int error;
	u8 control;

	if (rig_wants_parport_irq(rig))
		return -ENODEV;
	if (hweight8(second_pin(rig)) > 1)
		return -ENXIO;
	error = take_region();
	if (error)
		return error;
	rig->base = base;
	rig->irq = irq;
	outb(inb(base + LINE_CONTROL) & ~LINE_DIVISOR, base + LINE_CONTROL);
	outb(0, base + INTERRUPT_ENABLE);
	/* The response keeps its level; the other one goes to where it waits. */
	control = inb(base + MODEM_CONTROL);
	rig->control = (control & ~(CONTROL_RTS | CONTROL_DTR | CONTROL_LOOP)) | CONTROL_OUT2;
	rig->data = control & CONTROL_RTS ? 0 : DATA_RESPONSE;
	if ((rig->options.flags & resting_high) == resting_high)
		rig->data |= DATA_TRIGGER;
	port_write(rig, rig->data);
	return 0;
}

/* OUT2 off: others may have the interrupt. */
void port_give_back(struct rig *rig)
{
	rig->control &= ~CONTROL_OUT2;
	port_write(rig, rig->data);
	release_region(base, PORT_REGISTERS);
}

static bool is_active(const struct rig *rig, u8 status)
{
	bool low = status & inputs[interrupt].line;

	return low == !!(rig->options.flags & LRIG_ARM_FALLING);
}

/* In any context. What changed before is not told. */
void port_open_line(struct rig *rig)
{
	was_active = is_active(rig, inb(rig->base + MODEM_STATUS));
	outb(ENABLE_MODEM, rig->base + INTERRUPT_ENABLE);
}

/* In any context. */
void port_close_line(struct rig *rig)
{
	outb(0, rig->base + INTERRUPT_ENABLE);
}

/*
 * Both edges of a pulse interrupt, and to read the status ends the interrupt. A line that changed and
 * is at rest again either came back, as was to be expected, or its pulse is over already.
 */
bool port_wants_answer(struct rig *rig)
{
	u8 status = inb(rig->base + MODEM_STATUS);
	bool active = is_active(rig, status), came_back = was_active && !active;

	changed = status & STATUS_CHANGES;
	was_active = active;
	if (!(status & inputs[interrupt].change))
		return false;
	return interrupt == INPUT_RI || !came_back;
}

bool port_finish_interrupt(struct rig *rig)
{
	return changed;
}

int port_attach(struct rig *rig, irq_handler_t begins, irq_handler_t on_irq)
{
	int error;

	if (!rig_wants_interrupt(rig))
		return 0;
	if (interrupt == INPUT_RI && rig->options.flags & LRIG_ARM_FALLING)
		return -EOPNOTSUPP;
	rig->own_handler = true;
	error = interrupt_request(rig, shared ? IRQF_SHARED : 0, begins, on_irq);
	if (error)
		return error;
	error = interrupt_move(rig);
	if (error) {
		free_irq(rig->irq, rig);
		return error;
	}
	port_open_line(rig);
	return 0;
}

/* After this no handler that saw the rig armed is running. */
void port_detach(struct rig *rig)
{
	if (!rig_wants_interrupt(rig))
		return;
	port_close_line(rig);
	interrupt_move_back(rig);
	free_irq(rig->irq, rig);
}
