/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What holds a processor up behind the kernel's back: system management, and clocks slowed by heat. */
#ifndef PORTS_LINUX_DISTURBANCES_H
#define PORTS_LINUX_DISTURBANCES_H

#include <stdbool.h>
#include <stdint.h>

#include "../core/port.h"

/* SMIs since the last reset; false: this processor does not count them, or not for this user. */
bool linux_smi_count(uint32_t cpu, uint64_t *count);

extern const struct port_disturbances linux_disturbances;

#endif
