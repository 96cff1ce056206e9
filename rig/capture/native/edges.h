/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples to edges: the functions that rig/capture/native/__init__.py calls. */
#ifndef RIG_EDGES_H
#define RIG_EDGES_H

#include <stddef.h>
#include <stdint.h>

/* Changes with every function and structure below: a library built from another revision must be
 * refused, not called. */
#define EDGES_INTERFACE 3

/* Fastest first. */
enum edges_variant { EDGES_AVX512, EDGES_AVX2, EDGES_SSE2, EDGES_PORTABLE, EDGES_VARIANTS };

/* More channels than a sample of two bytes has; an output of this capacity always makes
 * progress. */
enum { EDGES_CAPACITY_MIN = 16 };

/* Offsets of a call fit 32 bits. */
enum { EDGES_SAMPLES_MAX = 1 << 30 };

struct edges_input {
    const uint8_t *samples; /* of any alignment; samples of two bytes are little-endian */
    size_t count; /* samples, not bytes; at most EDGES_SAMPLES_MAX are looked at */
    uint16_t before; /* the sample before the first */
    uint16_t mask; /* bit n: look at channel n */
};

/* In order of (offset, channel). Five bytes an edge: the less is written, the faster it goes. */
struct edges_output {
    uint32_t *offset; /* from the input's first sample */
    uint8_t *code; /* channel | level << 7 */
    size_t capacity; /* edges */
    size_t count; /* edges in it */
};

int edges_interface(void);

/* 1 if this build has the variant and this processor can run it. */
int edges_can_run(int variant);

/* Appends the edges of `input` to `output` and returns the samples dealt with: all, or fewer when
 * the room runs short, but at least one; 0 for what cannot run. `unit` is the bytes of a sample, 1
 * or 2. Nothing at or beyond the capacity is written. */
size_t edges_extract(int variant, int unit, const struct edges_input *input,
                     struct edges_output *output);

#endif
