/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A serial line that loses and damages bytes on purpose. */
#ifndef RIG_EMULATOR_LINE_FAULTS_H
#define RIG_EMULATOR_LINE_FAULTS_H

#include <stddef.h>
#include <stdint.h>

enum { LINE_FAULTS_PARTS = 1000000000 }; /* probabilities are parts of this */

struct line_faults {
    uint64_t random; /* the generator's state */
    uint32_t lose; /* probability that a byte is lost */
    uint32_t damage; /* that one bit of it is false */
};

/* Passes bytes on, in place. Returns how many are left. */
size_t line_faults_pass(struct line_faults *faults, uint8_t *bytes, size_t count);

#endif
