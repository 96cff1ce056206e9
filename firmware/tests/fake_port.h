/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A chip of plain memory: what the core sends is kept, what it reads is set by the test. */
#ifndef TESTS_FAKE_PORT_H
#define TESTS_FAKE_PORT_H

#include <stddef.h>
#include <stdint.h>

#include "../core/limits.h"
#include "../core/port.h"

#define FAKE_OUTPUT_SIZE 4096

struct fake_port {
    char output[FAKE_OUTPUT_SIZE]; /* ended by a zero byte, which is not counted */
    size_t output_size;
    struct engine_status status;
    enum polarity rest;
    unsigned starts;
    struct train_settings started; /* settings of the last start */
    uint32_t captures[CAPTURE_RING];
    uint8_t captures_size;
    uint32_t taken[CAPTURE_RING]; /* the last ones that were taken, oldest first */
    uint8_t taken_size;
};

extern struct fake_port fake_port;

void fake_port_clear(void);
void fake_port_capture(uint32_t ticks);

#endif
