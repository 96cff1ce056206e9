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

uint8_t steps_fill(struct steps *steps, uint16_t *ring, uint8_t place, uint8_t most)
{
    uint32_t wait_ticks = steps->wait_ticks;
    uint32_t pulses_left = steps->pulses_left;
    uint8_t made = 0;

    while (made < most && !steps->ended) {
        uint16_t *word = &ring[(uint8_t)(place + made++) % STEP_RING];
        if (pulses_left == 0) {
            *word = STEP_END;
            steps->ended = true;
        } else if (wait_ticks > STEP_TICKS_MASK) {
            *word = STEP_HOP | HOP_TICKS;
            wait_ticks -= HOP_TICKS;
        } else {
            *word = (uint16_t)wait_ticks;
            if (--pulses_left != 0)
                wait_ticks = train_next(&steps->sequence) - steps->width_ticks;
        }
    }
    steps->wait_ticks = wait_ticks;
    steps->pulses_left = pulses_left;
    return made;
}
