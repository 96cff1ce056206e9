/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers with an optional fraction and unit, in integers only. */
#ifndef CORE_NUMBER_H
#define CORE_NUMBER_H

#include <stdint.h>

#include "error.h"

/* A time like 1.5 MS in ticks, rounded to nearest, half up. The unit is S, MS, US, NS or TICK, in
 * either case; without one the number is ticks. A time above 2^32 - 1 ticks becomes that. */
enum error number_ticks(const char *text, uint32_t *ticks);

/* A plain integer. One above 2^32 - 1 is ERROR_OUT_OF_RANGE. */
enum error number_integer(const char *text, uint32_t *value);

#endif
