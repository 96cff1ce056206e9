# SPDX-License-Identifier: GPL-3.0-or-later
"""Evaluations of runs whose clocks are known: the bracket test, each lie, the latency inside."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.analysis.crosscheck.run_brackets import _before_holes
from rig.analysis.measurements.verdict import Verdict
from rig.analysis.model.instrument_counts import InstrumentCounts
from rig.analysis.signals import response_times as answer_times
from rig.analysis.signals.response_times import AnswerTimes
from rig.analysis.train.continuity import Gap
from rig.analysis.uncertainty.contribution import calibrated, limits
from rig.analysis.uncertainty.error_model import BenchErrorModel as UncertainQuantity
from rig.measurements.evaluate import evaluate
from tests.analysis.clocks.simulated import simulate
from tests.analysis.raw_runs import RATE_HZ, STIMULUS, MemoryRun, log_of, settings_of, toggles

N = 3_000
INSIDE_NS = 3_000
"""Every stimulus comes so long before its answer's first time stamp, rounded to a sample."""


class Bench:
    """One simulated run, as instruments would have recorded it."""

    def __init__(self, seed: int = 1, n: int = N, drift: float = 0.1) -> None:
        self.truth = simulate(seed, n, drift_ppm_per_s=drift, sample_rate_hz=RATE_HZ)
        brackets = self.truth.brackets
        self.response = brackets.sample.copy()
        self.stimulus = self.response - INSIDE_NS * RATE_HZ // 10**9
        self.rows = [
            [number, int(before), int(after), 0]
            for number, (before, after) in enumerate(
                zip(brackets.before_ticks, brackets.after_ticks, strict=True), 1
            )
        ]

    def evaluated(self, capture: np.ndarray | None = None, known=None, **told):
        edges = []
        for at in self.stimulus.tolist():
            edges += [(at, STIMULUS, 1), (at + 20, STIMULUS, 0)]
        edges = sorted([*edges, *toggles(self.response.tolist())])
        end = int(self.response[-1]) + RATE_HZ
        run = MemoryRun(edges, end, log_of(map(tuple, self.rows)), captured=capture)
        settings = replace(settings_of("interrupt"), tick_hz=self.truth.rates.tick_hz)
        account = InstrumentCounts(sent=len(self.stimulus), handled=len(self.rows), **told)
        return evaluate(run, settings, account, bench=known)


def bracket_witness(found):
    (one,) = [w for w in found.witnesses if w.name == "bracket test"]
    return one


def test_a_true_run_agrees_and_gives_rate_and_latency_inside() -> None:
    bench = Bench(drift=0.0)
    found = bench.evaluated()
    assert bracket_witness(found).agrees
    clock, inside = found.clock_agreement, found.internal_latency
    assert (clock.n, clock.of, clock.findings) == (N, N, ())
    middle = np.array([bench.response[0], bench.response[-1]])
    assert clock.rate_ppm == pytest.approx(bench.truth.rate_ppm(middle).mean(), abs=0.05)
    assert (clock.residuals.before_ns <= 0).all()
    assert (clock.residuals.after_ns >= 0).all()
    # External latency is the same for all; the stamps are 5 ns and more before the edge.
    brackets, truth = bench.truth.brackets, bench.truth
    early_ns = truth.edge_ps / 1e3 - (brackets.before_ticks + 0.5) / (1 + truth.tick_skew_ppm / 1e6)
    assert inside.n == N
    assert inside.rest_average_ns == pytest.approx(early_ns.mean(), abs=20)
    assert inside.min_ns <= inside.average_ns <= inside.max_ns
    assert inside.max_ns - INSIDE_NS < inside.within_ns + 1e9 / RATE_HZ


def test_the_bound_of_the_latency_inside_holds_what_the_bench_leaves_open() -> None:
    bench, sample_ns = Bench(drift=0.0), 1e9 / RATE_HZ
    bare = bench.evaluated(known=UncertainQuantity(sample_ns)).internal_latency
    stated = UncertainQuantity(
        sample_ns,
        time_base_ppm=limits(100, "ppm", "data sheet"),
        skew_ns=limits(5, "ns", "data sheet", estimate=-2),
        edge_shape_ns=calibrated(0, 1, "ns", "calibration"),
    )
    found = bench.evaluated(known=stated).internal_latency
    assert (found.min_ns, found.max_ns) == (bare.min_ns, bare.max_ns)
    more_ns = 100e-6 * INSIDE_NS + (5 + 2) + 3
    assert found.within_ns == pytest.approx(bare.within_ns + more_ns, abs=100e-6 * 2 * sample_ns)


@given(st.lists(st.integers(0, 9), max_size=12), st.integers(0, 10))
def test_edges_before_a_hole_are_counted(samples: list[int], hole: int) -> None:
    times = AnswerTimes()
    times.add(np.array(sorted(samples), np.int64))
    gaps = (Gap(hole, hole + 9, None, 0, 0), Gap(hole + 50, hole + 59, None, 0, 0))
    assert _before_holes(times, gaps) == sum(sample < hole for sample in samples)
    assert _before_holes(times, ()) == len(samples)


def test_a_shifted_record_is_named() -> None:
    bench = Bench()
    width = bench.rows[1234][2] - bench.rows[1234][1]
    for column in (1, 2):
        bench.rows[1234][column] += 2 * width + 100
    found = bench.evaluated()
    told = bracket_witness(found)
    assert not told.agrees
    assert "1,234" in told.text
    assert found.verdict is Verdict.INCONSISTENT


def test_a_moved_edge_is_named() -> None:
    bench = Bench()
    bench.response[2000] += 12
    told = bracket_witness(bench.evaluated())
    assert not told.agrees
    assert "2,000" in told.text


def captured(bench: Bench) -> np.ndarray:
    """Ticks of the stimulus clock at the true edges, 16 MHz, less its start."""
    return bench.truth.edge_ps // 62_500 - 1_000


@pytest.mark.parametrize(
    ("liar", "word"),
    [
        ("log", "the log's record is false: both edges agree without it"),
        ("edge", "the analyzer's edge is false: input capture and log agree without it"),
        ("coarse", "the input capture, to its tick, agrees with both"),
        ("nobody", ""),
    ],
)
def test_the_input_capture_tells_which_of_two_is_false(liar: str, word: str) -> None:
    bench = Bench(drift=0.0)
    capture = captured(bench)
    number = 1234
    if liar == "edge":
        bench.response[number] += 12
    elif liar != "nobody":
        width = bench.rows[number][2] - bench.rows[number][1]
        for column in (1, 2):
            bench.rows[number][column] += width + (500 if liar == "log" else 10)
    told = bracket_witness(bench.evaluated(capture))
    assert told.agrees is (liar == "nobody")
    assert f"event 1,234: {word}" in told.text or liar == "nobody"
    assert told.text.count("event ") == (0 if liar == "nobody" else 2)


def test_a_capture_that_does_not_rise_tells_nothing() -> None:
    bench = Bench(drift=0.0)
    bench.response[2000] += 12
    told = bracket_witness(bench.evaluated(np.zeros(N, np.int64)))
    assert "event 2,000 (sample" in told.text
    assert "false" not in told.text


def test_behind_a_missing_record_events_keep_the_numbers_of_their_edges() -> None:
    bench = Bench(drift=0.0)
    for column in (1, 2):
        bench.rows[2_000][column] += 5_000
    del bench.rows[300]
    told = bracket_witness(bench.evaluated(captured(bench)))
    assert "record 300 is missing: edge 300 has none" in told.text
    assert f"event 2,000 (sample {bench.response[2_000]:,})" in told.text
    assert "event 2,000: the log's record is false" in told.text


@pytest.mark.parametrize("gone", [0, 777, N - 1])
def test_a_dropped_record_is_named_and_the_others_still_agree(gone: int) -> None:
    bench = Bench()
    del bench.rows[gone]
    told = bracket_witness(bench.evaluated())
    assert not told.agrees
    assert f"record {gone:,} is missing" in told.text
    assert f"{N - 1:,} of {N - 1:,} events inside" in told.text


def test_a_32_bit_counter_is_recognized_and_still_tested() -> None:
    bench = Bench(n=9_000)  # nine seconds at 1 GHz: it wraps twice
    for row in bench.rows:
        row[1] %= 1 << 32
        row[2] %= 1 << 32
    told = bracket_witness(bench.evaluated())
    assert told.agrees
    assert "32-bit counter: 2 wraps undone" in told.text


def test_a_counter_that_jumps_is_named() -> None:
    bench = Bench()
    for row in bench.rows[1500:]:
        row[1] += 10**7
        row[2] += 10**7
    told = bracket_witness(bench.evaluated())
    assert not told.agrees
    assert "counter jumps forward by 10,000,0" in told.text


def test_a_full_log_is_tested_as_far_as_it_goes() -> None:
    bench = Bench()
    del bench.rows[2500:]
    found = bench.evaluated(log_dropped=N - 2500)
    told = bracket_witness(found)
    assert told.agrees
    assert "2,500 of 2,500 events inside their brackets" in told.text
    assert f"(of {N:,})" in told.text


def test_without_a_rate_or_a_log_nothing_is_tested() -> None:
    bench = Bench(n=10)
    bench.rows = []
    assert bench.evaluated().clock_agreement is None


def test_times_are_kept_to_the_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answer_times, "_PART", 8)
    monkeypatch.setattr(answer_times, "KEPT_MAX", 50)
    rng = np.random.default_rng(3)
    samples = np.cumsum(rng.integers(1, 1 << rng.integers(1, 34, 60)))
    times = AnswerTimes()
    for part in np.split(samples, [1, 2, 20, 37]):
        times.add(part)
    assert (times.seen, len(times)) == (60, 50)
    for first in range(51):
        for count in (0, 1, 7, 8, 9, 60):
            assert times.read(first, count).tolist() == samples[:50][first : first + count].tolist()
