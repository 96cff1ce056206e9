/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A task of high priority that its own timer wakes, and one of low priority that spins meanwhile. */
#ifndef CORE_LOOPS_PASSES_H
#define CORE_LOOPS_PASSES_H

#include "wakes.h"

void passes_begin(void);

/* Each task's part; both have the numbers and priorities of those of wakes.h. */
void passes_run(uint32_t number);

#endif
