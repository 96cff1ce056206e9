/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The firmware's command interpreter on a chip of plain memory: the input is what the host sends.
 * Bytes that no line may have stand for what else can happen to a chip. */
#include "scpi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "limits.h"
#include "port.h"
#include "steps.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LATER = 0xf0, MUCH_LATER, CAPTURED, FAULT, DONE, STEPS_LOOKED_AT = 2 * STEP_RING };
enum { REPLY_MAX = 1024 };

static struct engine_status status;
static uint32_t captures[CAPTURE_RING];
static uint8_t captures_size;
static char reply[REPLY_MAX];
static size_t reply_size; /* since the last byte from the host */

static void require(int condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "%s\n", what);
    abort();
}

void port_put(uint8_t byte)
{
    require(reply_size < REPLY_MAX - 1, "a reply that does not end");
    reply[reply_size++] = (char)byte;
    reply[reply_size] = '\0';
}

void port_serial(char *text, uint8_t size)
{
    require(size >= 3, "no room for a serial number");
    memcpy(text, "42", 3);
}

void port_rest(enum polarity polarity)
{
    require(polarity == POLARITY_POSITIVE || polarity == POLARITY_NEGATIVE, "no polarity");
    require(status.state != ENGINE_RUNNING, "the pin is moved while a train runs");
}

/* The engine asks for words as they are needed: none may be too short, and the train must not have
 * more leading edges than were asked for. */
void port_start(const struct train_settings *settings)
{
    static uint16_t ring[STEP_RING];
    struct steps steps;
    uint32_t leading = 0;

    require(status.state != ENGINE_RUNNING, "a train is started twice");
    require(train_check(settings) == CONFLICT_NONE, "a train is started that cannot be");
    steps_begin(&steps, settings);
    for (unsigned looked = 0; looked < STEPS_LOOKED_AT && !steps.ended; looked += STEP_RING) {
        uint8_t count = steps_fill(&steps, ring, 0, STEP_RING);

        require(count == STEP_RING || steps.ended, "the train stops without an end");
        for (uint8_t i = 0; i < count; i++)
            leading += (ring[i] & STEP_HOP) == 0;
    }
    require(leading <= settings->count, "more edges than were asked for");
    status = (struct engine_status){.state = ENGINE_RUNNING};
    captures_size = 0;
}

void port_abort(void)
{
    if (status.state == ENGINE_RUNNING)
        status.state = ENGINE_ABORTED;
}

void port_forget(void)
{
    require(status.state != ENGINE_RUNNING, "a running train is forgotten");
    status = (struct engine_status){.state = ENGINE_IDLE};
    captures_size = 0;
}

enum engine_state port_state(void)
{
    return status.state;
}

void port_status(struct engine_status *out)
{
    *out = status;
}

uint32_t port_now_ticks(void)
{
    return (uint32_t)status.now_ticks;
}

uint8_t port_captures(void)
{
    return captures_size;
}

uint32_t port_take_capture(void)
{
    uint32_t oldest = captures[0];

    require(captures_size > 0, "an edge is taken that is not there");
    captures_size--;
    memmove(captures, captures + 1, captures_size * sizeof oldest);
    status.fetched++;
    return oldest;
}

void port_return_captures(uint8_t count)
{
    require(count <= CAPTURE_RING, "more edges are put back than a block has");
    if (count > status.fetched)
        count = (uint8_t)status.fetched;
    if (count > CAPTURE_RING - captures_size)
        count = (uint8_t)(CAPTURE_RING - captures_size);
    memmove(captures + count, captures, captures_size * sizeof captures[0]);
    captures_size = (uint8_t)(captures_size + count);
    status.fetched -= count;
}

static void capture(void)
{
    if (captures_size == CAPTURE_RING) {
        status.overruns++;
        return;
    }
    captures[captures_size++] = port_now_ticks();
    status.captured++;
}

static void happen(uint8_t what)
{
    switch (what) {
    case LATER:
        status.now_ticks += TICKS_PER_MS;
        break;
    case MUCH_LATER:
        status.now_ticks += UINT64_C(1) << 31;
        break;
    case CAPTURED:
        capture();
        break;
    case FAULT:
        scpi_input_fault(ERROR_COMMUNICATION);
        break;
    case DONE:
        if (status.state == ENGINE_RUNNING)
            status.state = ENGINE_DONE;
        break;
    default:
        scpi_input(what);
    }
}

static void say(const char *line)
{
    reply_size = 0;
    while (*line != '\0')
        scpi_input((uint8_t)*line++);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    status = (struct engine_status){.state = ENGINE_IDLE};
    captures_size = 0;
    reply_size = 0;
    scpi_reset();
    for (size_t i = 0; i < size; i++) {
        reply_size = 0;
        happen(data[i]);
        scpi_poll();
        require(reply_size == 0 || reply[reply_size - 1] == '\n', "half a reply");
    }
    /* Whatever came, the next line is understood. */
    say("\n*CLS\nSYST:ERR?\n");
    require(strcmp(reply + (reply_size < 13 ? 0 : reply_size - 13), "0,\"No error\"\n") == 0,
            "an error after *CLS");
    say("*RST\nSTAT?\n");
    require(strncmp(reply, "IDLE,", 5) == 0, "not idle after *RST");
    return 0;
}
