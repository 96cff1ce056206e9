# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs of periods whose every due time, latency and miss is known."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.analysis.clocks.lower_envelope import EnvelopeLine
from rig.analysis.measurements.period import Grid, NominalPeriod, PeriodFit
from rig.analysis.measurements.period_slips import Slips
from rig.analysis.measurements.verdict import Verdict
from rig.analysis.model.instrument_counts import InstrumentCounts
from rig.analysis.model.settings import Limits
from rig.analysis.model.sources import Schedule
from rig.measurements.evaluate import evaluate
from tests.analysis.raw_runs import (
    RATE_HZ,
    MemoryRun,
    log_of,
    sequence_edges,
    settings_of,
    toggles,
)

TICK_HZ = 10**9
PERIOD_NS = 1_000_000


@dataclass
class Truth:
    """A target that answers periods by a clock of its own."""

    count: int
    latency_ns: np.ndarray
    """Shape (count,), of each period; -1: missed."""
    ppm: float = 0.0
    """How much longer than nominal its period is in the analyzer's time."""
    start_ns: float = 5e6
    number: np.ndarray = field(init=False)
    time_ns: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self.number = 1 + np.flatnonzero(self.latency_ns >= 0)
        length_ns = PERIOD_NS * (1 + self.ppm * 1e-6)
        self.time_ns = self.start_ns + self.number * length_ns + self.latency_ns[self.number - 1]

    @property
    def samples(self) -> list[int]:
        return np.ceil(self.time_ns * RATE_HZ / 1e9).astype(np.int64).tolist()

    @property
    def ticks(self) -> np.ndarray:
        """By its own counter, which is as wrong as its periods are."""
        return np.floor(self.time_ns / (1 + self.ppm * 1e-6) * TICK_HZ / 1e9).astype(np.int64)

    def run(self, *, logged: bool = True, pins: bool = False, block: int = 1 << 40) -> MemoryRun:
        edges = toggles(self.samples)
        if pins:
            edges += sequence_edges(self.samples, self.number.tolist())
        rows = [
            (int(k), int(t), int(t) + 50, 0) for k, t in zip(self.number, self.ticks, strict=True)
        ]
        end = self.samples[-1] + RATE_HZ // 10
        return MemoryRun(edges, end, log_of(rows if logged else []), block)


def judged(truth: Truth, run: MemoryRun, account: InstrumentCounts | None = None, **options):
    """Evaluation and the events handed out."""
    events = []
    settings = settings_of("period", Schedule(PERIOD_NS, truth.count), **options)
    account = account or InstrumentCounts(handled=truth.count, overruns=0, unanswered=0)
    found = evaluate(run, settings, account, events.append)
    columns = {key: np.concatenate([part[key] for part in events]) for key in events[0]}
    return found, columns


def noise(count: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).gamma(3, 1500, count)


def test_figures_are_the_truth_by_both_witnesses() -> None:
    truth = Truth(2000, noise(2000), ppm=40)
    found, events = judged(truth, truth.run())
    assert found.verdict is Verdict.PASS, found.reasons
    period = found.details
    assert period.pins.rate_ppm == pytest.approx(40, abs=0.1)
    assert abs(period.pins.rate_ppm - 40) < 3 * period.pins.rate_uncertainty_ppm
    assert period.ticks.rate_ppm == pytest.approx(0, abs=0.1)
    errors_ns = np.diff(truth.time_ns) - PERIOD_NS
    sample_ns = 1e9 / RATE_HZ
    for side, off_ns in ((period.pins, 0), (period.ticks, 40e-6 * PERIOD_NS)):
        error, latency = side.interval_error, side.latency
        assert (error.n, latency.n) == (1999, 2000)
        assert error.average_ns == pytest.approx(errors_ns.mean() - off_ns, abs=0.1)
        assert error.deviation_ns == pytest.approx(errors_ns.std(), rel=0.01)
        assert error.max_ns == pytest.approx(errors_ns.max() - off_ns, abs=2 * sample_ns)
        assert error.min_ns == pytest.approx(errors_ns.min() - off_ns, abs=2 * sample_ns)
        # Against the grid, whose place nobody knows: all but the common part, and its tilt's.
        assert latency.min_ns == pytest.approx(0, abs=sample_ns)
        assert latency.gap_ns == pytest.approx(np.ptp(truth.latency_ns), abs=300)
        assert latency.deviation_ns == pytest.approx(truth.latency_ns.std(), rel=0.01)
    for side, length_ns in ((period.pins, PERIOD_NS * (1 + 40e-6)), (period.ticks, PERIOD_NS)):
        ends_ns = np.diff(truth.latency_ns[[0, -1]])[0] / (truth.count - 1)
        assert side.average_interval_ns == pytest.approx(length_ns + ends_ns, abs=0.1)
    assert found.figures == period.pins.latency
    assert (events["response_sample"] == truth.samples).all()
    assert (events["status"] == 0).all()
    assert (events["planned_ticks"] == -1).all()  # of a train: there is none


def test_missed_periods_and_overruns_are_counted_with_their_numbers() -> None:
    latency_ns = noise(400)
    latency_ns[99] = 1.4e6  # an overrun; the next one passes meanwhile
    latency_ns[100] = -1
    latency_ns[[200, 201, 202]] = -1
    latency_ns[399] = -1  # the last one
    truth = Truth(400, latency_ns)
    found, events = judged(truth, truth.run(), limits=Limits(missed=4, late=0))
    counts = found.counts
    assert (counts.n, counts.answered, counts.late, counts.missed) == (400, 394, 1, 5)
    assert found.verdict is Verdict.FAIL
    assert found.reasons == ("5 missed, 4 allowed", "1 late, 0 allowed")
    assert (events["status"] == np.where(latency_ns < 0, 2, latency_ns > 1e6)).all()
    assert (events["response_sample"][latency_ns < 0] == -1).all()
    due_ns = truth.start_ns + (1 + np.arange(400)) * PERIOD_NS
    apart = events["stimulus_sample"] * 1e9 / RATE_HZ - due_ns
    assert np.ptp(apart) < 1000  # all due times are on one grid, also of those not answered
    # Nothing is divided or left out: the longest interval is three periods too long.
    assert found.details.pins.interval_error.max_ns == pytest.approx(3e6, abs=2e4)
    assert found.details.pins.interval_error.n == 394


@pytest.mark.parametrize(("logged", "pins"), [(True, False), (True, True), (False, True)])
@pytest.mark.parametrize("block", [1 << 40, 50_000])
def test_each_source_of_numbers_gives_the_same(logged: bool, pins: bool, block: int) -> None:
    latency_ns = noise(300)
    latency_ns[[7, 8, 150]] = -1
    truth = Truth(300, latency_ns)
    account = InstrumentCounts(handled=300) if logged else InstrumentCounts()
    found, events = judged(
        truth, truth.run(logged=logged, pins=pins, block=block), account, sequence=pins
    )
    words = {(True, False): "target log", (True, True): "target log and sequence pins"}
    assert found.paired_by == words.get((logged, pins), "sequence pins")
    assert (found.counts.n, found.counts.missed) == (300, 3)
    assert (np.flatnonzero(events["status"] == 2) == [7, 8, 150]).all()
    assert (found.details.ticks is None) == (not logged)


def test_without_log_and_pins_time_alone_tells() -> None:
    latency_ns = noise(300)
    latency_ns[[7, 8, 150]] = -1
    truth = Truth(300, latency_ns, ppm=-200)
    found, _ = judged(truth, truth.run(logged=False), InstrumentCounts())
    assert (found.paired_by, found.counts.missed) == ("order alone", 3)
    assert found.details.pins.rate_ppm == pytest.approx(-200, abs=0.5)
    assert found.verdict is Verdict.FAIL


@pytest.mark.parametrize("count", [100, 3000])
@pytest.mark.parametrize(
    ("slip", "words"),
    [
        (1, "1 passed that the target did not count"),
        (-1, "1 counted that did not pass"),
        (0, "as many by the analyzer's clock as the target counted"),
    ],
)
def test_a_target_that_counts_wrongly_is_caught_by_the_clock(
    slip: int, words: str, count: int
) -> None:
    """Log and pins agree that nothing is missing, but a period has passed unseen."""
    latency_ns = noise(count)
    latency_ns[[20, 30]] = 0.95e6  # nearly a period late, and in time again
    truth = Truth(count, latency_ns)
    truth.time_ns[count // 3 :] += slip * PERIOD_NS
    truth.time_ns.sort()
    found, _ = judged(truth, truth.run(pins=True, block=10**6), sequence=True)
    assert found.witnesses[-1].text == words
    assert found.verdict is (Verdict.INCONSISTENT if slip else Verdict.PASS)


@given(st.lists(st.integers(0, 30), min_size=1, max_size=60), st.integers(0, 60))
def test_slips_are_what_both_sides_of_each_place_say(latency: list[int], cut: int) -> None:
    values = np.array(latency, np.int64)
    slips = Slips(20)
    slips.feed(values[:cut])
    slips.feed(values[cut:])
    n = len(values)
    lowest = np.array([values[i:].min() for i in range(n)])  # from a place on
    rises = [i for i in range(n - 1) if lowest[i + 1] - lowest[i] >= 18 and n - 1 - i >= 8]
    assert slips.uncounted == len(rises)
    drops = [i for i in range(8, n) if values[:i].min() - values[: i + 1].min() >= 18]
    assert slips.overcounted == len(drops)


def test_a_duplicate_is_no_period_of_its_own() -> None:
    truth = Truth(200, noise(200))
    truth.number = np.insert(truth.number, 50, 50)
    truth.time_ns = np.insert(truth.time_ns, 50, truth.time_ns[49] + 3e5)
    found, _ = judged(truth, truth.run(), limits=Limits(duplicate=0))
    assert (found.counts.n, found.counts.duplicate, found.counts.missed) == (200, 1, 0)
    assert found.verdict is Verdict.FAIL
    assert found.details.pins.latency.n == 200


def test_a_run_cut_short_misses_nothing_that_was_not_due() -> None:
    truth = Truth(100, noise(100))
    run = truth.run()
    settings = settings_of("period", Schedule(PERIOD_NS, 300))
    found = evaluate(run, settings, InstrumentCounts(handled=100, interrupted=True))
    assert (found.counts.n, found.counts.missed) == (100, 0)
    assert found.verdict is Verdict.INCONCLUSIVE
    assert found.reasons == ("interrupted by the user after 100 of 300 periods",)
    found = evaluate(run, settings, InstrumentCounts())
    assert found.reasons[0].startswith("the run has no end")
    # The same answers in a run that had its time: the others were due and did not come.
    found = evaluate(run, settings, InstrumentCounts(handled=100))
    assert (found.counts.n, found.counts.missed) == (300, 200)


def test_no_answer_at_all() -> None:
    found = evaluate(
        MemoryRun([], RATE_HZ),
        settings_of("period", Schedule(PERIOD_NS, 10)),
        InstrumentCounts(handled=0),
    )
    assert (found.counts.n, found.counts.missed, found.figures.n) == (10, 10, 0)
    assert found.verdict is Verdict.FAIL


def test_a_limit_on_the_interval_error_takes_both_signs() -> None:
    latency_ns = noise(200)
    latency_ns[100] = 200_000
    truth = Truth(200, latency_ns)
    for limit_ns, verdict in ((195_000, Verdict.FAIL), (205_000, Verdict.PASS)):
        found, _ = judged(truth, truth.run(), limits=Limits(interval_error_ns=limit_ns))
        assert found.verdict is verdict
    assert found.details.pins.interval_error.max_ns < 205_000


@given(st.integers(10_000, 10**9), st.integers(10**3, 10**10), st.integers(2, 50), st.data())
def test_interval_errors_are_exact(period_ns: int, rate_hz: int, n: int, data: st.DataObject):
    """The nominal period is a fraction of the clock's unit; no error is rounded to whole ones."""
    nominal = NominalPeriod(period_ns, rate_hz)
    off = data.draw(st.lists(st.integers(0, 1000), min_size=n, max_size=n))
    time = np.array([k * nominal.units // nominal.parts + o for k, o in enumerate(off)])
    time = np.maximum.accumulate(time)
    fit = PeriodFit(period_ns, rate_hz)
    fit.feed(1 + np.arange(n), time)
    error = fit.errors.histogram
    expected = np.diff(time) * nominal.parts - nominal.units
    values, counts = np.unique(expected, return_counts=True)
    assert (error.values == values).all()
    assert (error.counts == counts).all()
    exact = period_ns * rate_hz / 1e9
    assert nominal.units / nominal.parts == pytest.approx(max(exact, 1 / nominal.parts), abs=1e-3)


@pytest.mark.parametrize("rise", [2**70, -(2**70), 0])
def test_a_grid_of_a_damaged_log_has_no_number_that_does_not_fit(rise: int) -> None:
    """Steep beyond 64 bits: values are at their ends, and numpy has nothing to warn of."""
    grid = Grid(NominalPeriod(1_000_000, 1_000_000_000), EnvelopeLine(0, 0, 1, rise), 0)
    number = np.arange(3)
    time = number * 1_000_000
    expected = [0, 0, 0] if rise == 0 else [0, *(2 * [-(2**61) if rise > 0 else 2**61])]
    assert grid.latencies(number, time).tolist() == expected
    assert (grid.due(number) - time).tolist() == [-each for each in expected]
