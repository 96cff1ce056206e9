/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where constant data lives: an AVR copies plain constants into its 2 KB of RAM, so tables and
 * texts are marked FLASH, and read only by what is declared here. (The compiler's own __flash
 * address space is no way: avr-gcc 5.4 forgets it in loops over pointers.) */
#ifndef CORE_FLASH_H
#define CORE_FLASH_H

#ifdef __AVR__

#include <avr/pgmspace.h>

#define FLASH PROGMEM
#define FLASH_TEXT(literal) PSTR(literal)
#define flash_char(address) ((char)pgm_read_byte(address))
#define flash_word(address) pgm_read_word(address)
#define flash_copy(to, from, size) memcpy_P(to, from, size)

#else

#include <string.h>

#define FLASH
#define FLASH_TEXT(literal) (literal)
#define flash_char(address) (*(address))
#define flash_word(address) (*(address))
#define flash_copy(to, from, size) memcpy(to, from, size)

#endif

#endif
