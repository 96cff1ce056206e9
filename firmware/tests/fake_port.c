/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fake_port.h"

#include <assert.h>
#include <string.h>

struct fake_port fake_port;

void fake_port_clear(void)
{
    memset(&fake_port, 0, sizeof fake_port);
}

void fake_port_capture(uint32_t ticks)
{
    assert(fake_port.captures_size < CAPTURE_RING);
    fake_port.captures[fake_port.captures_size++] = ticks;
    fake_port.status.captured++;
}

void port_put(uint8_t byte)
{
    assert(fake_port.output_size < FAKE_OUTPUT_SIZE - 1);
    fake_port.output[fake_port.output_size++] = (char)byte;
}

void port_serial(char *text, uint8_t size)
{
    assert(size > 2);
    memcpy(text, "42", 3);
}

void port_rest(enum polarity polarity)
{
    assert(fake_port.status.state != ENGINE_RUNNING);
    fake_port.rest = polarity;
}

void port_start(const struct train_settings *settings)
{
    fake_port.starts++;
    fake_port.started = *settings;
    fake_port.status.state = ENGINE_RUNNING;
}

void port_abort(void)
{
    if (fake_port.status.state == ENGINE_RUNNING)
        fake_port.status.state = ENGINE_ABORTED;
}

void port_forget(void)
{
    fake_port.status = (struct engine_status){.state = ENGINE_IDLE};
    fake_port.captures_size = 0;
}

enum engine_state port_state(void)
{
    return fake_port.status.state;
}

void port_status(struct engine_status *status)
{
    *status = fake_port.status;
}

uint32_t port_now_ticks(void)
{
    return (uint32_t)fake_port.status.now_ticks;
}

uint8_t port_captures(void)
{
    return fake_port.captures_size;
}

uint32_t port_take_capture(void)
{
    assert(fake_port.captures_size > 0);
    uint32_t oldest = fake_port.captures[0];
    assert(fake_port.taken_size < CAPTURE_RING);
    fake_port.taken[fake_port.taken_size++] = oldest;
    fake_port.captures_size--;
    memmove(fake_port.captures, fake_port.captures + 1, sizeof fake_port.captures - sizeof oldest);
    fake_port.status.fetched++;
    return oldest;
}

void port_return_captures(uint8_t count)
{
    while (count-- > 0 && fake_port.taken_size > 0 && fake_port.captures_size < CAPTURE_RING) {
        memmove(fake_port.captures + 1, fake_port.captures, fake_port.captures_size * 4);
        fake_port.captures[0] = fake_port.taken[--fake_port.taken_size];
        fake_port.captures_size++;
        fake_port.status.fetched--;
    }
}
