/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Intel hex reader. */
#ifndef RIG_EMULATOR_HEX_H
#define RIG_EMULATOR_HEX_H

#include <stdbool.h>
#include <stdint.h>

/* Reads the file into `memory`, which holds `size` bytes. Returns false after saying which line of
 * the file is wrong and why. */
bool hex_load(const char *path, uint8_t *memory, uint32_t size);

#endif
