/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replies, sent byte by byte as they are made: no reply needs a buffer. */
#ifndef CORE_REPORT_H
#define CORE_REPORT_H

#include <stdint.h>

#include "flash.h"

/* The text of report_text is in flash, that of report_string in RAM. */
void report_char(char character);
void report_text(const char *flash_text);
void report_string(const char *text);
void report_unsigned(uint64_t value);
void report_signed(int16_t value);

#endif
