# SPDX-License-Identifier: GPL-3.0-or-later
"""All that a measurement measures has figures, overruns and a budget, and limits are judged by it.

Truth is made with clocks and delays that are known: what the budget corrects must lead there.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.analysis.model.instrument_counts import InstrumentCounts
from rig.analysis.model.settings import Limits
from rig.analysis.model.sources import Schedule
from rig.analysis.statistics.overruns import OverrunCounter
from rig.analysis.uncertainty.contribution import calibrated, limits
from rig.analysis.uncertainty.error_model import BenchErrorModel
from rig.analysis.uncertainty.measurand import Measurand
from rig.measurements.evaluate import Evaluation, evaluate
from tests.analysis.raw_runs import RATE_HZ, settings_of
from tests.analysis.test_dispatch import dispatched
from tests.analysis.test_periods import PERIOD_NS, Truth, noise
from tests.analysis.test_self_trigger import Target

SAMPLE_NS = 1e9 / RATE_HZ


def of(found: Evaluation, name: str) -> Measurand:
    (one,) = [each for each in found.measurands if each.name == name]
    return one


def bench(ppm: float = 0.0) -> BenchErrorModel:
    """The analyzer's clock runs `ppm` too fast, and that is known to 0.1 ppm."""
    nothing = calibrated(0.0, 0.0, "ns", "known")
    return BenchErrorModel(SAMPLE_NS, limits(0.1, "ppm", "counter", estimate=ppm), *[nothing] * 4)


def periods(truth: Truth, known: BenchErrorModel | None = None, **options) -> Evaluation:
    settings = settings_of("period", Schedule(PERIOD_NS, truth.count), **options)
    account = InstrumentCounts(handled=truth.count, overruns=0, unanswered=0)
    return evaluate(truth.run(), settings, account, bench=known)


# --- periods ------------------------------------------------------------------------------------


def test_each_side_of_a_period_has_its_figures() -> None:
    found = periods(Truth(2500, noise(2500), ppm=40))
    names = [each.name for each in found.measurands]
    assert names == [
        "latency", "interval_error", "latency_by_ticks", "interval_error_by_ticks"
    ]  # fmt: skip
    for each in found.measurands:
        assert each.inference is not None
        assert each.inference.maximum.value == pytest.approx(each.statistics.max_ns)
        assert each.inference.average is not None
        middle = each.statistics.average_ns
        assert middle in each.inference.average.interval
        assert each.inference.tail is not None  # estimated, or refused with a reason
        assert (each.inference.tail.level is None) == bool(each.inference.tail.refused)
        assert set(each.budgets) == {"max", "average"}
    assert found.clock_agreement is not None
    assert found.clock_agreement.holds


@pytest.mark.parametrize("ppm", [-200.0, 0.0, 50.0])
def test_budgets_take_the_clocks_off(ppm: float) -> None:
    """The target's periods are true, and the analyzer's clock runs too fast."""
    truth = Truth(2000, noise(2000), ppm=ppm)
    found = periods(truth, bench(ppm))
    true_ns = (np.diff(truth.time_ns) / (1 + ppm * 1e-6) - PERIOD_NS).max()
    for name in ("interval_error", "interval_error_by_ticks"):
        budget = of(found, name).budgets["max"]
        # By ticks the rate comes from the fitted clock, and the analyzer's from its calibration.
        assert budget.corrected == pytest.approx(true_ns, abs=budget.expanded)
        assert budget.is_whole
        average = of(found, name).budgets["average"]
        assert average.corrected == pytest.approx(0, abs=average.expanded)
    latency = of(found, "latency").budgets["max"]
    assert latency.corrected == pytest.approx(truth.latency_ns.max(), abs=latency.expanded + 100)


def test_without_knowledge_of_the_clock_the_budget_says_so() -> None:
    found = periods(Truth(100, noise(100)))
    unknown = {each.name for each in of(found, "interval_error").budgets["max"].unknown}
    assert unknown == {"analyzer time base", "rising against falling edges"}


def test_overruns_of_periods_are_counted_in_order() -> None:
    latency_ns = noise(400)
    latency_ns[99] = 1.4e6  # an overrun; the next one passes meanwhile
    latency_ns[100] = -1
    latency_ns[[200, 201, 202, 203]] = -1
    latency_ns[204] = 5e5  # answered, but beyond the limit
    latency_ns[[398, 399]] = -1
    found = periods(Truth(400, latency_ns), limits=Limits(max_ns=4e5))
    overruns = found.overruns
    assert (overruns.n, overruns.count) == (400, 9)
    assert (overruns.longest_run, overruns.longest_run_first) == (5, 200)


def test_periods_missed_before_the_first_answer_are_overruns() -> None:
    latency_ns = noise(400)
    latency_ns[:2] = -1
    found = periods(Truth(400, latency_ns))
    overruns = found.overruns
    assert (overruns.n, overruns.count) == (400, 2)
    assert (overruns.longest_run, overruns.longest_run_first) == (2, 0)


@given(st.lists(st.one_of(st.integers(1, 5), st.lists(st.booleans(), max_size=6)), max_size=12))
def test_many_overruns_at_once_count_as_one_by_one(pieces: list[int | list[bool]]) -> None:
    at_once, singly = OverrunCounter(), OverrunCounter()
    for piece in pieces:
        if isinstance(piece, int):
            at_once.add_overruns(piece)
        else:
            at_once.add(np.array(piece, bool))
        for over in [True] * piece if isinstance(piece, int) else piece:
            singly.add(np.array([over]))
    assert at_once.result() == singly.result()


def test_no_answer_at_all_is_one_long_overrun() -> None:
    truth = Truth(50, noise(50))
    run = truth.run()
    run.edges, run.records = [], run.records[:0]
    settings = settings_of("period", Schedule(PERIOD_NS, 50))
    found = evaluate(run, settings, InstrumentCounts(handled=0))
    assert found.overruns.longest_run == found.overruns.count == 50


@pytest.mark.parametrize(
    ("off_ns", "judgment"), [(-200, "exceeded"), (0, "cannot tell"), (200, "kept")]
)
def test_limits_of_periods_take_the_uncertainty_of_their_own_clock(
    off_ns: float, judgment: str
) -> None:
    """The analyzer's clock is off by up to 100 ppm: 58 ns of 1 ms, U = 116 ns."""
    truth = Truth(1000, noise(1000))
    worst_ns = np.abs(np.diff(truth.time_ns) - PERIOD_NS).max()
    wide = replace(bench(), time_base_ppm=limits(100, "ppm", "maker"))
    names = ("max_interval_error", "max_interval_error_by_ticks")
    further = dict.fromkeys(names, worst_ns + off_ns)
    found = periods(truth, wide, limits=Limits(others=further))
    assert [limit.judgment for limit in found.limits] == [judgment] * 2


# --- dispatch -----------------------------------------------------------------------------------


def test_dispatch_has_figures_by_pins_by_ticks_and_of_the_interrupt() -> None:
    latency = (200 + np.random.default_rng(2).integers(0, 60, 900)).tolist()
    found = dispatched(["t"] * 900, latency)
    names = [each.name for each in found.measurands]
    assert names == ["latency", "latency_by_ticks", "interrupt_latency"]
    assert found.figures == of(found, "latency").statistics == found.details.pins
    assert found.primary.inference is of(found, "latency").inference
    assert of(found, "latency").inference.maximum.value == of(found, "latency").statistics.max_ns
    for each in found.measurands:
        assert each.inference is not None
        assert each.inference.median.low is not None
        assert set(each.budgets) == {"max", "average"}
    pins, ticks = of(found, "latency").budgets, of(found, "latency_by_ticks").budgets
    # 30 samples of the way from pin to reading are in one and not in the other.
    assert pins["average"].indication - ticks["average"].indication == pytest.approx(1250, abs=2)


def test_dispatch_without_the_tasks_wire_is_told_by_ticks() -> None:
    latency = [200 + 7 * (n % 11) for n in range(300)]
    run, account = [], InstrumentCounts(sent=300, handled=300)
    wired = dispatched(["t"] * 300, latency, keep=run)
    settings = settings_of("interrupt_dispatch", limits=Limits(others={"max_latency": 1e6}))
    found = evaluate(run[0], settings, account)
    assert [each.name for each in found.measurands] == ["latency", "interrupt_latency"]
    assert found.figures == wired.details.ticks
    assert found.primary.unit_ns == 1.0  # a tick
    both = {"max_latency_by_ticks": 1e6, "max_latency": 1.0}
    found = evaluate(run[0], replace(settings, limits=Limits(others=both)), account)
    assert [limit.judgment for limit in found.limits] == ["exceeded", "kept"]


# --- a target that triggers itself --------------------------------------------------------------


def test_a_latency_from_inside_has_a_budget_of_its_own() -> None:
    latency_ns = np.random.default_rng(6).integers(4_000, 9_000, 2_500).tolist()
    found = Target(latency_ns).evaluation()
    assert [each.name for each in found.measurands] == ["latency", "internal_latency"]
    inside = of(found, "internal_latency")
    budget = inside.budgets["max"]
    true_ns = max(latency_ns) - 10  # from reading to reading
    assert budget.corrected == pytest.approx(true_ns, abs=budget.expanded + 1)
    assert "rate of the target's counter" in {each.name for each in budget.contributions}
    assert inside.inference is not None
    assert inside.inference.percentiles
    assert inside.statistics == found.details.internal
