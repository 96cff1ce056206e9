/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "exponential.h"

#include "flash.h"

#define LN2_Q32 2977044472UL /* round(ln 2 * 2^32) */

/* round(65536 * log2(1 + i / 64)); the entry after the last would be 65536, 0 in 16 bits. */
static const uint16_t log2_q16[64] FLASH = {
    0, 1466, 2909, 4331, 5732, 7112, 8473, 9814,
    11136, 12440, 13727, 14996, 16248, 17484, 18704, 19909,
    21098, 22272, 23433, 24579, 25711, 26830, 27936, 29029,
    30109, 31178, 32234, 33279, 34312, 35334, 36346, 37346,
    38336, 39316, 40286, 41246, 42196, 43137, 44068, 44990,
    45904, 46809, 47705, 48593, 49472, 50344, 51207, 52063,
    52911, 53751, 54584, 55410, 56229, 57040, 57845, 58643,
    59434, 60219, 60997, 61769, 62534, 63294, 64047, 64794,
};

/* Shifts here go by whole bytes where they can: an AVR has no others of more than one bit. */
uint32_t minus_log2_q24(uint32_t word)
{
    uint32_t normal = word | 1; /* odd: never 0, and u is the middle of its interval */
    uint8_t zeros = 0;
    while (!(normal & 0xFF000000UL)) {
        normal <<= 8;
        zeros += 8;
    }
    while (!(normal & 0x80000000UL)) {
        normal <<= 1;
        zeros++;
    }
    /* 1.xxx in binary: 6 bits after the leading one choose the chord, the next 16 the place on it. */
    uint8_t segment = (uint8_t)(normal >> 24) >> 1 & 63;
    uint16_t rest = (uint16_t)((normal >> 8) >> 1);
    uint16_t low = flash_word(&log2_q16[segment]);
    uint16_t next = flash_word(&log2_q16[(segment + 1) & 63]);
    uint16_t rise = next - low; /* modulo 2^16, see the table */
    uint32_t log2_q24 = ((uint32_t)low << 8) + (((uint32_t)rise * rest) >> 8);
    return ((uint32_t)(uint8_t)(zeros + 1) << 24) - log2_q24;
}

uint32_t mean_ln2_q5(uint32_t mean_ticks)
{
    return (uint32_t)(((uint64_t)mean_ticks * LN2_Q32) >> 27);
}

uint32_t exponential_ticks(uint32_t word, uint32_t mean_ln2_q5)
{
    uint32_t log_q24 = minus_log2_q24(word);
    if (log_q24 > 0x1FFFFFFFUL)
        log_q24 = 0x1FFFFFFFUL; /* 32 exactly would not fit with 27 fraction bits */
    return (uint32_t)(((uint64_t)(log_q24 << 3) * mean_ln2_q5 + 0x80000000UL) >> 32);
}
