# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines through brackets against scipy's linear programs."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import linprog

from rig.analysis.clocks.brackets import Brackets, Rates, log_brackets, stamp_brackets
from rig.analysis.clocks.line import Side, corners_of, fit_line, slope_range
from rig.analysis.clocks.line_set import line_set
from tests.analysis.clocks.simulated import simulate


def triples(steps):
    """Distance of an edge from the last, noise of its reading, width of its bracket."""
    each = st.tuples(steps, st.integers(-15, 15), st.integers(-3, 25))
    return st.lists(each, min_size=2, max_size=15)


TRIPLES = triples(steps=st.integers(1, 30))


def build(drawn):
    sample = np.cumsum([step for step, _, _ in drawn])
    before = 3 * sample + [noise for _, noise, _ in drawn]
    return Brackets(sample, before, before + [width for _, _, width in drawn])


def program(brackets, objective, slack):
    """Unknowns: ticks at sample 0, ticks per sample, slack; slack None: free."""
    one = np.ones(len(brackets))
    rows = np.vstack(
        [
            np.column_stack([-one, -brackets.sample, one]),
            np.column_stack([one, brackets.sample - 1, one]),
        ]
    )
    right = np.concatenate([-brackets.before_ticks, brackets.after_ticks + 1])
    limits = [(None, None), (None, None), (slack, slack)]
    return linprog(objective, rows, right, bounds=limits)


@given(TRIPLES)
def test_slack_is_the_linear_programs(drawn):
    brackets = build(drawn)
    line = fit_line(corners_of(brackets))
    want = program(brackets, [0, 0, -1], None)
    assert want.status == 0
    assert float(line.slack_ticks) == pytest.approx(want.x[2], abs=1e-6)
    assert line.feasible == (line.slack_ticks >= 0)


@given(TRIPLES)
def test_the_line_has_that_slack_everywhere_and_binds_where_it_says(drawn):
    brackets = build(drawn)
    line = fit_line(corners_of(brackets))

    def at(sample):
        return line.ticks + line.ticks_per_sample * (sample - line.sample)

    rows = zip(brackets.sample.tolist(), brackets.before_ticks.tolist(), strict=True)
    above = [at(sample) - before for sample, before in rows]
    rows = zip(brackets.sample.tolist(), brackets.after_ticks.tolist(), strict=True)
    below = [after + 1 - at(sample - 1) for sample, after in rows]
    assert min(above + below) == line.slack_ticks  # fractions: to the last digit
    for bound in line.binding:
        distance = above if bound.side is Side.BEFORE else below
        assert distance[bound.event] == line.slack_ticks
    assert {bound.side for bound in line.binding} == set(Side)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("wrong", [0, -1])
def test_a_wrong_guess_is_put_right(seed, wrong, monkeypatch):
    """Floating point only says where to begin."""
    brackets = simulate(seed, 500, drift_ppm_per_s=0).brackets
    want = fit_line(corners_of(brackets))
    monkeypatch.setattr("rig.analysis.clocks.line._guess", lambda _a, _b, at: wrong % len(at))
    assert fit_line(corners_of(brackets)) == want


@given(TRIPLES)
def test_slope_range_is_the_linear_programs(drawn):
    brackets = build(drawn)
    found = corners_of(brackets)
    low, high = slope_range(found)
    assume(fit_line(found).feasible)
    for want, objective in ((low, 1), (high, -1)):
        got = program(brackets, [0, objective, 0], 0)
        assert (got.status == 3) == (want is None)  # 3: unbounded
        if want is not None:
            assert float(want) == pytest.approx(got.x[1], abs=1e-6)


@given(triples(steps=st.integers(2, 30)), st.integers(-5, 500))
def test_line_set_reaches_as_far_as_the_linear_program(drawn, sample):
    brackets = build(drawn)
    found = corners_of(brackets)
    lines = line_set(found, Rates(1, 3, drift_ppm_per_s=0))
    if not fit_line(found).feasible:
        assert lines is None
        return
    low, high = (bound[0] + lines.origin_ticks for bound in lines.bounds(np.array([sample])))
    for bound, sign in ((low, 1), (high, -1)):
        got = program(brackets, [sign, sign * sample, 0], 0)
        assert got.status == 0
        assume(0 <= got.x[1] <= 6)  # nor does any clock run backward, or twice as fast
        assert bound == pytest.approx(got.x[0] + got.x[1] * sample, abs=1e-5)


def test_exact_where_floating_point_is_not():
    """A run of 10^12 samples and 10^13 ticks that misses by a hair: 1/10^12 of a tick."""
    sample = np.array([1, 10**12, 2 * 10**12 - 1])
    before = np.array([0, 4 * 10**12, 8 * 10**12 - 9])
    brackets = Brackets(sample, before, before - 1)
    line = fit_line(corners_of(brackets))
    # The widest gap the middle leaves: f(s) >= before and f(s - 1) <= before.
    rise = Fraction(8 * 10**12 - 9, 2 * 10**12 - 2)
    assert not line.feasible
    assert line.slack_ticks == -_middle_gap(rise, sample.tolist(), before.tolist()) / 2
    assert line.slack_ticks.denominator > 10**9


def _middle_gap(rise, sample, before):
    """By hand: the chord of the outer `before`s over the middle `after`, and the other way."""
    over = rise * (sample[1] - 1 - sample[0]) + before[0] - before[1]
    under = before[1] - (rise * (sample[1] - sample[0] + 1) + before[0])
    return max(over, under)


def test_one_event_has_a_middle_and_no_rate():
    line = fit_line(corners_of(Brackets(np.array([5]), np.array([10]), np.array([13]))))
    assert (line.ticks, line.ticks_per_sample, line.slack_ticks) == (12, None, 2)


def test_log_ticks_count_from_the_first_even_past_the_end_of_64_bits():
    before = np.array([2**64 - 5, 3], np.uint64)
    brackets, origin = log_brackets(np.array([1, 9]), before, before + np.uint64(1))
    assert origin == 2**64 - 5
    assert brackets.before_ticks.tolist() == [0, 8]
    assert brackets.after_ticks.tolist() == [1, 9]


def test_late_stamps_widen_their_bracket_to_one_side():
    brackets = stamp_brackets(np.array([1, 2]), np.array([10, 20]), np.array([0, 7]))
    assert (brackets.after_ticks - brackets.before_ticks).tolist() == [0, 7]
    with pytest.raises(ValueError, match="never leaves before"):
        stamp_brackets(np.array([1]), np.array([10]), -1)


@pytest.mark.parametrize(
    ("sample", "before", "words"),
    [
        ([3, 3], [0, 1], "edge 1 at sample 3 does not follow edge 0"),
        ([1, 2], [0, 2**53], "reaches beyond 2\\^53"),
        ([1, 2], [0], "int64"),
    ],
)
def test_what_is_no_bracket_is_refused(sample, before, words):
    with pytest.raises(ValueError, match=words):
        Brackets(np.array(sample), np.array(before), np.array(before))


@pytest.mark.parametrize("wrong", [{"sample_rate_hz": 0}, {"tick_hz": -1}, {"drift_ppm_per_s": -1}])
def test_what_is_no_rate_is_refused(wrong):
    with pytest.raises(ValueError, match="valid"):
        Rates(**{"sample_rate_hz": 1, "tick_hz": 1, **wrong})
