/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exponentially distributed intervals in integers; PROTOCOL.md gives the formula. */
#ifndef CORE_EXPONENTIAL_H
#define CORE_EXPONENTIAL_H

#include <stdint.h>

/* High word of a 32 by 32 bit product: the product times a fraction, cut off. */
static inline uint32_t multiply_high(uint32_t a, uint32_t b)
{
    return (uint32_t)(((uint64_t)a * b) >> 32);
}

/* -log2(u) with 24 fraction bits for u = (word | 1) / 2^32: 0 to 32. */
uint32_t minus_log2_q24(uint32_t word);

/* mean * ln 2 with 5 fraction bits: computed once a train. */
uint32_t mean_ln2_q5(uint32_t mean_ticks);

/* An interval in ticks, rounded to nearest, from a random word. */
uint32_t exponential_ticks(uint32_t word, uint32_t mean_ln2_q5);

#endif
