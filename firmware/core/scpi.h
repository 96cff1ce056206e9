/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command interpreter: bytes in, replies out. PROTOCOL.md is its description. */
#ifndef CORE_SCPI_H
#define CORE_SCPI_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"

#define LINE_SIZE 80 /* longest line, its newline counted */

/* Power-up: settings at their defaults, the pin at rest, the ready line sent. */
void scpi_reset(void);

/* Take one byte from the host; executes the line at its newline. */
void scpi_input(uint8_t byte);

/* Bytes were lost or damaged: the line being received is dropped and the error queued. */
void scpi_input_fault(enum error error);

/* Give a waiting FETCh? its reply if it is due. To be called again and again. */
void scpi_poll(void);

#endif
