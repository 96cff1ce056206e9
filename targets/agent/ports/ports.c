/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ports.h"

#include <stddef.h>

const struct port_entry *const port_entries[] = {
    &ppdev_entry, &ioport_entry, &gpio_entry, &serial_entry, &kmod_entry, &posix_entry, NULL,
};
