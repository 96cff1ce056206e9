# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits against figures and their uncertainty: kept, exceeded, or not to be told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rig.analysis.budget.bench import Bench
from rig.analysis.budget.contribution import calibrated
from rig.analysis.evaluate import evaluate
from rig.analysis.raw import Account, Limits
from rig.analysis.verdict import Verdict
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
    settings = replace(settings_of("interrupt"), limits=Limits(max_ns=max_us * 1e3), train=None)
    bench = Bench(SAMPLE_NS)
    if skew is not None:
        bench = replace(bench, skew_ns=calibrated(skew, 100.0, "ns", "loopback"))
    return evaluate(run, settings, Account(sent=N), bench=bench)


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
