/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "random.h"

/* x >> 15; on a processor that shifts by one bit at a time this is several times shorter. */
static inline uint32_t shift_right_15(uint32_t x)
{
    return (x >> 16) << 1 | (uint16_t)x >> 15;
}

/* Low-bias mixer with the constants of T. Ettinger; see C. Wellons, "Prospecting for Hash
 * Functions", 2018. A counter through a mixer, rather than a state passed on, lets the host find
 * any word without those before it. */
uint32_t random_word(uint32_t counter)
{
    uint32_t x = counter;
    x ^= x >> 16;
    x *= 0x21F0AAADUL;
    x ^= shift_right_15(x);
    x *= 0x735A2D97UL;
    x ^= shift_right_15(x);
    return x;
}
