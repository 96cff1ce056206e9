/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which answer belongs to which stimulus: rig/analysis/pairing.py while the run goes on. The rule
 * and what is provisional about it is told in rig/streaming/reference.py. */
#include <stdlib.h>

#include "flow_stages.h"

static int64_t stimulus_of(const struct flow_pairing *pairing, int64_t event)
{
    return pairing->stimulus[(uint64_t)event & pairing->mask];
}

/* Decides the first undecided stimulus. */
static void decide(struct flow *flow, int kind, int64_t response)
{
    struct flow_pairing *pairing = &flow->pairing;
    int64_t event = flow->results.decided++;

    pairing->kind[(uint64_t)event & pairing->mask] = (uint8_t)kind;
    flow_figures_event(flow, event, kind, stimulus_of(pairing, event), response);
}

static int class_of(const struct flow *flow, int64_t event, int64_t response)
{
    if (event + 1 < flow->results.stimuli && stimulus_of(&flow->pairing, event + 1) <= response)
        return FLOW_LATE;
    return FLOW_ANSWERED;
}

/* An answer whose stimulus has been decided without it, at least by the early reading. */
static void contradict(struct flow *flow, int64_t event, int64_t response)
{
    struct flow_pairing *pairing = &flow->pairing;
    uint64_t place = (uint64_t)event & pairing->mask;
    int kept = flow->results.stimuli - event <= (int64_t)pairing->mask + 1;

    flow->results.contradicted++;
    if (event >= flow->results.decided)
        return;
    if (!kept || pairing->kind[place] != FLOW_MISSED) {
        flow->results.extras[FLOW_DUPLICATE]++;
        return;
    }
    pairing->kind[place] = (uint8_t)class_of(flow, event, response);
    flow_figures_revise(flow, event, pairing->kind[place], pairing->stimulus[place], response);
}

/* One reading of the stimuli from `first` to the one that an answer belongs to. */
struct stretch {
    int64_t merged; /* first one that shares the answer */
    int64_t event; /* the one that it belongs to */
    int beside; /* class of those that share it */
};

static struct stretch stretch_of(const struct flow_pairing *pairing, int64_t first, int64_t event,
                                 int64_t newly)
{
    int64_t between = event - first;
    int64_t shared = pairing->pin_mask == 0 || newly < 0 ? 0 : newly;

    if (shared > between)
        shared = between;
    /* Beside missed ones nothing tells whether they were merged with those or with this. */
    return (struct stretch){event - shared, event,
                            shared == between ? FLOW_MERGED : FLOW_AMBIGUOUS};
}

static int kind_in(const struct flow *flow, struct stretch stretch, int64_t event,
                   int64_t response)
{
    if (event == stretch.event)
        return class_of(flow, event, response);
    return event < stretch.merged ? FLOW_MISSED : stretch.beside;
}

static void read_early(struct flow *flow, const struct flow_answer *answer, int64_t event,
                       int64_t newly)
{
    struct flow_pairing *pairing = &flow->pairing;
    struct stretch stretch = stretch_of(pairing, pairing->early, event, newly);

    for (; pairing->early <= event; pairing->early++) {
        uint64_t place = (uint64_t)pairing->early & pairing->mask;

        pairing->kind[place] = (uint8_t)kind_in(flow, stretch, pairing->early, answer->sample);
        pairing->by_answer[place] = answer->number;
    }
}

/* Decides what the late reading gets to: it is never ahead of the early one. */
static void read_late(struct flow *flow, const struct flow_answer *answer, int64_t event,
                      int64_t newly)
{
    struct flow_pairing *pairing = &flow->pairing;
    struct stretch stretch = stretch_of(pairing, flow->results.decided, event, newly);

    while (flow->results.decided <= event) {
        uint64_t place = (uint64_t)flow->results.decided & pairing->mask;
        int kind = kind_in(flow, stretch, flow->results.decided, answer->sample);

        if (pairing->kind[place] != kind || pairing->by_answer[place] != answer->number)
            kind = FLOW_AMBIGUOUS;
        decide(flow, kind, kind == FLOW_MISSED ? -1 : answer->sample);
    }
}

/* An answer before which `merged` interrupts were merged, and all stimuli up to its own. */
static void pair(struct flow *flow, struct flow_answer answer, int64_t merged)
{
    struct flow_pairing *pairing = &flow->pairing;
    int64_t event = answer.count + merged - 1;

    pairing->last_own = answer.sample;
    if (answer.anchor == merged || pairing->least > merged)
        pairing->least = merged;
    if (event < pairing->early)
        contradict(flow, event, answer.sample);
    else
        read_early(flow, &answer, event, merged - pairing->marked);
    pairing->marked = merged;
    read_late(flow, &answer, answer.count + pairing->least - 1,
              pairing->least - pairing->late_marked);
    pairing->late_marked = pairing->least;
}

/* The first undecided answers, up to the last one with the lowest m, and with that. */
static void pair_first_run(struct flow *flow)
{
    struct flow_pairing *pairing = &flow->pairing;
    struct flow_run run = pairing->run[pairing->run_head++ & pairing->mask];

    pairing->merged = run.merged;
    while (pairing->answer_head != run.end)
        pair(flow, pairing->answer[pairing->answer_head++ & pairing->mask], run.merged);
}

/* An answer with this deficit has come: no undecided one can have a higher m. */
static void bound(struct flow_pairing *pairing, int64_t deficit)
{
    uint64_t covered = pairing->answer_head;

    while (pairing->run_tail != pairing->run_head) {
        struct flow_run last = pairing->run[(pairing->run_tail - 1) & pairing->mask];

        covered = last.end;
        if (last.merged < deficit)
            break;
        covered = pairing->answer_head;
        pairing->run_tail--;
    }
    if (covered != pairing->answer_tail)
        pairing->run[pairing->run_tail++ & pairing->mask] =
            (struct flow_run){pairing->answer_tail, deficit};
}

/* Decides an event or an answer, by what is known. */
static void decide_first(struct flow *flow)
{
    struct flow_pairing *pairing = &flow->pairing;

    if (pairing->answer_head != pairing->answer_tail) {
        pair_first_run(flow);
    } else if (pairing->early > flow->results.decided) {
        decide(flow, FLOW_AMBIGUOUS, pairing->last_own);
    } else {
        pairing->early++;
        decide(flow, FLOW_MISSED, -1);
    }
}

/* How prompt an answer is by the edges alone; rig/analysis/deficits.py says what that is. */
static int points_of(struct flow_pairing *pairing, int64_t sample)
{
    int64_t before = pairing->last_response > pairing->second_stimulus ? pairing->last_response
                                                                       : pairing->second_stimulus;
    int64_t idle = pairing->last_stimulus - before, latency = sample - pairing->last_stimulus;
    int64_t times = idle > 0 ? idle / (latency > 1 ? latency : 1) : 0;

    pairing->last_response = sample;
    if (pairing->last_stimulus < 0)
        return 0;
    return (times >= 2) + (times >= 4) + (times >= 8);
}

/* The m with which an answer of a stimulus of its own is an anchor, -1: with none. */
static int64_t anchor_of(struct flow_pairing *pairing, int points, int64_t before, int64_t deficit)
{
    int same = deficit == pairing->own_deficit;

    if (pairing->pin_mask != 0 && !(same && before == pairing->own_before + 1))
        points = 0;
    pairing->score = points + (same ? pairing->score : 0);
    pairing->own_before = before;
    pairing->own_deficit = deficit;
    return pairing->score >= FLOW_SCORE ? deficit : -1;
}

/* All undecided answers have this m: the deficit is what it was before them, or lower. */
static void pair_all(struct flow *flow, int64_t deficit)
{
    bound(&flow->pairing, deficit);
    if (flow->pairing.answer_head != flow->pairing.answer_tail)
        pair_first_run(flow);
    flow->pairing.merged = deficit;
}

static int64_t handler_count(struct flow_pairing *pairing, uint64_t pins)
{
    if (pairing->pin_mask == 0)
        return ++pairing->counted;
    pairing->counted += (int64_t)((pins - pairing->pins_last) & pairing->pin_mask);
    pairing->pins_last = pins;
    return pairing->counted;
}

int flow_pairing_begin(struct flow *flow, const struct flow_settings *settings)
{
    struct flow_pairing *pairing = &flow->pairing;
    size_t size = settings->capacity;

    pairing->horizon = settings->horizon_samples;
    pairing->mask = size - 1;
    pairing->pin_mask = (UINT64_C(1) << settings->pins) - 1;
    pairing->stimulus = malloc(size * sizeof *pairing->stimulus);
    pairing->kind = malloc(size * sizeof *pairing->kind);
    pairing->by_answer = malloc(size * sizeof *pairing->by_answer);
    pairing->last_stimulus = pairing->second_stimulus = pairing->last_response = -1;
    pairing->answer = malloc(size * sizeof *pairing->answer);
    pairing->run = malloc(size * sizeof *pairing->run);
    return pairing->stimulus && pairing->kind && pairing->by_answer && pairing->answer &&
           pairing->run;
}

void flow_pairing_free(struct flow *flow)
{
    free(flow->pairing.stimulus);
    free(flow->pairing.kind);
    free(flow->pairing.by_answer);
    free(flow->pairing.answer);
    free(flow->pairing.run);
}

void flow_pairing_stimulus(struct flow *flow, int64_t sample)
{
    struct flow_pairing *pairing = &flow->pairing;
    struct flow_results *results = &flow->results;

    flow_pairing_expire(flow, sample);
    while (results->stimuli - results->decided > (int64_t)pairing->mask) {
        results->forced++;
        decide_first(flow);
    }
    results->last_stimulus_sample = sample;
    pairing->second_stimulus = pairing->last_stimulus;
    pairing->last_stimulus = sample;
    pairing->stimulus[(uint64_t)results->stimuli++ & pairing->mask] = sample;
}

/* What is known of an answer's deficit decides others, whether or not it has a stimulus. */
static void learn(struct flow *flow, int64_t deficit)
{
    struct flow_pairing *pairing = &flow->pairing;

    if (deficit > pairing->merged) {
        bound(pairing, deficit);
        if (pairing->answer_tail - pairing->answer_head <= pairing->mask)
            return;
        flow->results.forced++;
        pair_first_run(flow);
    }
    flow->results.contradicted += deficit < pairing->merged;
    if (deficit <= pairing->merged)
        pair_all(flow, deficit);
}

void flow_pairing_answer(struct flow *flow, int64_t sample, uint64_t pins)
{
    struct flow_pairing *pairing = &flow->pairing;
    int64_t before, count = handler_count(pairing, pins), deficit;
    int repeated = count <= pairing->highest, surplus, points;
    struct flow_answer answer;

    flow_pairing_expire(flow, sample);
    before = flow->results.stimuli;
    surplus = count - before > pairing->surplus;
    answer = (struct flow_answer){.number = flow->results.answers++, .sample = sample};
    if (!repeated)
        pairing->highest = count;
    if (surplus)
        pairing->surplus = count - before;
    answer.count = count - pairing->surplus;
    deficit = before - answer.count;
    points = points_of(pairing, sample);
    learn(flow, deficit);
    if (repeated || surplus) {
        int duplicate = (repeated || pairing->pin_mask == 0) && before > 0;

        flow->results.extras[duplicate ? FLOW_DUPLICATE : FLOW_SPURIOUS]++;
        return;
    }
    answer.anchor = anchor_of(pairing, points, before, deficit);
    if (deficit == pairing->merged) {
        pair(flow, answer, pairing->merged);
    } else {
        pairing->answer[pairing->answer_tail++ & pairing->mask] = answer;
        bound(pairing, deficit);
    }
}

void flow_pairing_expire(struct flow *flow, int64_t now)
{
    const struct flow_results *results = &flow->results;

    while (results->decided < results->stimuli &&
           now - stimulus_of(&flow->pairing, results->decided) > flow->pairing.horizon) {
        flow->results.expired++;
        decide_first(flow);
    }
}

void flow_pairing_finish(struct flow *flow)
{
    while (flow->pairing.answer_head != flow->pairing.answer_tail ||
           flow->results.decided < flow->results.stimuli)
        decide_first(flow);
}
