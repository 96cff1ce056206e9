/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the core asks of a chip. avr/ implements it; tests/ has a chip of plain memory. */
#ifndef CORE_PORT_H
#define CORE_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include "train.h"

enum engine_state { ENGINE_IDLE, ENGINE_RUNNING, ENGINE_DONE, ENGINE_ABORTED };

struct engine_status {
    enum engine_state state;
    uint32_t sent; /* leading edges that left the pin */
    uint32_t late; /* edges, leading or trailing, that left after their planned tick */
    uint32_t late_max_ticks;
    uint32_t captured; /* response edges stored since INIT */
    uint32_t fetched; /* of these, taken out of the buffer */
    uint32_t overruns; /* response edges known to be lost since INIT */
    uint64_t now_ticks; /* since INIT */
};

/* Send one byte; waits for room, and keeps the train going meanwhile. */
void port_put(uint8_t byte);

/* Copy the serial number as a text; at most size - 1 characters. */
void port_serial(char *text, uint8_t size);

/* Put the pin at the rest level of this polarity. Only while no train runs. */
void port_rest(enum polarity polarity);

/* Begin the train at tick 0 = now. The settings must stay as they are while it runs. */
void port_start(const struct train_settings *settings);

/* Stop a running train: the pin rests at once. Otherwise nothing. */
void port_abort(void);

/* Back to ENGINE_IDLE; only while no train runs. */
void port_forget(void);

enum engine_state port_state(void);

void port_status(struct engine_status *status);

/* Low 32 bits of the time since INIT. */
uint32_t port_now_ticks(void);

/* Captured edges in the buffer, and the oldest of them: low 32 bits of its tick. */
uint8_t port_captures(void);
uint32_t port_take_capture(void);

/* Put the last edges that were taken back, so many of them as are not overwritten. */
void port_return_captures(uint8_t count);

#endif
