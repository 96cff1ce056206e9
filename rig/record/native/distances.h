/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Distances between edges and their codes, as rig/record/distance_code.py makes them of each other,
 * to the last bit: in one pass over a chunk, with a place among the codes for each channel and level.
 */
#ifndef DISTANCES_H
#define DISTANCES_H

#include <stddef.h>
#include <stdint.h>

#define DISTANCES_INTERFACE 1
#define DISTANCES_VALUES 256 /* of channel in bits 0 to 6, level in bit 7 */

/* What an edge is told from. */
enum distances_base {
    DISTANCES_PULSE,  /* the last edge of the stimulus */
    DISTANCES_ANSWER, /* the last edge of the answers' channel */
    DISTANCES_LAST,   /* the edge before */
    DISTANCES_BASES
};

struct distances_line {
    uint8_t base[DISTANCES_VALUES];  /* of each channel and level, an enum distances_base */
    uint8_t value[DISTANCES_VALUES]; /* each once, in the order of their codes */
    uint8_t pulse;                   /* channel and level of the stimulus's edge */
    uint8_t answer;                  /* channel, whose edges are told from a pulse */
};

int distances_interface(void);

/* Codes of the distances, in order; 0 if one has no place in 32 bits. */
int distances_encode(const struct distances_line *line, const uint8_t *packed,
                     const uint32_t *delta, size_t count, uint32_t *code);

/* Distances of the codes; 0 if they are none of edges in order, or one has no place in 32 bits. */
int distances_decode(const struct distances_line *line, const uint8_t *packed,
                     const uint32_t *code, size_t count, uint32_t *delta);

#endif
