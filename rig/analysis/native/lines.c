/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lines.h"

#include <float.h>
#include <stdbool.h>
#include <stdlib.h>

#define EXPORT __attribute__((visibility("default")))
#define X_RANGE ((int64_t)1 << 31)
#define Y_RANGE ((int64_t)1 << 44) /* products of three stay below 2^127 */
#define SMALL_X ((int64_t)1 << 28)
#define SMALL_Y ((int64_t)1 << 33) /* and the two more of a bracket's ends: below 2^62 */
#define BATCH 256                  /* samples that stay in the processor's first cache */
#define NEAR 1e-12                 /* relative, far above the rounding of a few operations */
#define NEAR_TICKS 1e-6

__extension__ typedef __int128 wide;

struct chain {
    int64_t *x;
    int64_t *y;
    size_t count;
};

struct fraction {
    wide over;
    int64_t under; /* above 0 */
};

EXPORT int lines_interface(void)
{
    return LINES_INTERFACE;
}

/* Andrew's monotone chain; `sign` -1 gives the lower hull. `small`: products fit 62 bits. */
static inline void add(struct chain *hull, int64_t x, int64_t y, int sign, bool small)
{
    while (hull->count > 1) {
        int64_t dx = hull->x[hull->count - 1] - hull->x[hull->count - 2];
        int64_t dy = hull->y[hull->count - 1] - hull->y[hull->count - 2];
        int64_t ex = x - hull->x[hull->count - 1], ey = y - hull->y[hull->count - 1];
        if (small ? sign * (dx * ey - dy * ex) < 0 : sign * ((wide)dx * ey - (wide)dy * ex) < 0)
            break;
        hull->count--;
    }
    hull->x[hull->count] = x;
    hull->y[hull->count++] = y;
}

static inline void add_all(struct chain *below, struct chain *above, const struct lines_stretch *s,
                           bool small)
{
    for (size_t i = 0; i < s->count; i++) {
        add(below, s->sample[i], s->before_ticks[i], 1, small);
        add(above, s->sample[i] - 1, s->after_ticks[i] + 1, -1, small);
    }
}

static bool in_range(const struct lines_stretch *s, bool *small)
{
    int64_t low = s->before_ticks[0], high = low;
    for (size_t i = 0; i < s->count; i++) {
        int64_t before = s->before_ticks[i], after = s->after_ticks[i];
        low = before < low ? before : low;
        low = after < low ? after : low;
        high = before > high ? before : high;
        high = after > high ? after : high;
    }
    int64_t width = s->sample[s->count - 1] - s->sample[0];
    *small = width < SMALL_X && high - low < SMALL_Y;
    return width < X_RANGE && high - low < Y_RANGE;
}

/* The segment that x lies in: number of its right end; that of a corner is its own. */
static size_t at_or_after(const struct chain *c, int64_t x)
{
    size_t low = 0, high = c->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (c->x[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct fraction value_at(const struct chain *c, int64_t x, int64_t base)
{
    size_t i = at_or_after(c, x);
    if (c->x[i] == x)
        return (struct fraction){c->y[i] - base, 1};
    int64_t dx = c->x[i] - c->x[i - 1], dy = c->y[i] - c->y[i - 1];
    return (struct fraction){(wide)(c->y[i - 1] - base) * dx + (wide)dy * (x - c->x[i - 1]), dx};
}

/* At a corner of either chain, so that one of the two values is whole. */
static struct fraction gap_at(const struct chain *lower, const struct chain *upper, int64_t x)
{
    struct fraction low = value_at(lower, x, lower->y[0]), high = value_at(upper, x, lower->y[0]);
    return (struct fraction){high.over * low.under - low.over * high.under, low.under * high.under};
}

static bool is_less(struct fraction a, struct fraction b)
{
    return a.over * b.under < b.over * a.under;
}

/* Corners of both chains where both are known, ascending, each once. */
static size_t candidates(const struct chain *lower, const struct chain *upper, int64_t *at)
{
    size_t l = 0, u = 0, count = 0;
    int64_t first = lower->x[0] > upper->x[0] ? lower->x[0] : upper->x[0];
    int64_t lower_last = lower->x[lower->count - 1], upper_last = upper->x[upper->count - 1];
    int64_t last = lower_last < upper_last ? lower_last : upper_last;
    while (l < lower->count || u < upper->count) {
        bool take_lower =
            u == upper->count || (l < lower->count && lower->x[l] <= upper->x[u]);
        int64_t x = take_lower ? lower->x[l++] : upper->x[u++];
        if (x >= first && x <= last && (count == 0 || at[count - 1] != x))
            at[count++] = x;
    }
    return count;
}

/* As numpy.interp reads the corners less a line. */
static double leveled(const struct chain *c, int64_t x, int64_t x0, int64_t y0, double slope)
{
    size_t right = at_or_after(c, x + 1), j = right - 1;
    double xj = (double)(c->x[j] - x0), yj = (double)(c->y[j] - y0) - slope * xj;
    if (right == c->count || c->x[j] == x)
        return yj;
    double xk = (double)(c->x[right] - x0), yk = (double)(c->y[right] - y0) - slope * xk;
    double rise = (yk - yj) / (xk - xj);
    return rise * ((double)(x - x0) - xj) + yj;
}

static size_t guessed(const struct chain *lower, const struct chain *upper, const int64_t *at,
                      size_t count)
{
    int64_t x0 = lower->x[0], y0 = lower->y[0];
    int64_t run = lower->x[lower->count - 1] - x0;
    double slope = (double)(lower->y[lower->count - 1] - y0) / (double)(run > 1 ? run : 1);
    size_t best = 0;
    double least = DBL_MAX;
    for (size_t i = 0; i < count; i++) {
        double gap =
            leveled(upper, at[i], x0, y0, slope) - leveled(lower, at[i], x0, y0, slope);
        if (i == 0 || gap < least) {
            least = gap;
            best = i;
        }
    }
    return best;
}

static int64_t narrowest(const struct chain *lower, const struct chain *upper, int64_t *at)
{
    size_t count = candidates(lower, upper, at), k = guessed(lower, upper, at, count);
    struct fraction gap = gap_at(lower, upper, at[k]);
    for (int step = 1; step >= -1; step -= 2) {
        while (step > 0 ? k + 1 < count : k > 0) {
            struct fraction beside = gap_at(lower, upper, at[step > 0 ? k + 1 : k - 1]);
            if (!is_less(beside, gap))
                break;
            k = step > 0 ? k + 1 : k - 1;
            gap = beside;
        }
    }
    return at[k];
}

/* The nearest whole number; of two the even one. */
static int64_t rounded(wide over, wide under, int64_t base)
{
    wide whole = over / under, rest = over % under;
    if (rest < 0) {
        rest += under;
        whole -= 1;
    }
    int64_t found = base + (int64_t)whole;
    if (2 * rest > under || (2 * rest == under && (found & 1)))
        found++;
    return found;
}

static double slope_of(const struct chain *c, size_t i)
{
    return (double)(c->y[i] - c->y[i - 1]) / (double)(c->x[i] - c->x[i - 1]);
}

/* Near the slope of the line with the most slack. */
static double inner_slope(const struct chain *lower, const struct chain *upper, int64_t x)
{
    double low = -DBL_MAX, high = DBL_MAX;
    size_t l = at_or_after(lower, x), r = at_or_after(lower, x + 1);
    if (r < lower->count)
        low = slope_of(lower, r);
    if (l > 0)
        high = slope_of(lower, l);
    l = at_or_after(upper, x), r = at_or_after(upper, x + 1);
    if (l > 0 && slope_of(upper, l) > low)
        low = slope_of(upper, l);
    if (r < upper->count && slope_of(upper, r) < high)
        high = slope_of(upper, r);
    if (low == -DBL_MAX)
        return high;
    return high == DBL_MAX ? low : (low + high) / 2;
}

struct relative {
    const struct chain *chain;
    int64_t x0, y0;
    double widened;
};

static double x_of(const struct relative *r, size_t i)
{
    return (double)(r->chain->x[i] - r->x0);
}

static double y_of(const struct relative *r, size_t i)
{
    return (double)(r->chain->y[i] - r->y0) + r->widened;
}

static void extremes(const struct relative *lower, const struct relative *upper, double *lowest,
                     double *highest)
{
    for (size_t u = 0; u < upper->chain->count; u++) {
        for (size_t l = 0; l < lower->chain->count; l++) {
            double dx = x_of(upper, u) - x_of(lower, l);
            if (dx == 0)
                continue;
            double slope = (y_of(upper, u) - y_of(lower, l)) / dx;
            if (dx > 0 && slope < *highest)
                *highest = slope;
            if (dx < 0 && slope > *lowest)
                *lowest = slope;
        }
    }
}

static bool add_slopes(const struct relative *r, double lowest, double highest,
                       struct lines_set *set)
{
    for (size_t i = 1; i < r->chain->count; i++) {
        double slope = (y_of(r, i) - y_of(r, i - 1)) / (x_of(r, i) - x_of(r, i - 1));
        if (slope > lowest && slope < highest) {
            if (set->corners + 1 >= set->capacity)
                return false;
            set->slope[set->corners++] = slope;
        }
    }
    return true;
}

static void add_offsets(const struct relative *lower, const struct relative *upper,
                        struct lines_set *set)
{
    for (size_t k = 0; k < set->corners; k++) {
        double slope = set->slope[k], high = DBL_MAX, low = -DBL_MAX;
        for (size_t i = 0; i < upper->chain->count; i++) {
            double y = y_of(upper, i) - slope * x_of(upper, i);
            high = y < high ? y : high;
        }
        for (size_t i = 0; i < lower->chain->count; i++) {
            double y = y_of(lower, i) - slope * x_of(lower, i);
            low = y > low ? y : low;
        }
        set->highest[k] = high;
        set->lowest[k] = low;
    }
}

static int find(const struct chain *below, const struct chain *above, int64_t *at,
                const struct lines_stretch *stretch, struct lines_set *set)
{
    int64_t x = narrowest(below, above, at), base = below->y[0];
    struct fraction gap = gap_at(below, above, x), low = value_at(below, x, base),
                    high = value_at(above, x, base);
    double slack = (double)gap.over / (2 * (double)gap.under) + stretch->allowance_ticks;
    if (slack < NEAR_TICKS)
        return slack > -NEAR_TICKS ? LINES_UNDECIDED : LINES_NONE;
    set->origin_sample = x;
    set->origin_ticks = rounded(low.over * high.under + high.over * low.under,
                                (wide)2 * low.under * high.under, base);
    struct relative lower = {below, x, set->origin_ticks, -stretch->allowance_ticks};
    struct relative upper = {above, x, set->origin_ticks, stretch->allowance_ticks};
    double lowest = 0, highest = stretch->fastest, inside = inner_slope(below, above, x);
    extremes(&lower, &upper, &lowest, &highest);
    double reserve = NEAR * (inside < 0 ? -inside : inside);
    if (highest <= inside + reserve || lowest >= inside - reserve || set->capacity < 2)
        return LINES_UNDECIDED;
    set->corners = 0;
    set->slope[set->corners++] = lowest;
    if (!add_slopes(&lower, lowest, highest, set) || !add_slopes(&upper, lowest, highest, set))
        return LINES_UNDECIDED;
    set->slope[set->corners++] = highest;
    add_offsets(&lower, &upper, set);
    return LINES_FOUND;
}

EXPORT int lines_find(const struct lines_stretch *stretch, struct lines_set *set)
{
    size_t n = stretch->count;
    bool small;
    if (n < 2 || n > SIZE_MAX / (6 * sizeof(int64_t)) || !in_range(stretch, &small))
        return LINES_UNDECIDED;
    int64_t *room = malloc(6 * n * sizeof *room);
    if (room == NULL)
        return LINES_UNDECIDED;
    struct chain below = {room, room + n, 0}, above = {room + 2 * n, room + 3 * n, 0};
    if (small)
        add_all(&below, &above, stretch, true);
    else
        add_all(&below, &above, stretch, false);
    int status = find(&below, &above, room + 4 * n, stretch, set);
    free(room);
    return status;
}

static struct lines_set set_of(const struct lines_row *row, double *corner)
{
    return (struct lines_set){row->origin_sample, row->origin_ticks,
                              corner, corner + LINES_ROW_CORNERS, corner + 2 * LINES_ROW_CORNERS,
                              LINES_ROW_CORNERS, row->corners};
}

EXPORT void lines_find_rows(const struct lines_stretch *events, const struct lines_part *part,
                            size_t parts, struct lines_row *row, double *corner)
{
    for (size_t i = 0; i < parts; i++) {
        const struct lines_part *p = part + i;
        size_t first = p->first;
        struct lines_row *r = row + p->row;
        struct lines_stretch stretch = {events->sample + first,
                                        events->before_ticks + first,
                                        events->after_ticks + first,
                                        p->stop - first,
                                        p->allowance_ticks,
                                        events->fastest};
        struct lines_set set = set_of(r, corner + p->row * LINES_ROW_DOUBLES);
        r->status = lines_find(&stretch, &set);
        r->origin_sample = set.origin_sample;
        r->origin_ticks = set.origin_ticks;
        r->corners = r->status == LINES_FOUND ? set.corners : 0;
        r->bounds.first_sample = stretch.sample[0];
        r->bounds.last_sample = stretch.sample[stretch.count - 1];
        r->bounds.allowance_ticks = p->allowance_ticks;
    }
}

/* Of a few samples. Corner by corner, so that the processor can take several samples at once. */
static void extremes_at(const struct lines_set *set, const int64_t *sample, size_t count,
                        double *lowest, double *highest)
{
    double at[BATCH], low[BATCH], high[BATCH];
    for (size_t i = 0; i < count; i++) {
        at[i] = (double)(sample[i] - set->origin_sample);
        low[i] = DBL_MAX;
        high[i] = -DBL_MAX;
    }
    for (size_t k = 0; k < set->corners; k++) {
        double slope = set->slope[k], lower = set->lowest[k], upper = set->highest[k];
        for (size_t i = 0; i < count; i++) {
            double rise = at[i] * slope;
            double down = rise + lower, up = rise + upper;
            low[i] = down < low[i] ? down : low[i];
            high[i] = up > high[i] ? up : high[i];
        }
    }
    for (size_t i = 0; i < count; i++) {
        lowest[i] = low[i];
        highest[i] = high[i];
    }
}

EXPORT void lines_bounds_at(const struct lines_set *set, const struct lines_bounds *bounds,
                            const int64_t *sample, size_t count, double *lowest, double *highest)
{
    double span = 0.625 * (double)(bounds->last_sample - bounds->first_sample);
    for (size_t done = 0; done < count; done += BATCH) {
        size_t n = count - done < BATCH ? count - done : BATCH;
        extremes_at(set, sample + done, n, lowest + done, highest + done);
    }
    for (size_t i = 0; i < count; i++) {
        int64_t ahead = bounds->first_sample - sample[i], behind = sample[i] - bounds->last_sample;
        int64_t away = ahead > behind ? ahead : behind;
        double outside = (double)(away > 0 ? away : 0);
        double off =
            bounds->allowance_ticks + bounds->bend * outside * (span + outside / 2);
        lowest[i] -= off;
        highest[i] += off;
    }
}

EXPORT void lines_bounds_rows(const struct lines_row *row, double *corner,
                              const struct lines_group *group, size_t groups, int64_t origin,
                              const int64_t *sample, double *lowest, double *highest)
{
    for (size_t g = 0; g < groups; g++) {
        const struct lines_row *r = row + group[g].row;
        size_t first = group[g].first, count = group[g].stop - first;
        struct lines_set set = set_of(r, corner + group[g].row * LINES_ROW_DOUBLES);
        lines_bounds_at(&set, &r->bounds, sample + first, count, lowest + first, highest + first);
        double shift = (double)(r->origin_ticks - origin);
        for (size_t i = first; i < group[g].stop; i++) {
            lowest[i] += shift;
            highest[i] += shift;
        }
    }
}
