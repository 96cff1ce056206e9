/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A task that does nothing but toggle the pin: whatever holds it up, an SMI for one, shows as a gap
 * in the train of edges. `handled` counts the toggles. So that the log of a long train is short, it
 * holds the two toggles around each gap, and marks spread over the train for the host's clock.
 *
 * It ends after `count` toggles, or before that after so long a time or so many gaps, of which those
 * count that are certain: longer than the threshold by the innermost readings.
 *
 * A gap is told by the outermost readings: from before one write to after the next. So no edges are
 * farther apart than the threshold without a record, wherever between the readings a hold-up lies.
 */
#include "loop.h"

#define MARKS 1000u

static void note(uint64_t number, const struct ticks *ticks)
{
    log_add(loop.log, number, ticks->before, ticks->after, 0);
}

static void body(uint32_t number)
{
    uint64_t pause = loop_ticks_of(loop.options->pause_ns);
    uint64_t threshold = loop_ticks_of(loop.options->threshold_ns);
    uint64_t duration = loop_ticks_of(loop.options->duration_ns);
    uint64_t every = loop.options->count / MARKS + 1, toggles = 0, gaps = 0, first = 0;
    struct ticks last = {0, 0}, now;
    bool noted = true, enough = false;
    (void)number;
    while (!enough && !loop_over()) {
        if (toggles)
            loop_spin(last.after, pause);
        loop_iteration();
        loop.toggle(&now);
        bool gap = toggles && now.after - last.before > threshold;
        if (gap && !noted)
            note(toggles, &last);
        noted = gap || toggles % every == 0;
        if (toggles++)
            gaps += now.before - last.after > threshold;
        else
            first = now.before;
        enough = (loop.options->gaps && gaps >= loop.options->gaps) ||
                 (duration && now.after - first >= duration);
        if (noted)
            note(toggles, &now);
        last = now;
    }
    if (!noted)
        note(toggles, &last);
}

const struct loop_kind smi_loop = {
    .variants = 1u << VARIANT_TASK,
    .usual = VARIANT_TASK,
    .given = GIVEN_PAUSE | GIVEN_THRESHOLD | GIVEN_GAPS | GIVEN_DURATION,
    .needs_pin = true,
    .body = body,
};
