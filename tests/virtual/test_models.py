# SPDX-License-Identifier: GPL-3.0-or-later
"""Latency models against the distributions they claim, and clocks against exact fractions."""

from __future__ import annotations

import csv
import zlib
from fractions import Fraction
from importlib import resources

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rig.analysis.measurements.verdict import Verdict
from rig.config.virtual.bench import (
    ConstantModel,
    GammaModel,
    LoadModel,
    MixtureModel,
    NormalModel,
    ReferenceModel,
)
from rig.errors import InputError
from rig.measurements.evaluate import evaluate
from rig.virtual.clock import VirtualClock
from rig.virtual.models import build_model, truncated_normal
from tests.analysis.whole_bench import ORIGIN_PS, RATE_HZ, Clocks, train_of, whole_run

US = 10**6
N = 20_000
PINS = "stimulus", "response"
P_LEAST = 1e-6
"""A fixed seed either fits its distribution or does not; this far out it does not."""


def draws(model, seed=1, n=N, step_ps=1000 * US):
    built = build_model(model, np.random.default_rng(seed))
    return np.array([built.draw(i * step_ps) for i in range(n)])


@pytest.mark.parametrize(
    ("model", "distribution"),
    [
        (GammaModel(3 * US, US // 2, 3.0), stats.gamma(3.0, 3 * US, US / 2)),
        (NormalModel(8 * US, US, 0), stats.norm(8 * US, US)),
        (NormalModel(5 * US, 2 * US, 4 * US), stats.truncnorm(-0.5, np.inf, 5 * US, 2 * US)),
    ],
)
def test_distribution(model, distribution):
    assert stats.kstest(draws(model), distribution.cdf).pvalue > P_LEAST
    # The test can fail: a shift of a twentieth of the deviation does.
    shifted = draws(model) + distribution.std() / 20
    assert stats.kstest(shifted, distribution.cdf).pvalue < P_LEAST


@pytest.mark.parametrize("low", [-40.0, -8.0, -2.5, -1e-9, 0.0, 0.5, 20.0])
def test_a_truncated_normal_distribution_is_that_of_scipy_to_the_bit(low):
    probability = np.random.default_rng(1).random(N)
    expected = stats.truncnorm.ppf(probability, low, np.inf)
    assert np.array_equal(truncated_normal(probability, low), expected)


def test_constant():
    assert set(draws(ConstantModel(5 * US), n=100)) == {5 * US}


def test_mixture_has_its_share_of_outliers():
    values = draws(MixtureModel(6 * US, US // 10, 0, 0.05, 60 * US))
    body = 6 * US + US  # ten deviations above the mean
    share = stats.binomtest(int((values > body).sum()), N, 0.05 * 53 / 54)
    assert share.pvalue > P_LEAST
    assert 50 * US < values.max() <= 60 * US


def test_load_model_grows_with_the_rate():
    model = LoadModel(5 * US, US // 10, 0, 0.5, 2000 * US)
    slow, fast = draws(model, step_ps=5000 * US), draws(model, step_ps=500 * US)
    assert slow.mean() == pytest.approx(5 * US, rel=0.01)
    # Three earlier interrupts lie within the window at 500 us, the one at its border no more.
    assert fast[10:].mean() == pytest.approx(5 * US * (1 + 0.5 * 3), rel=0.01)


def test_published_row():
    """Table 7.9 of the reference: average 5.284, min 3.35, max 11.919, deviation 0.928 us."""
    values = draws(ReferenceModel("7.9/Linux 2.6.27/interrupt/ISR/cpu"))
    assert values.mean() == pytest.approx(5.284 * US, rel=0.01)
    assert values.std() == pytest.approx(0.928 * US, rel=0.03)
    assert values.min() >= 3.35 * US
    assert values.max() <= 11.919 * US


def published_rows():
    """Name and longest time in us of all rows that have the figures; interrupts in every run."""
    source = resources.files("rig.virtual") / "reference" / "radder2015_benchmarks.csv"
    for row in csv.DictReader(source.read_text(encoding="utf-8").splitlines()):
        name = "/".join(row[key] for key in ("table", "system", "test", "variant", "scenario"))
        try:
            build_model(ReferenceModel(name), np.random.default_rng(1))
        except InputError:
            continue
        marks = () if row["test"] == "interrupt" else pytest.mark.truth
        yield pytest.param(name, float(row["max_us"]), id=name, marks=marks)


@pytest.mark.parametrize(("row", "longest_us"), list(published_rows()))
def test_figures_of_published_rows_are_those_drawn_to_the_sample(row, longest_us, tmp_path):
    """250 events as in the publication, stimuli far enough apart for its longest periods too."""
    least_us = int(1.2 * longest_us) + 100
    seed = zlib.crc32(row.encode())
    train = train_of(seed, 250, least_us, 2 * least_us)
    # At the analyzer's nominal rate, which the figures are told by; the others run as they like.
    clocks = Clocks((150_000, 0, -90_000), (100, 0, -100))
    run = whole_run(tmp_path, seed, train, model=ReferenceModel(row), clocks=clocks)
    found = evaluate(run.raw, run.settings, run.account)
    figures, sample_ns = found.figures, 1e9 / RATE_HZ
    assert (found.counts.answered, figures.n, found.verdict) == (250, 250, Verdict.PASS)
    stimulus, response = (run.truth[f"{name}_ps"].astype(object) for name in PINS)
    drawn_ns = (response - stimulus).astype(float) / 1e3
    # The sample that shows an edge is the first at or after it: exact, as fractions.
    first, last = (-(-(edge - ORIGIN_PS) * RATE_HZ // 10**12) for edge in (stimulus, response))
    sampled_ns = (last - first).astype(float) * sample_ns
    for name, of in {"average": np.mean, "deviation": np.std, "min": np.min, "max": np.max}.items():
        value = getattr(figures, f"{name}_ns")
        assert value == pytest.approx(of(sampled_ns), rel=1e-9, abs=1e-3), name
        assert abs(value - of(drawn_ns)) <= sample_ns, name
    assert figures.gap_ns == pytest.approx(np.ptp(sampled_ns))
    assert abs(figures.gap_ns - np.ptp(drawn_ns)) <= 2 * sample_ns  # one for either end


def test_unknown_row_shows_a_valid_one():
    with pytest.raises(InputError, match=r"no published row 'x/y'; valid: table/system.*\"6\.\d"):
        draws(ReferenceModel("x/y"), n=1)


def test_same_seed_same_values():
    model = GammaModel(3 * US, US // 2, 3.0)
    assert draws(model, n=50).tolist() == draws(model, n=50).tolist()
    assert draws(model, n=50).tolist() != draws(model, seed=2, n=50).tolist()


@given(st.integers(10**6, 10**10), st.integers(-(10**8), 10**8), st.integers(0, 10**16))
def test_clock_is_exact(rate_hz, error_ppb, time_ps):
    clock = VirtualClock(rate_hz, error_ppb, start_ticks=5)
    exact = Fraction(time_ps * rate_hz * (10**9 + error_ppb), 10**21)
    assert clock.ticks(time_ps) == 5 + exact.__floor__()
    assert clock.ticks_at_or_after(time_ps) == 5 + exact.__ceil__()
    assert_inverse(clock, time_ps)


@given(
    st.sampled_from([10**6, 16 * 10**6, 24 * 10**6, 10**9, 10**10]),
    st.sampled_from([0, 1, -12_000, 38_000, -(10**8)]),
    st.sampled_from([0, 20_000, -3]),
    st.lists(st.integers(0, 10**11), min_size=1).map(sorted),
    st.integers(0, 10**16),
)
def test_a_clock_tells_of_many_times_what_it_tells_of_each(
    rate_hz, error_ppb, drift_ppb_per_s, times_ps, first_ps
):
    clock = VirtualClock(rate_hz, error_ppb, start_ticks=5, drift_ppb_per_s=drift_ppb_per_s)
    times = first_ps + np.array(times_ps, np.int64)
    ticks = [clock.ticks(time_ps) for time_ps in times.tolist()]
    assert clock.ticks_of(times).tolist() == ticks
    after = [clock.ticks_at_or_after(time_ps) for time_ps in times.tolist()]
    assert clock.ticks_at_or_after_of(times).tolist() == after
    # Times of whole ticks, where a float cannot tell on which side it is.
    on_ticks = clock.times_ps_of(np.array(ticks, np.int64))
    assert on_ticks.tolist() == [clock.time_ps(tick) for tick in ticks]
    assert clock.ticks_of(on_ticks).tolist() == [clock.ticks(t) for t in on_ticks.tolist()]
    later = [clock.ticks_at_or_after(time_ps) for time_ps in on_ticks.tolist()]
    assert clock.ticks_at_or_after_of(on_ticks).tolist() == later


@given(
    st.integers(10**6, 10**10),
    st.integers(-(10**8), 10**8),
    st.integers(-20_000, 20_000),
    st.integers(0, 10**16),
)
def test_drifting_clock_is_exact(rate_hz, error_ppb, drift_ppb_per_s, time_ps):
    clock = VirtualClock(rate_hz, error_ppb, start_ticks=5, drift_ppb_per_s=drift_ppb_per_s)
    seconds = Fraction(time_ps, 10**12)
    fast = 1 + Fraction(error_ppb, 10**9) + Fraction(drift_ppb_per_s, 10**9) * seconds / 2
    exact = rate_hz * seconds * fast
    assert clock.ticks(time_ps) == 5 + exact.__floor__()
    assert clock.ticks_at_or_after(time_ps) == 5 + exact.__ceil__()
    assert_inverse(clock, time_ps)


def assert_inverse(clock, time_ps):
    """A tick's time is the first picosecond at which the clock shows it."""
    tick = clock.ticks_at_or_after(time_ps)
    first_ps = clock.time_ps(tick)
    assert first_ps >= time_ps
    assert clock.ticks(first_ps) == tick
    if first_ps:
        assert clock.ticks(first_ps - 1) < tick
