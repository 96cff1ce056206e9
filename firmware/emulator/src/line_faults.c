/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "line_faults.h"

/* SplitMix64: any state is a good one. */
static uint64_t line_faults_random(struct line_faults *faults)
{
    uint64_t mixed = faults->random += 0x9E3779B97F4A7C15u;

    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EBu;
    return mixed ^ mixed >> 31;
}

size_t line_faults_pass(struct line_faults *faults, uint8_t *bytes, size_t count)
{
    size_t passed = 0;

    if (faults->lose == 0 && faults->damage == 0)
        return count;
    for (size_t i = 0; i < count; i++) {
        uint64_t random = line_faults_random(faults);
        uint32_t draw = (uint32_t)(random >> 32) % LINE_FAULTS_PARTS;

        if (draw < faults->lose)
            continue;
        bytes[passed++] = (uint8_t)(
            bytes[i] ^ (draw - faults->lose < faults->damage ? 1u << (random & 7) : 0));
    }
    return passed;
}
