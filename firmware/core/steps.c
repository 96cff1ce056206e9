/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "steps.h"

/* Half of the longest wait: what is left after a hop is never short. */
#define HOP_TICKS 0x4000U

void steps_begin(struct steps *steps, const struct train_settings *settings)
{
    train_begin(&steps->sequence, settings);
    steps->width_ticks = (uint16_t)settings->width_ticks;
    steps->wait_ticks = settings->delay_ticks - STEP_LEAD_TICKS;
    steps->pulses_left = settings->count;
    steps->ended = false;
}

uint16_t steps_next(struct steps *steps)
{
    if (steps->pulses_left == 0) {
        steps->ended = true;
        return STEP_END;
    }
    if (steps->wait_ticks > STEP_TICKS_MASK) {
        steps->wait_ticks -= HOP_TICKS;
        return STEP_HOP | HOP_TICKS;
    }
    uint16_t word = (uint16_t)steps->wait_ticks;
    steps->pulses_left--;
    if (steps->pulses_left != 0)
        steps->wait_ticks = train_next(&steps->sequence) - steps->width_ticks;
    return word;
}
