/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "work.h"

#define TRIES 20
#define CHUNK_US 50 /* long beside a reading of the counter, short beside what may interrupt it */
#define CHUNK_MAX (1u << 30)

static uint64_t least_ticks(const struct port *port, uint64_t iterations)
{
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        uint64_t start = port->now_ticks();
        port->inside->work(iterations);
        uint64_t ticks = port->now_ticks() - start;
        if (ticks < least)
            least = ticks;
    }
    return least;
}

uint64_t work_calibrate(const struct port *port)
{
    uint64_t chunk = 1024, enough = port->counter.tick_hz / 1000000 * CHUNK_US, ticks;
    while ((ticks = least_ticks(port, chunk)) < enough && chunk < CHUNK_MAX)
        chunk *= 2;
    double per_ms = (double)chunk * (double)port->counter.tick_hz / 1000 / (double)(ticks + !ticks);
    return (uint64_t)(per_ms + 0.5);
}
