/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "steps.h"

/* Half of the longest wait: what is left after a hop is never short. */
#define HOP_TICKS 0x4000U

void steps_begin(struct steps *steps, const struct train_settings *settings)
{
    train_begin(&steps->sequence, settings);
    steps->width_ticks = (uint16_t)settings->width_ticks;
    steps->wait_ticks = settings->delay_ticks - STEP_LEAD_TICKS;
    steps->rest_ticks = steps->wait_ticks;
    steps->edges = 1;
    steps->edges_after = settings->count - 1;
    steps->ended = false;
}

/* After the last edge of equal waits. */
static void next_wait(struct steps *steps)
{
    if (steps->edges_after == 0)
        return;
    uint32_t interval_ticks = train_next(&steps->sequence, steps->edges_after, &steps->edges);
    steps->edges_after -= steps->edges;
    steps->wait_ticks = interval_ticks - steps->width_ticks;
}

uint8_t steps_fill(struct steps *steps, uint16_t *ring, uint8_t place, uint8_t most)
{
    uint8_t made = 0;

    while (made < most && !steps->ended) {
        if (steps->edges == 0) {
            ring[(uint8_t)(place + made++) % STEP_RING] = STEP_END;
            steps->ended = true;
        } else if (steps->rest_ticks > STEP_TICKS_MASK) {
            ring[(uint8_t)(place + made++) % STEP_RING] = STEP_HOP | HOP_TICKS;
            steps->rest_ticks -= HOP_TICKS;
        } else {
            /* Equal waits are written in one go, so that the shortest ones cost the least. */
            uint16_t word = (uint16_t)steps->rest_ticks;
            uint8_t room = most - made;
            uint8_t end = steps->wait_ticks > STEP_TICKS_MASK || steps->edges < room
                              ? made + 1
                              : most;
            steps->edges -= (uint8_t)(end - made);
            while (made != end)
                ring[(uint8_t)(place + made++) % STEP_RING] = word;
            if (steps->edges == 0)
                next_wait(steps);
            steps->rest_ticks = steps->wait_ticks;
        }
    }
    return made;
}
