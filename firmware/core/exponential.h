/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exponentially distributed intervals in integers; PROTOCOL.md gives the formula. */
#ifndef CORE_EXPONENTIAL_H
#define CORE_EXPONENTIAL_H

#include <stdbool.h>
#include <stdint.h>

/* A 32 by 32 bit product, its low 32 bits cut off or rounded. In halves, as an AVR takes twice as
 * long for a 64-bit product. */
static inline uint32_t multiply_high(uint32_t a, uint32_t b, bool rounded)
{
    uint32_t low = (uint32_t)(uint16_t)a * (uint16_t)b;
    uint32_t cross_a = (uint32_t)(uint16_t)(a >> 16) * (uint16_t)b;
    uint32_t cross_b = (uint32_t)(uint16_t)a * (uint16_t)(b >> 16);
    uint32_t high = (uint32_t)(uint16_t)(a >> 16) * (uint16_t)(b >> 16);
    uint32_t middle = (low >> 16) + (uint16_t)cross_a + (uint16_t)cross_b;

    if (rounded)
        middle += 0x8000;
    return high + (cross_a >> 16) + (cross_b >> 16) + (middle >> 16);
}

/* -log2(u) with 24 fraction bits for u = (word | 1) / 2^32: 0 to 32. */
uint32_t minus_log2_q24(uint32_t word);

/* mean * ln 2 with 5 fraction bits: computed once a train. */
uint32_t mean_ln2_q5(uint32_t mean_ticks);

/* An interval in ticks, rounded to nearest, from a random word. */
uint32_t exponential_ticks(uint32_t word, uint32_t mean_ln2_q5);

#endif
