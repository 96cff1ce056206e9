/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples to edges: the functions that rig/capture/native/__init__.py calls. */
#ifndef RIG_EDGES_H
#define RIG_EDGES_H

#include <stddef.h>
#include <stdint.h>

/* Changes with every function and structure below: a library built from another revision must be
 * refused, not called. */
#define EDGES_INTERFACE 1

/* Fastest first. */
enum edges_variant { EDGES_AVX2, EDGES_SSE2, EDGES_PORTABLE, EDGES_VARIANTS };

/* More channels than a sample of two bytes has; an output of this capacity always makes
 * progress. */
enum { EDGES_CAPACITY_MIN = 16 };

struct edges_input {
    const uint8_t *samples; /* of any alignment; samples of two bytes are little-endian */
    size_t count; /* samples, not bytes */
    int64_t start_sample; /* index of the first */
    uint16_t before; /* the sample before the first */
    uint16_t mask; /* bit n: look at channel n */
};

/* In order of (index, channel). */
struct edges_output {
    int64_t *index;
    uint8_t *channel;
    uint8_t *level;
    size_t capacity; /* edges */
    size_t count; /* edges in it */
};

int edges_interface(void);

/* 1 if this build has the variant and this processor can run it. */
int edges_can_run(int variant);

/* Appends the edges of `input` to `output` and returns the samples dealt with: all, or those before
 * the first one whose edges find no room; 0 for what cannot run. `unit` is the bytes of a sample, 1
 * or 2. Nothing at or beyond the capacity is written. */
size_t edges_extract(int variant, int unit, const struct edges_input *input,
                     struct edges_output *output);

#endif
