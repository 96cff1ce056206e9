/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Edges to live figures, in one pass and constant memory: glitch filter, observation, pairing and
 * histogram. The functions that rig/capture/native/flow.py calls; what they compute is told in
 * rig/streaming/reference.py, which does the same in Python. */
#ifndef RIG_FLOW_H
#define RIG_FLOW_H

#include <stddef.h>
#include <stdint.h>

/* Changes with every function and structure below: a library built from another revision must be
 * refused, not called. */
#define FLOW_INTERFACE 2

/* Largest sample index and largest time of the settings: differences of two fit 64 bits. */
#define FLOW_SAMPLE_MAX (INT64_C(1) << 61)

enum {
    FLOW_CHANNELS = 128, /* that the code of an edge can name */
    FLOW_LEVELS = 64, /* channels whose level before a block is known */
    FLOW_PINS_MAX = 16,
    FLOW_CAPACITY_MAX = 1 << 24,
    FLOW_BINS = 7296, /* reach to 2^63 - 1 */
    FLOW_NOTABLE_MAX = 256,
    FLOW_SCORE = 6 /* as in rig.analysis.deficits */
};

/* Numbers and order as in rig.analysis.pairing. */
enum flow_class {
    FLOW_ANSWERED,
    FLOW_LATE,
    FLOW_MISSED,
    FLOW_MERGED,
    FLOW_AMBIGUOUS, /* more than one of these, or more than one answer, fits what was seen */
    FLOW_CLASSES
};
enum flow_extra { FLOW_DUPLICATE, FLOW_SPURIOUS, FLOW_EXTRAS };

/* Why an event is worth a line; several may hold. */
enum flow_reason {
    FLOW_IS_MAXIMUM = 1,
    FLOW_OVER_LIMIT = 2,
    FLOW_IS_MISSED = 4,
    FLOW_IS_LATE = 8,
    FLOW_IS_MERGED = 16,
    FLOW_IS_AMBIGUOUS = 32
};

struct flow_settings {
    int64_t glitch_samples; /* pulses shorter than this are removed; 0: none are */
    int64_t settle_samples; /* from an answer until its sequence pins are read; 0 without pins */
    int64_t horizon_samples; /* a stimulus is decided no later than this after its edge */
    int64_t limit_samples; /* latencies above it are notable; -1: none */
    uint32_t capacity; /* stimuli kept at once, and answers; a power of two */
    uint8_t stimulus; /* channel */
    uint8_t active_level;
    uint8_t response; /* channel */
    int8_t answer_level; /* -1: every edge is an answer */
    uint8_t pins; /* sequence pins; 0: answers are counted by their order */
    uint8_t pin[FLOW_PINS_MAX]; /* channels, lowest bit first */
};

/* A latency and whose it was. */
struct flow_extreme {
    int64_t latency_samples; /* -1: there is none */
    int64_t event; /* number of the stimulus, from 0 */
    int64_t stimulus_sample;
};

/* What is known so far. */
struct flow_results {
    int64_t stimuli; /* seen */
    int64_t answers; /* seen */
    int64_t last_stimulus_sample; /* 0 without any */
    int64_t decided; /* stimuli */
    int64_t classes[FLOW_CLASSES];
    int64_t extras[FLOW_EXTRAS];
    int64_t served; /* latencies counted */
    uint64_t sum_low, sum_high; /* of the latencies in samples */
    int64_t over_limit;
    int64_t expired; /* decisions that the horizon made */
    int64_t forced; /* decisions made because a ring was full */
    int64_t contradicted; /* answers that do not fit what had been decided before them */
    int64_t notable_lost; /* found no room */
    struct flow_extreme maximum, minimum;
    int64_t removed[FLOW_CHANNELS]; /* pulses, by channel */
};

struct flow_notable {
    int64_t event; /* number of the stimulus, from 0 */
    int64_t stimulus_sample;
    int64_t response_sample; /* -1: none */
    uint8_t kind; /* enum flow_class */
    uint8_t reasons; /* of enum flow_reason */
};

struct flow;

int flow_interface(void);

/* NULL for settings that cannot be, or without memory. */
struct flow *flow_new(const struct flow_settings *settings);
void flow_free(struct flow *flow);

/* Edges of samples [start, end), in order of (offset, channel) and no two alike; `offset` is from
 * `start`, `code` is channel | level << 7. Bit n of `levels_before` is the level of channel n before
 * `start`. Returns 0, or -1 and takes nothing if blocks do not follow each other, or edges not. */
int flow_feed(struct flow *flow, int64_t start, int64_t end, const uint32_t *offset,
              const uint8_t *code, size_t count, uint64_t levels_before);

/* No more edges: decides all that is left. Nothing may be fed after it. */
void flow_finish(struct flow *flow);

const struct flow_results *flow_results(const struct flow *flow);

/* FLOW_BINS counts. */
const uint64_t *flow_histogram(const struct flow *flow);

/* Moves the oldest notable events, at most `capacity`; returns how many. */
size_t flow_take_notable(struct flow *flow, struct flow_notable *into, size_t capacity);

#endif
