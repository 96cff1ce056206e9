# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits against figures and their uncertainty: kept, exceeded, or not to be told."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.analysis.measurements.limits import JudgedLimit, judge_limits
from rig.analysis.measurements.verdict import Verdict
from rig.analysis.model.instrument_counts import InstrumentCounts
from rig.analysis.model.settings import Limits
from rig.analysis.uncertainty.budget import Judgment
from rig.analysis.uncertainty.contribution import calibrated
from rig.analysis.uncertainty.effects import SystematicEffects
from rig.analysis.uncertainty.error_model import BenchErrorModel
from rig.analysis.uncertainty.measurand import Measurand, measurand
from rig.analysis.uncertainty.series import MeasurandSeries
from rig.limit_names import INTERVAL_ERROR, LATENCY, STATISTICS, in_words, split
from rig.measurements.evaluate import evaluate
from rig.measurements.registry import MEASUREMENTS
from rig.untrusted.decode import decoded
from tests.analysis.raw_runs import RATE_HZ, STIMULUS, MemoryRun, settings_of, toggles

LATENCY_SAMPLES = 240
"""10 us, each time."""
N = 100
SAMPLE_NS = 1e9 / RATE_HZ


def judged(max_us: float, skew: float | None = 0.0):
    """The verdict on runs of 10 us; the channels' skew is known to be `skew` ns, u = 100 ns."""
    stimulus = [24_000 * (number + 1) for number in range(N)]
    edges = [(at, STIMULUS, 1) for at in stimulus] + [(at + 30, STIMULUS, 0) for at in stimulus]
    edges += toggles([at + LATENCY_SAMPLES for at in stimulus])
    run = MemoryRun(edges, 24_000 * (N + 2))
    settings = replace(settings_of("interrupt"), limits=Limits(max_ns=max_us * 1e3), source=None)
    bench = BenchErrorModel(SAMPLE_NS)
    if skew is not None:
        bench = replace(bench, skew_ns=calibrated(skew, 100.0, "ns", "loopback"))
    return evaluate(run, settings, InstrumentCounts(sent=N), bench=bench)


# u: 100 ns of the skew, and one sample either way, rectangular: U = 2 hypot(100, 24.06) = 206 ns.


@pytest.mark.parametrize("max_us", [10.21, 12.0])
def test_a_limit_above_the_uncertainty_is_kept(max_us: float) -> None:
    found = judged(max_us)
    assert not any("latency" in reason for reason in found.reasons)


@pytest.mark.parametrize("max_us", [10.20, 10.0, 9.80])
def test_a_limit_within_the_uncertainty_cannot_be_told(max_us: float) -> None:
    found = judged(max_us)
    assert found.verdict is Verdict.INCONCLUSIVE
    text = f"max latency 10.000 us (U = 0.206 us) cannot be told from the limit of {max_us:.3f} us"
    assert text in found.reasons


def test_a_limit_below_the_uncertainty_is_exceeded() -> None:
    found = judged(9.79)
    assert found.verdict is Verdict.FAIL
    assert "max latency 10.000 us (U = 0.206 us) exceeds 9.790 us" in found.reasons


def test_what_the_bench_is_known_to_add_is_taken_off() -> None:
    assert judged(9.0).verdict is Verdict.FAIL
    assert not any("latency" in reason for reason in judged(9.0, skew=1_500.0).reasons)


def test_without_any_knowledge_of_the_bench_the_sample_still_counts() -> None:
    assert any("cannot be told" in reason for reason in judged(10.03, skew=None).reasons)
    assert not any("latency" in reason for reason in judged(10.06, skew=None).reasons)


# --- any statistic ------------------------------------------------------------------------------

SCALE = [Judgment.EXCEEDED, Judgment.CANNOT_TELL, Judgment.KEPT]


def known(name: str, values_ns: list[int] | np.ndarray) -> Measurand:
    """A measurand of whole nanoseconds that a perfect bench has seen."""
    series = MeasurandSeries()
    values = np.array(values_ns, np.int64)
    series.add(values, np.arange(len(values)) * 1_000_003)
    return measurand(name, series, 10**9, SystematicEffects(0.0))


def judge_one(name: str, limit: float, found: Measurand, **counts: int) -> JudgedLimit:
    (judged,) = judge_limits(Limits(others={name: limit}), [found], counts)
    return judged


NORMAL = known(LATENCY, np.random.default_rng(4).normal(10_000, 1_000, 5_000).round())
VALUES = NORMAL.statistics


@pytest.mark.parametrize("statistic", STATISTICS)
def test_every_statistic_can_be_limited(statistic: str) -> None:
    value = getattr(VALUES, f"{statistic}_ns")
    name = f"{statistic}_latency"
    if value is None:  # 5,000 values do not allow it
        judged = judge_one(name, 1e9, NORMAL)
        assert (judged.judgment, judged.value) == (Judgment.CANNOT_TELL, None)
        assert "n of at least " in judged.reason
        return
    assert judge_one(name, value * 0.5, NORMAL).judgment is Judgment.EXCEEDED
    high = judge_one(name, value * 2, NORMAL)
    if statistic == "p99_9":  # 5,000 values bound it, but only just
        assert high.judgment in (Judgment.KEPT, Judgment.CANNOT_TELL)
    elif statistic != "p99_99":
        assert high.judgment is Judgment.KEPT
        assert high.reason == ""
    exact = statistic in ("min", "max", "gap")
    near = judge_one(name, value, NORMAL).judgment
    assert near is (Judgment.KEPT if exact else Judgment.CANNOT_TELL)


@given(
    st.sampled_from([f"{s}_{m}" for s in STATISTICS for m in (LATENCY, INTERVAL_ERROR)]),
    st.lists(st.integers(-1000, 1000), min_size=1, max_size=30),
    st.lists(st.integers(1, 2000), min_size=2, max_size=6),
)
def test_a_wider_limit_is_never_worse(name: str, values: list[int], limits: list[int]) -> None:
    found = known(name.partition("_")[2] if name.endswith(LATENCY) else INTERVAL_ERROR, values)
    found = replace(found, name=LATENCY if name.endswith(LATENCY) else INTERVAL_ERROR)
    places = [SCALE.index(judge_one(name, limit, found).judgment) for limit in sorted(limits)]
    assert places == sorted(places)


def test_an_interval_too_short_is_as_wrong_as_one_too_long() -> None:
    early = known(INTERVAL_ERROR, [-900, *[1, -1] * 50, 300])
    assert judge_one("max_interval_error", 899, early).judgment is Judgment.EXCEEDED
    assert judge_one("max_interval_error", 900, early).judgment is Judgment.KEPT
    shifted = known(INTERVAL_ERROR, [-501, -500, -499] * 100)
    assert judge_one("average_interval_error", 400, shifted).judgment is Judgment.EXCEEDED
    assert judge_one("p90_interval_error", 400, shifted).judgment is Judgment.EXCEEDED


@pytest.mark.parametrize("name", ["glitches", "overruns", "overruns_in_a_row", "missed"])
def test_every_count_can_be_limited(name: str) -> None:
    assert judge_one(name, 3, NORMAL, **{name: 3}).judgment is Judgment.KEPT
    judged = judge_one(name, 3, NORMAL, **{name: 4})
    assert judged.judgment is Judgment.EXCEEDED
    assert judged.reason == f"4 {name.replace('_', ' ')}, 3 allowed"


def test_what_was_not_measured_cannot_be_told() -> None:
    judged = judge_one("max_internal_latency", 1e6, NORMAL)
    assert judged.judgment is Judgment.CANNOT_TELL
    assert judged.reason == (
        "max internal latency cannot be told from the limit of 1000.000 us: this run did not "
        "measure it"
    )
    assert judge_one("max_latency", 1e6, known(LATENCY, [])).why == "nothing was measured"


def test_limits_come_in_the_order_of_the_figures() -> None:
    names = ["missed", "p99_9_latency", "max_interval_error", "max_latency", "overruns"]
    judged = judge_limits(Limits(others=dict.fromkeys(names, 1.0)), [NORMAL], {})
    found = [limit.name for limit in judged]
    assert found == ["max_latency", "p99_9_latency", "max_interval_error", "missed", "overruns"]


def test_names_of_limits_are_told_apart() -> None:
    periods = MEASUREMENTS["period"].measurands
    assert split("p99_9_interval_error_by_ticks", periods) == ("p99_9", "interval_error_by_ticks")
    assert split("max_latency", periods) == ("max", "latency")
    assert split("interval_error", periods) is None
    assert split("p99_9_interval_error", ("latency",)) is None
    assert in_words("p99_9_interval_error_by_ticks") == "p99.9 interval error by ticks"
    assert in_words("p99_latency") == "p99 latency"


def test_a_limit_from_a_foreign_file_is_a_number() -> None:
    for further in ({"max_latency": "5"}, {"max_latency": True}, [1]):
        with pytest.raises(ValueError, match="others"):
            decoded(Limits, {"others": further})
