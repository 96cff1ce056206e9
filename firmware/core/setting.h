/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A value of the SOURce: tree, as the tables of settings have them. */
#ifndef CORE_SETTING_H
#define CORE_SETTING_H

#include <stddef.h>
#include <stdint.h>

#include "train.h"

#define HEADER_SIZE 24

enum setting_kind { KIND_INTEGER, KIND_TIME, KIND_PATTERN, KIND_POLARITY };

/* In headers and names, what is not lower case is the short form: SCPI-99 volume 1, 6.2.1. */
struct setting {
    char header[HEADER_SIZE]; /* "": the end of a table */
    uint8_t kind;
    uint8_t offset; /* in struct train_settings */
    uint32_t least;
    uint32_t most;
};

#define OFFSET(member) offsetof(struct train_settings, member)

#endif
