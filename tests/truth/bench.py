# SPDX-License-Identifier: GPL-3.0-or-later
"""Virtual benches for the truth tests: plans, fixtures, and the comparison with what was true."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rig.analysis.measurements.verdict import Verdict
from rig.analysis.model.events import EventClass
from rig.config.check import check
from rig.config.fixture import parse_fixture
from rig.config.plan import parse_plan
from rig.config.virtual.bench import LOG_RECORDS
from rig.instruments import UNKNOWN_PS
from rig.record.reader import RunFile
from rig.session.results import Result, store
from rig.session.run import run
from rig.virtual.clock import VirtualClock
from rig.virtual.target import BOOT_TICKS, ENTRY_PS
from rig.virtual.truth import MERGED, MISSED, load_truth
from tests.stored_events import events_of
from tests.virtual_bench import virtual_fixture

STIMULUS_ERROR_PPB = 38_000
TARGET_HZ, TARGET_ERROR_PPB = 2_800_000_000, -12_000
TICK_PS = 62_500 * 1e9 / (1e9 + STIMULUS_ERROR_PPB)

PATTERNS = {
    "periodic": 'period = "500 us"',
    "uniform": 'interval_min = "200 us"\ninterval_max = "1800 us"',
    "poisson": 'interval_min = "100 us"\ninterval_mean = "700 us"',
    "burst": 'burst_count = 5\nburst_spacing = "120 us"\nperiod = "3 ms"',
    "ramp": 'interval_start = "1 ms"\ninterval_stop = "110 us"',
}
MODELS = {
    "constant": 'latency = "6 us"',
    "normal": 'mean = "8 us"\ndeviation = "1 us"\nminimum = "4 us"',
    "gamma": 'minimum = "3 us"\nscale = "2 us"\nshape = 2.5',
    "mixture": 'mean = "6 us"\ndeviation = "0.5 us"\nminimum = "4 us"\n'
    'outlier_probability = 0.05\noutlier_latency = "60 us"',
    "load": 'mean = "5 us"\ndeviation = "0.5 us"\nminimum = "3 us"\n'
    'load_gain = 0.3\nload_window = "2 ms"',
    "reference": 'row = "7.9/Linux 2.6.27/interrupt/ISR/cpu"',
}
MISBEHAVIORS = {
    "none": "",
    "miss": "miss = 0.1",
    "duplicate": 'duplicate = 0.1\nduplicate_after = "40 us"',
    "late": 'late = 0.1\nlate_by = "600 us"',
    "glitch": 'glitch = 0.2\nglitch_width = "100 ns"',
    "merge": 'merge = 0.1\nmerge_mask = "600 us"',
    "late and merge": 'late = 0.1\nlate_by = "900 us"\nmerge = 0.1\nmerge_mask = "900 us"',
    "mixed": "miss = 0.05\nduplicate = 0.05\nglitch = 0.05\nmerge = 0.05\n"
    'duplicate_after = "40 us"\nglitch_width = "120 ns"\nmerge_mask = "600 us"',
}


@dataclass(frozen=True)
class Case:
    """One cell of the matrix."""

    seed: int
    model: str
    pattern: str
    rate_mhz: int
    misbehavior: str = "none"
    sequence_bits: int = 3
    count: int = 60
    logs_entry: bool = True
    log_records: int = LOG_RECORDS
    driver: str = "beaglelogic"

    def __str__(self) -> str:
        return "-".join(str(v) for v in vars(self).values())


def plan_text(case: Case) -> str:
    """The plan of a case."""
    return f"""
[plan]
name = "truth"
title = "truth"
measurement = "interrupt"
scenario = "idle"
[stimulus]
pattern = "{case.pattern}"
{PATTERNS[case.pattern]}
count = {case.count}
seed = {case.seed}
pulse_width = "10 us"
polarity = "{"positive" if case.seed % 2 else "negative"}"
delay = "1 ms"
[capture]
resolution = "50 ns"
glitch_filter = "200 ns"
[response]
timeout = "5 ms"
"""


def fixture_text(case: Case, truth: Path) -> str:
    """The fixture of a case."""
    virtual = f"""\
[virtual.target]
model = "{case.model}"
{MODELS[case.model]}
seed = {case.seed}
toggle_time = "50 ns"
logs_entry = {str(case.logs_entry).lower()}
log_records = {case.log_records}
clock = "{TARGET_HZ} Hz"
clock_error_ppb = {TARGET_ERROR_PPB}
[virtual.misbehave]
{MISBEHAVIORS[case.misbehavior]}
[virtual.clocks]
stimulus_error_ppb = {STIMULUS_ERROR_PPB}
"""
    return virtual_fixture(
        "truth",
        virtual,
        truth=truth,
        rate_mhz=case.rate_mhz,
        channels=8 if case.seed % 3 or case.driver == "fx2lafw" else 14,
        driver=case.driver,
        sequence_bits=case.sequence_bits,
    )


def measure(case: Case, folder: Path) -> tuple[Result, Any, dict[str, Any]]:
    """Run a case through the whole chain; its result, the true events, and the bench's facts."""
    truth = folder / "truth.bin"
    plan = parse_plan(plan_text(case), "truth plan")
    fixture = parse_fixture(fixture_text(case, truth), "truth fixture")
    check(plan, fixture)
    path = folder / "run.h5"
    failure = run(plan, fixture, path, lambda _live: None, threading.Event())
    assert failure is None, failure
    return store(path), *load_truth(truth)


def expected_classes(truth: Any) -> list[int]:
    """The class of each stimulus, from what was true."""
    following = np.append(truth["stimulus_ps"][1:], np.iinfo(np.int64).max)
    late = truth["response_ps"] >= following
    classes = np.where(late, EventClass.LATE, EventClass.ANSWERED)
    classes[truth["kind"] == MISSED] = EventClass.MISSED
    classes[truth["kind"] == MERGED] = EventClass.MERGED
    return classes.tolist()


def compare(case: Case, result: Result, truth: Any, facts: dict[str, Any]) -> None:
    """Every event, every class, both witnesses and the log against what was true."""
    counts = result.evaluation.counts
    assert len(truth) == case.count == counts.n
    events = events_of(result.path)
    with RunFile(result.path) as file:
        captures = file.captures(0, file.capture_count)
        log, report = file.log(0, file.log_count), file.report
    assert report["stimulus_late"] == 0
    # Answers of interrupts that waited follow each other in 20 us. If the host's words come just
    # then, the microcontroller reads the second too late, and says that it has lost one.
    lost = report["capture_overruns"]
    assert lost == 0 or case.misbehavior == "late and merge"
    assert events["status"].tolist() == expected_classes(truth)
    assert counts.duplicate == truth["duplicates"].sum()
    assert counts.glitches == truth["glitches"].sum() == facts["glitches"]
    assert counts.spurious == 0
    compare_latencies(case, result, truth, events)
    if not lost:
        compare_captures(truth, events, captures, result)
    compare_inside(truth, events, result)
    if "merge" not in MISBEHAVIORS[case.misbehavior]:  # a handler that waits for others enters late
        compare_stages(case, truth, result)
    own = events["response_edge"][truth["kind"] != MISSED]
    for name in ("before_ticks", "after_ticks", "handled"):
        assert log[name][own].tolist() == truth[name][truth["kind"] != MISSED].tolist()
    misbehaved = counts.missed + counts.late + counts.merged + counts.duplicate
    assert result.evaluation.verdict is (Verdict.FAIL if misbehaved else Verdict.PASS)


def compare_latencies(case: Case, result: Result, truth: Any, events: dict[str, Any]) -> None:
    """Each within one sample period of the true one, and the statistics made of all of them."""
    served = truth["kind"] != MISSED
    samples = events["response_sample"] - events["stimulus_sample"]
    period_ps = 10**12 / (case.rate_mhz * 10**6)
    true_ps = (truth["response_ps"] - truth["stimulus_ps"])[served]
    error_ps = samples[served] * period_ps - true_ps
    assert np.abs(error_ps).max() <= period_ps
    figures = result.evaluation.figures
    assert figures.n == np.count_nonzero(served)
    assert abs(figures.average_ns * 1e3 - true_ps.mean()) <= period_ps
    assert abs(figures.max_ns * 1e3 - true_ps.max()) <= period_ps


def compare_captures(truth: Any, events: dict[str, Any], captures: Any, result: Result) -> None:
    """The input capture is the true time, up to its start and one tick."""
    served = truth["kind"] != MISSED
    residue_ps = captures[events["response_edge"][served]] * TICK_PS - truth["response_ps"][served]
    assert np.ptp(residue_ps) <= TICK_PS
    capture = result.evaluation.capture
    assert capture.n == np.count_nonzero(served)
    assert capture.spread_ns <= capture.allowed_ns


def compare_inside(truth: Any, events: dict[str, Any], result: Result) -> None:
    """Each latency inside the target is true to the bound that is stated for all of them."""
    clock = VirtualClock(TARGET_HZ, TARGET_ERROR_PPB, BOOT_TICKS)
    known = events["internal_latency_ps"] != UNKNOWN_PS
    assert known.tolist() == (truth["kind"] != MISSED).tolist()
    read_ps = np.array([clock.time_ps(tick) for tick in truth["before_ticks"][known].tolist()])
    error_ps = events["internal_latency_ps"][known] - (read_ps - truth["stimulus_ps"][known])
    inside = result.evaluation.internal_latency
    assert np.abs(error_ps).max() <= inside.within_ns * 1e3 + 1


def compare_stages(case: Case, truth: Any, result: Result) -> None:
    """The model enters its handler ENTRY_PS behind the edge."""
    inside = result.evaluation.internal_latency
    assert (inside.stages is not None) == case.logs_entry
    if inside.stages is None:
        return
    clock = VirtualClock(TARGET_HZ, TARGET_ERROR_PPB, BOOT_TICKS)
    answered = truth[truth["kind"] != MISSED]
    read_ps = np.array([clock.time_ps(tick) for tick in answered["before_ticks"].tolist()])
    behind_ns = (read_ps - answered["stimulus_ps"] - ENTRY_PS) / 1e3
    for found, true_ns in (
        (inside.stages.to_entry, np.array([ENTRY_PS / 1e3])),
        (inside.stages.from_entry, behind_ns),
    ):
        assert abs(found.average_ns - true_ns.mean()) <= inside.within_ns
        assert abs(found.min_ns - true_ns.min()) <= inside.within_ns
        assert abs(found.max_ns - true_ns.max()) <= inside.within_ns
    assert inside.stages.n == len(answered)
