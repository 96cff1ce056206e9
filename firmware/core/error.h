/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The error queue of SYSTem:ERRor?, SCPI-99 volume 1, 21.8; numbers and texts are the standard's. */
#ifndef CORE_ERROR_H
#define CORE_ERROR_H

#include <stdint.h>

#include "train.h"

enum error {
    ERROR_NONE = 0,
    ERROR_INVALID_CHARACTER = -101,
    ERROR_SYNTAX = -102,
    ERROR_INVALID_SEPARATOR = -103,
    ERROR_DATA_TYPE = -104,
    ERROR_PARAMETER_NOT_ALLOWED = -108,
    ERROR_MISSING_PARAMETER = -109,
    ERROR_UNDEFINED_HEADER = -113,
    ERROR_INVALID_NUMBER = -121,
    ERROR_TOO_MANY_DIGITS = -124,
    ERROR_INVALID_SUFFIX = -131,
    ERROR_SUFFIX_NOT_ALLOWED = -138,
    ERROR_INIT_IGNORED = -213,
    ERROR_SETTINGS_CONFLICT = -221,
    ERROR_OUT_OF_RANGE = -222,
    ERROR_ILLEGAL_VALUE = -224,
    ERROR_QUEUE_OVERFLOW = -350,
    ERROR_COMMUNICATION = -360,
    ERROR_INPUT_OVERRUN = -363,
};

/* Forget all errors. */
void error_clear(void);

/* Queue an error; the last place becomes ERROR_QUEUE_OVERFLOW when the queue is full. */
void error_push(enum error error);

/* Queue ERROR_SETTINGS_CONFLICT with what is in conflict. */
void error_push_conflict(enum conflict conflict);

/* Take the oldest error and send it as <number>,"<text>" without the newline. */
void error_report(void);

#endif
