/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A parallel port wholly through ppdev: no root is needed, and a pin write is a system call. */
#include <linux/ppdev.h>
#include <sys/ioctl.h>

#include "../counters/counter.h"
#include "linux_environment.h"
#include "linux_parport.h"
#include "system.h"

static void write_data(uint8_t data, struct ticks *around)
{
    around->before = counter_before();
    ioctl(parport_file, PPWDATA, &data);
    around->after = counter_after();
}

void ppdev_write_pins(uint32_t pins, struct ticks *around)
{
    parport_answer(write_data, pins, around);
}

bool ppdev_read_pins(struct ticks *around)
{
    uint8_t data;
    around->before = counter_before();
    bool good = ioctl(parport_file, PPRDATA, &data) == 0;
    around->after = counter_after();
    return good;
}

static bool write_trigger(struct ticks *around)
{
    return parport_pulse(write_data, around);
}

static bool open_port(const struct port_settings *settings, struct port *port, struct text *why)
{
    *port = (struct port){
        .name = "ppdev",
        .measurements = 1u << MEASURE_INTERRUPT_TO_TASK | 1u << MEASURE_PERIOD,
        .sequence_bits = PARPORT_SEQUENCE_BITS,
        .attach = parport_attach,
        .detach = parport_detach,
        .wait_interrupt = parport_wait_interrupt,
        .interrupt_number = parport_interrupt,
        .write_pins = ppdev_write_pins,
        .read_pins = ppdev_read_pins,
        .write_trigger = write_trigger,
        .environment = linux_environment,
        SYSTEM_MEMBERS,
    };
    return parport_open(settings, why);
}

const struct port_entry ppdev_entry = {
    "ppdev", "parallel port through /dev/parportN", open_port, parport_close};
