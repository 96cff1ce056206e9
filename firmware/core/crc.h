/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CRC-16/XMODEM: polynomial 0x1021, initial value 0, most significant bit first. */
#ifndef CORE_CRC_H
#define CORE_CRC_H

#include <stdint.h>

uint16_t crc_xmodem(uint16_t crc, uint8_t byte);

#endif
