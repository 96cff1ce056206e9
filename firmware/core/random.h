/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The generator of random words; PROTOCOL.md gives its formula and test vectors. */
#ifndef CORE_RANDOM_H
#define CORE_RANDOM_H

#include <stdint.h>

/* Added to the counter at each word. */
#define RANDOM_STEP 0x9E3779B9UL

/* Word of this counter; word k of a seed has counter seed + (k + 1) * RANDOM_STEP. */
uint32_t random_word(uint32_t counter);

#endif
