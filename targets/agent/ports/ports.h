/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ports built into this agent. */
#ifndef PORTS_PORTS_H
#define PORTS_PORTS_H

#include "../core/port.h"

struct port_settings {
    const char *device; /* NULL: the port's usual one */
    bool falling;       /* the parallel port's card interrupts on the falling edge of nACK */
    bool level;         /* it may be level-triggered, as a PCI card is */
    const char *flush;  /* a GPIO chip's pins are read back: "on" or "off"; NULL: as the chip needs */
    const char *pins;   /* of a GPIO chip, where the host names none; NULL: none */
};

struct port_entry {
    const char *name;
    const char *about; /* one line */
    /* Open the device and fill in all but the counter. False, and why, if it cannot. */
    bool (*open)(const struct port_settings *settings, struct port *port, struct text *why);
    void (*close)(void);
};

extern const struct port_entry posix_entry, ppdev_entry, ioport_entry, gpio_entry, serial_entry,
    kmod_entry;

/* Ends with NULL. */
extern const struct port_entry *const port_entries[];

#endif
