/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gpio.h"

#include <stddef.h>

#include "fault.h"
#include "qemu.h"

enum {
    GPIO_LINES = 8,
    GPIO_POWER_KEY = 3, /* the machine's own input */
    GPIO_INTERRUPT_LINE = 5,
};

/* The controller tells of lines that change only, and of each by itself. */
static void gpio_on_output(void *context, int line, int level)
{
    struct port *port = context;
    const uint8_t mask = (uint8_t)(1u << line);

    port_write(port, level ? port->data | mask : port->data & (uint8_t)~mask);
}

static void gpio_on_line(struct port *port)
{
    port->interrupt_count += port->line;
    qemu.set_irq(port->irq, port->line);
}

void gpio_open(struct port *port)
{
    void *controller = qemu.object_resolve_path_type("", "pl061", NULL);

    if (controller == NULL)
        fault_end("this machine has no PL061, or several; start QEMU with -M virt");
    port->irq = qemu.qdev_get_gpio_in(controller, GPIO_INTERRUPT_LINE);
    port->on_line = gpio_on_line;
    void **outputs = qemu.allocate_irqs(gpio_on_output, port, GPIO_LINES);
    for (int line = 0; line < GPIO_LINES; line++)
        if (line != GPIO_POWER_KEY && line != GPIO_INTERRUPT_LINE)
            qemu.qdev_connect_gpio_out(controller, line, outputs[line]);
}
