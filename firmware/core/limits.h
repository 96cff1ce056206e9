/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What this firmware can do, on whatever chip: the rest is in the chip's own file. */
#ifndef CORE_LIMITS_H
#define CORE_LIMITS_H

#include "chip.h"

#define FIRMWARE_VERSION "0.3.0"
#define INTERFACE_LEVEL 2
#define TICKS_PER_MS (CLOCK_HZ / 1000)

#define COUNT_MAX 4294967295UL
#define FETCH_TIMEOUT_MAX_MS 60000UL

#endif
