/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where constant data lives: an AVR copies plain constants into its 2 KB of RAM, so tables and
 * texts are marked FLASH and read through the compiler's own address space. */
#ifndef CORE_FLASH_H
#define CORE_FLASH_H

#ifdef __AVR__
#define FLASH __flash
/* A string literal that stays in flash: a literal itself is always in RAM. */
#define FLASH_TEXT(literal) \
    (__extension__({ static const FLASH char text_[] = literal; &text_[0]; }))
#else
#define FLASH
#define FLASH_TEXT(literal) (literal)
#endif

#endif
