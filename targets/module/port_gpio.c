/* SPDX-License-Identifier: GPL-2.0 */
/* Lines of a GPIO chip: taken, given back, written. Process context, rig->mutex held, but where it says. */
#define pr_fmt(format) KBUILD_MODNAME ": " format

#include <linux/err.h>
#include <linux/gpio/consumer.h>
#include <linux/gpio/machine.h>
#include <linux/irq.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/string.h>

#include "rig.h"

#define PINS 8 /* bits of the data byte: response, sequence, trigger and task in their places */
#define INTERRUPT PINS
#define TRIGGER_PIN 6
#define TASK_PIN 7
#define LINE_NAME "line"

static char *chip;
module_param(chip, charp, 0444);
MODULE_PARM_DESC(chip, "label of the GPIO chip, as gpiodetect prints it in brackets");

static int response = -1;
module_param(response, int, 0444);
MODULE_PARM_DESC(response, "offset of the line that answers");

static int interrupt = -1;
module_param(interrupt, int, 0444);
MODULE_PARM_DESC(interrupt, "offset of the line that interrupts");

static int sequence[LRIG_MAX_SEQUENCE_BITS];
static unsigned int sequence_count;
module_param_array(sequence, int, &sequence_count, 0444);
MODULE_PARM_DESC(sequence, "offsets of the sequence's lines, bit 0 first");

static int trigger = -1;
module_param(trigger, int, 0444);
MODULE_PARM_DESC(trigger, "offset of the line that is wired to the one that interrupts, for self-trigger");

static int task = -1;
module_param(task, int, 0444);
MODULE_PARM_DESC(task, "offset of the interrupted task's line, for dispatch");

static int flush = -1;
module_param(flush, int, 0444);
MODULE_PARM_DESC(flush, "1: read the response back behind each write, which may be under way still; "
			"0: never (default: where the chip is an RP1, behind PCI Express)");

/* The kernel gives lines to devices, so there is one. */
static struct platform_device *device;
static struct gpiod_lookup_table *table;
static struct gpio_desc *lines[PINS + 1];
static u8 written;

bool port_parameters_valid(void)
{
	if (flush < 0)
		flush = chip && strstr(chip, "rp1");
	if (chip && *chip && response >= 0)
		return true;
	pr_err("chip= (its label) and response= (offset of a line) are needed, and interrupt= but for periods\n");
	return false;
}

/* -1: the line is not wanted, or no parameter names it; then `missing`. */
static int offset_of(const struct rig *rig, unsigned int pin, bool *missing)
{
	bool wanted = true;
	int offset = -1;

	if (pin == 0) {
		offset = response;
	} else if (pin == INTERRUPT) {
		wanted = rig_wants_interrupt(rig);
		offset = interrupt;
	} else if (pin == TRIGGER_PIN && rig->options.flags & LRIG_ARM_SELF_TRIGGER) {
		offset = trigger;
	} else if (pin == TASK_PIN && rig->options.flags & LRIG_ARM_DISPATCH) {
		offset = task;
	} else {
		wanted = pin <= rig->options.sequence_bits;
		offset = pin <= sequence_count ? sequence[pin - 1] : -1;
	}
	*missing = wanted && offset < 0;
	return wanted ? offset : -1;
}

static void forget_device(void)
{
	if (table)
		gpiod_remove_lookup_table(table);
	kfree(table);
	table = NULL;
	platform_device_unregister(device);
	device = NULL;
}

static int make_device(const struct rig *rig)
{
	unsigned int pin, entries = 0;
	bool missing;

	device = platform_device_register_simple(LRIG_NAME, PLATFORM_DEVID_NONE, NULL, 0);
	if (IS_ERR(device)) {
		int error = PTR_ERR(device);

		device = NULL;
		return error;
	}
	table = kzalloc(struct_size(table, table, PINS + 2), GFP_KERNEL);
	if (!table) {
		forget_device();
		return -ENOMEM;
	}
	table->dev_id = dev_name(&device->dev);
	for (pin = 0; pin <= PINS; pin++) {
		int offset = offset_of(rig, pin, &missing);

		if (missing) {
			kfree(table);
			table = NULL;
			forget_device();
			return -ENXIO;
		}
		if (offset >= 0)
			table->table[entries++] = (struct gpiod_lookup)GPIO_LOOKUP_IDX(
				chip, offset, LINE_NAME, pin, GPIO_ACTIVE_HIGH);
	}
	gpiod_add_lookup_table(table);
	return 0;
}

static void put_lines(void)
{
	unsigned int pin;

	for (pin = 0; pin <= PINS; pin++) {
		if (lines[pin])
			gpiod_put(lines[pin]);
		lines[pin] = NULL;
	}
	forget_device();
}

static int prepare_line(const struct rig *rig, unsigned int pin)
{
	if (gpiod_cansleep(lines[pin]))
		return -EOPNOTSUPP; /* behind a bus whose transfers sleep */
	if (pin == INTERRUPT)
		return gpiod_direction_input(lines[pin]);
	return gpiod_direction_output_raw(lines[pin], rig->data >> pin & 1);
}

static int get_lines(struct rig *rig)
{
	unsigned int pin;
	bool missing;
	int error;

	for (pin = 0; pin <= PINS; pin++) {
		if (offset_of(rig, pin, &missing) < 0)
			continue;
		lines[pin] = gpiod_get_index(&device->dev, LINE_NAME, pin, GPIOD_ASIS);
		if (IS_ERR(lines[pin])) {
			error = PTR_ERR(lines[pin]);
			lines[pin] = NULL;
			/* The kernel waits for the chip of that label. */
			return error == -EPROBE_DEFER ? -ENODEV : error;
		}
		error = prepare_line(rig, pin);
		if (error)
			return error;
	}
	return 0;
}

void port_describe(struct lrig_info *info)
{
	info->flags |= LRIG_INFO_GPIO;
	info->irq = -1;
	snprintf(info->line, sizeof(info->line), "%.20s %d", chip, interrupt);
	if (!(info->flags & LRIG_INFO_ARMED)) {
		info->modes = 1u << LRIG_MODE_PERIOD;
		if (interrupt >= 0)
			info->modes |= LRIG_MODES_OF_OWN_HANDLER;
	}
}

int port_take(struct rig *rig, void (*on_interrupt)(void *rig))
{
	u32 resting_high = LRIG_ARM_SELF_TRIGGER | LRIG_ARM_TRIGGER_LOW;
	int error;

	if (rig_wants_parport_irq(rig))
		return -ENODEV;
	error = make_device(rig);
	if (error)
		return error;
	/* The response keeps its level; the others go to where they wait. */
	rig->data &= DATA_RESPONSE;
	if ((rig->options.flags & resting_high) == resting_high)
		rig->data |= DATA_TRIGGER;
	error = get_lines(rig);
	if (error) {
		put_lines();
		return error;
	}
	written = rig->data;
	rig->irq = lines[INTERRUPT] ? gpiod_to_irq(lines[INTERRUPT]) : -1;
	if (lines[INTERRUPT] && rig->irq < 0) {
		put_lines();
		return -ENXIO;
	}
	return 0;
}

void port_give_back(struct rig *rig)
{
	put_lines();
}

/* In any context. One line after the other, the response as the last one. */
void port_write(struct rig *rig, u8 data)
{
	u8 changed = data ^ written;
	int pin;

	for (pin = PINS - 1; pin >= 0; pin--)
		if (changed >> pin & 1 && lines[pin])
			gpiod_set_raw_value(lines[pin], data >> pin & 1);
	if (flush && lines[0])
		gpiod_get_raw_value(lines[0]);
	written = data;
}

void port_open_line(struct rig *rig)
{
	enable_irq(rig->irq);
}

/* In any context. */
void port_close_line(struct rig *rig)
{
	disable_irq_nosync(rig->irq);
}

bool port_wants_answer(struct rig *rig)
{
	return true;
}

bool port_finish_interrupt(struct rig *rig)
{
	return true; /* the line is nobody else's, and takes edges only */
}

int port_attach(struct rig *rig, irq_handler_t begins, irq_handler_t on_irq)
{
	bool falling = rig->options.flags & LRIG_ARM_FALLING;
	unsigned long flags = falling ? IRQF_TRIGGER_FALLING : IRQF_TRIGGER_RISING;
	int error;

	if (!rig_wants_interrupt(rig))
		return 0;
	rig->own_handler = true;
	error = interrupt_request(rig, flags | IRQF_NO_AUTOEN, begins, on_irq);
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
