/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * All lines that fit a stretch of brackets, as rig/analysis/clocks/line_set.py finds them, to the
 * last bit: the same integers, and the same operations on doubles in the same order. What it cannot
 * decide like this it leaves to the Python code.
 */
#ifndef LINES_H
#define LINES_H

#include <stddef.h>
#include <stdint.h>

#define LINES_INTERFACE 2
#define LINES_ROW_CORNERS 64
#define LINES_ROW_DOUBLES (3 * LINES_ROW_CORNERS) /* slope, highest, lowest */

enum lines_status {
    LINES_FOUND = 0,
    LINES_NONE = 1,      /* no line fits */
    LINES_UNDECIDED = 2, /* too close to call in doubles, too large for the integers, no memory */
};

struct lines_stretch {
    const int64_t *sample; /* rising, at least two */
    const int64_t *before_ticks;
    const int64_t *after_ticks;
    size_t count;
    double allowance_ticks;
    double fastest; /* ticks per sample that no clock reaches */
};

struct lines_set {
    int64_t origin_sample;
    int64_t origin_ticks;
    double *slope; /* of each corner of the polygon; room for `capacity` */
    double *highest;
    double *lowest;
    size_t capacity;
    size_t corners;
};

struct lines_bounds {
    int64_t first_sample; /* of the stretch */
    int64_t last_sample;
    double allowance_ticks;
    double bend;
};

/* The lines of one stretch of many, beside LINES_ROW_DOUBLES of its corners. */
struct lines_row {
    int64_t origin_sample;
    int64_t origin_ticks;
    size_t corners;
    struct lines_bounds bounds;
    int64_t status;
};

/* One stretch of the events given: [first, stop), and the row for its lines. */
struct lines_part {
    size_t first;
    size_t stop;
    size_t row;
    double allowance_ticks;
};

/* Samples [first, stop) that the lines of one row are asked for. */
struct lines_group {
    size_t row;
    size_t first;
    size_t stop;
};

int lines_interface(void);
int lines_find(const struct lines_stretch *stretch, struct lines_set *set);
void lines_bounds_at(const struct lines_set *set, const struct lines_bounds *bounds,
                     const int64_t *sample, size_t count, double *lowest, double *highest);
/* Writes `status` and, if that is LINES_FOUND, all else of each part's row but its bend. */
void lines_find_rows(const struct lines_stretch *events, const struct lines_part *part,
                     size_t parts, struct lines_row *row, double *corner);
/* Relative to `origin` ticks. */
void lines_bounds_rows(const struct lines_row *row, double *corner,
                       const struct lines_group *group, size_t groups, int64_t origin,
                       const int64_t *sample, double *lowest, double *highest);

#endif
