/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Edges of a driver's packets, gathered where the driver calls back and without Python. What is out
 * of the ordinary goes to Python's own callback, packet by packet. The functions that
 * rig/capture/native/gather.py calls. */
#ifndef RIG_GATHER_H
#define RIG_GATHER_H

#include <stddef.h>
#include <stdint.h>

/* Changes with every function and structure below: a library built from another revision must be
 * refused, not called. */
#define GATHER_INTERFACE 1

enum {
    GATHER_CAPACITY = 1 << 16, /* edges */
    GATHER_EDGES_MAX = 1 << 14 /* with more waiting to be taken, packets go to Python */
};

/* As libsigrok 0.5 lays them out. */
struct sr_datafeed_packet {
    uint16_t type;
    const void *payload;
};

struct sr_datafeed_logic {
    uint64_t length; /* bytes */
    uint16_t unitsize; /* bytes a sample */
    void *data;
};

typedef void gather_callback(const void *device, const struct sr_datafeed_packet *packet,
                             void *data);

/* What was gathered: the edges of samples [start_sample, end_sample), as in a PackedBlock. */
struct gathered {
    int64_t start_sample;
    int64_t end_sample;
    int64_t came_ns; /* when its first packet came, by CLOCK_MONOTONIC */
    size_t count; /* edges */
    uint16_t levels_before;
    uint16_t levels_after;
};

struct gather;

int gather_interface(void);

/* NULL if there is no memory or the variant (enum edges_variant) cannot run. */
struct gather *gather_new(int variant, uint16_t mask, gather_callback *python);
void gather_free(struct gather *gather);

/* From the next packet on gather: samples of `unit` bytes, number `sample` first, `levels` (under the
 * mask) being those before. Nothing may be waiting to be taken. */
void gather_begin(struct gather *gather, int unit, int64_t sample, uint16_t levels);

/* Copies what was gathered, forgets it, and returns 1; 0 if there is nothing. With `end` packets go
 * to Python from now on. Room: GATHER_CAPACITY edges. From any thread. */
int gather_take(struct gather *gather, int end, struct gathered *taken, uint32_t *offset,
                uint8_t *code);

/* The driver's callback; `data` is the struct gather. */
void gather_packet(const void *device, const struct sr_datafeed_packet *packet, void *data);

#endif
