/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Timer 1's interrupt flags as the datasheet has them. */
#ifndef RIG_EMULATOR_TIMER1_H
#define RIG_EMULATOR_TIMER1_H

#include "mcu.h"

void timer1_open(struct mcu *mcu);

#endif
