/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The serial line: 500 kbaud, 8 data bits, no parity, one stop bit. */
#ifndef AVR_UART_H
#define AVR_UART_H

#include <stdbool.h>
#include <stdint.h>

#include "../core/error.h"

void uart_begin(void);

bool uart_received(void);

/* The oldest received byte; only after uart_received. */
uint8_t uart_take(void);

/* What went wrong with reception since the last call, ERROR_NONE if nothing. */
enum error uart_fault(void);

#endif
