/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A parallel port whose data pins are written by `out` from user space, the shortest way there is;
 * the interrupt comes through ppdev. Needs CAP_SYS_RAWIO.
 */
#include <errno.h>

#include "../counters/counter.h"
#include "linux_environment.h"
#include "linux_parport.h"
#include "system.h"

#if defined __x86_64__ || defined __i386__

#include <sys/io.h>

#define REGISTERS 3 /* data, status, control */

static unsigned short base;

static void write_data(uint8_t data, struct ticks *around)
{
    around->before = counter_before();
    outb(data, base);
    around->after = counter_after();
}

static void write_pins(uint32_t pins, struct ticks *around)
{
    parport_answer(write_data, pins, around);
}

static bool read_pins(struct ticks *around)
{
    around->before = counter_before();
    inb(base);
    around->after = counter_after();
    return true;
}

static bool write_trigger(struct ticks *around)
{
    return parport_pulse(write_data, around);
}

static bool take_registers(struct text *why)
{
    base = (unsigned short)parport_base();
    if (!base) {
        text_say(why, "the address of this parallel port is not in /proc/sys/dev/parport");
        return false;
    }
    if (ioperm(base, REGISTERS, 1) == 0)
        return true;
    system_refuse(why, "ioperm", errno);
    text_add(why, "; run as root or with CAP_SYS_RAWIO, or use --port ppdev");
    return false;
}

static bool open_port(const struct port_settings *settings, struct port *port, struct text *why)
{
    *port = (struct port){
        .name = "ioport",
        .measurements = 1u << MEASURE_INTERRUPT_TO_TASK | 1u << MEASURE_PERIOD,
        .sequence_bits = PARPORT_SEQUENCE_BITS,
        .attach = parport_attach,
        .detach = parport_detach,
        .wait_interrupt = parport_wait_interrupt,
        .interrupt_number = parport_interrupt,
        .write_pins = write_pins,
        .read_pins = read_pins,
        .write_trigger = write_trigger,
        .environment = linux_environment,
        SYSTEM_MEMBERS,
    };
    if (!parport_open(settings, why))
        return false;
    if (take_registers(why))
        return true;
    parport_close();
    return false;
}

#else

static bool open_port(const struct port_settings *settings, struct port *port, struct text *why)
{
    (void)settings;
    (void)port;
    text_say(why, "this processor has no I/O ports; use --port ppdev");
    return false;
}

#endif

const struct port_entry ioport_entry = {
    "ioport", "parallel port, pins written by `out` (x86, root)", open_port, parport_close};
