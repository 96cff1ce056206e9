/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _POSIX_C_SOURCE 200809L

#include "gather.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "edges.h"

#define EXPORT __attribute__((visibility("default")))

enum { PACKET_LOGIC = 10004 }; /* of libsigrok.h */

/* Offsets of a block fit 32 bits. */
#define SAMPLES_MAX (INT64_C(1) << 32)

struct gather {
    pthread_mutex_t lock;
    gather_callback *python;
    int variant;
    int unit; /* 0: not gathering */
    uint16_t mask;
    struct gathered waiting;
    uint32_t offset[GATHER_CAPACITY];
    uint8_t code[GATHER_CAPACITY];
};

EXPORT int gather_interface(void)
{
    return GATHER_INTERFACE;
}

EXPORT struct gather *gather_new(int variant, uint16_t mask, gather_callback *python)
{
    struct gather *gather = edges_can_run(variant) ? calloc(1, sizeof *gather) : NULL;

    if (gather == NULL)
        return NULL;
    if (pthread_mutex_init(&gather->lock, NULL) != 0) {
        free(gather);
        return NULL;
    }
    gather->python = python;
    gather->variant = variant;
    gather->mask = mask;
    return gather;
}

EXPORT void gather_free(struct gather *gather)
{
    pthread_mutex_destroy(&gather->lock);
    free(gather);
}

static void empty(struct gathered *waiting)
{
    waiting->start_sample = waiting->end_sample;
    waiting->levels_before = waiting->levels_after;
    waiting->count = 0;
}

EXPORT void gather_begin(struct gather *gather, int unit, int64_t sample, uint16_t levels)
{
    pthread_mutex_lock(&gather->lock);
    gather->unit = unit;
    gather->waiting.end_sample = sample;
    gather->waiting.levels_after = levels;
    empty(&gather->waiting);
    pthread_mutex_unlock(&gather->lock);
}

EXPORT int gather_take(struct gather *gather, int end, struct gathered *taken, uint32_t *offset,
                       uint8_t *code)
{
    pthread_mutex_lock(&gather->lock);
    *taken = gather->waiting;
    memcpy(offset, gather->offset, taken->count * sizeof *offset);
    memcpy(code, gather->code, taken->count);
    empty(&gather->waiting);
    if (end)
        gather->unit = 0;
    pthread_mutex_unlock(&gather->lock);
    return taken->end_sample > taken->start_sample;
}

static unsigned sample_at(const uint8_t *at, int unit)
{
    return unit == 1 ? at[0] : (unsigned)(at[0] | at[1] << 8);
}

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* All of the packet's samples or, if their edges find no room, none (returns whether all). */
static int take_in(struct gather *gather, const struct sr_datafeed_logic *logic)
{
    struct gathered *waiting = &gather->waiting;
    const int unit = gather->unit;
    const size_t samples = (size_t)logic->length / (size_t)unit;
    const uint8_t *data = logic->data;
    struct edges_input input = {data, samples, waiting->levels_after, gather->mask};
    struct edges_output output = {gather->offset + waiting->count, gather->code + waiting->count,
                                  GATHER_CAPACITY - waiting->count, 0};
    const uint32_t shift = (uint32_t)(waiting->end_sample - waiting->start_sample);

    if (edges_extract(gather->variant, unit, &input, &output) != samples)
        return 0;
    for (size_t i = 0; i < output.count; i++)
        output.offset[i] += shift;
    if (waiting->end_sample == waiting->start_sample)
        waiting->came_ns = now_ns();
    waiting->count += output.count;
    waiting->end_sample += (int64_t)samples;
    waiting->levels_after =
        (uint16_t)(sample_at(data + (samples - 1) * (size_t)unit, unit) & gather->mask);
    return 1;
}

/* Whether the packet is one of whole samples of the kind expected, and there is room. */
static int is_plain(const struct gather *gather, const struct sr_datafeed_packet *packet)
{
    const struct sr_datafeed_logic *logic = packet->payload;

    if (gather->unit == 0 || packet->type != PACKET_LOGIC || logic->unitsize != gather->unit)
        return 0;
    if (logic->length == 0 || logic->length % (uint64_t)gather->unit != 0 ||
        logic->length > EDGES_SAMPLES_MAX)
        return 0;
    return gather->waiting.count <= GATHER_EDGES_MAX &&
           gather->waiting.end_sample - gather->waiting.start_sample <
               SAMPLES_MAX - EDGES_SAMPLES_MAX;
}

EXPORT void gather_packet(const void *device, const struct sr_datafeed_packet *packet, void *data)
{
    struct gather *gather = data;
    int done;

    pthread_mutex_lock(&gather->lock);
    done = is_plain(gather, packet) && take_in(gather, packet->payload);
    pthread_mutex_unlock(&gather->lock);
    if (!done)
        gather->python(device, packet, NULL);
}
