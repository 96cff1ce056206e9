/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "crc.h"

/* Eight steps of the shift register at once: the byte's feedback folded by 4 and by 5 bits, which
 * follow from the three taps of the polynomial, x^12 + x^5 + 1. */
uint16_t crc_xmodem(uint16_t crc, uint8_t byte)
{
    uint8_t fold = (uint8_t)((crc >> 8) ^ byte);
    fold ^= fold >> 4;
    return (uint16_t)((crc << 8) ^ ((uint16_t)fold << 12) ^ ((uint16_t)fold << 5) ^ fold);
}
