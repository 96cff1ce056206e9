# SPDX-License-Identifier: GPL-3.0-or-later
"""Both kernels, each way to answer, idle and loaded: what must hold of each run, and of the table.

Slow: sixteen runs of a guest. `python -m tests.guest.matrix` prints the table alone.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.analysis.measurements.verdict import Verdict
from tests.guest.brackets import fit
from tests.guest.matrix import COUNT, KERNELS, WAYS, Case, Outcome, cases, measure

ROOT = Path(__file__).parents[2]
LOADS = ("idle", "system")
HANDLER, THREAD, IOPORT, PPDEV = WAYS
SLACK_MAX_NS = {"kmod": 100, "ioport": 100, "ppdev": 10_000}
"""A pin write through the character device takes long, and its bracket is as wide."""

Measured = Callable[[Case], Outcome]


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Measured:
    """Each case is measured once, when it is first asked for."""
    for folder in ("targets/qemu", "targets/agent"):
        subprocess.run(["make", "--silent", "-C", ROOT / folder], check=True, timeout=120)
    outcomes: dict[Case, Outcome] = {}
    folder = tmp_path_factory.mktemp("matrix")

    def outcome(case: Case) -> Outcome:
        if case not in outcomes:
            outcomes[case] = measure(case, folder / f"{case}.h5")
        return outcomes[case]

    return outcome


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("case", cases(loads=LOADS), ids=str)
def test_counts_and_brackets(case: Case, measured: Measured) -> None:
    outcome = measured(case)
    counts = outcome.counts
    # Every stimulus was handled; those that share an answer say so, and none is missed.
    assert counts.n == outcome.handled == COUNT
    assert counts.missed == counts.duplicate == counts.spurious == counts.glitches == 0
    assert outcome.answers == outcome.captures == counts.answered + counts.late
    assert outcome.figures.n == COUNT
    assert all(outcome.witnesses.values()), outcome.witnesses
    # One clock has every edge between its ticks; the guest's runs at the analyzer's very rate.
    clock = outcome.clock
    assert clock.events == outcome.answers
    assert 0 <= clock.slack_ns < SLACK_MAX_NS[case.way.port]
    assert clock.rate_low_ppm <= 0 <= clock.rate_high_ppm
    if case.load == "idle":
        assert outcome.verdict is Verdict.PASS
    else:
        assert outcome.verdict is (Verdict.FAIL if counts.merged or counts.late else Verdict.PASS)


def average_ns(outcome: Outcome) -> float:
    assert outcome.figures.average_ns is not None
    return outcome.figures.average_ns


def maximum_ns(outcome: Outcome) -> float:
    assert outcome.figures.max_ns is not None
    return outcome.figures.max_ns


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_table_has_the_known_shape(measured: Measured) -> None:
    stock, rt = (
        {(way, load): measured(Case(kernel, way, load)) for way in WAYS for load in LOADS}
        for kernel in KERNELS
    )
    # PREEMPT_RT runs the parallel port's handler in a thread: slower where there is no contention.
    assert average_ns(rt[HANDLER, "idle"]) > 2 * average_ns(stock[HANDLER, "idle"])
    for way in WAYS:
        assert average_ns(rt[way, "idle"]) > average_ns(stock[way, "idle"])
    # A task on the stock kernel waits until a system call is over, and on PREEMPT_RT does not.
    for way in (THREAD, IOPORT, PPDEV):
        assert maximum_ns(rt[way, "system"]) < maximum_ns(stock[way, "system"]) / 4
        assert stock[way, "system"].counts.merged > 0 == rt[way, "system"].counts.merged


# --- the oracle itself ---------------------------------------------------------------------------

RATE_HZ = 24_000_000


def log_of(edges_ns: np.ndarray, offset_ns: float, rate_ppm: float, around_ns: float) -> list:
    """[samples, ticks before, ticks after] of answers at known times, on a known clock."""
    ticks = offset_ns + edges_ns * (1 + rate_ppm * 1e-6)
    samples = np.ceil(edges_ns * RATE_HZ / 1e9).astype(np.int64)
    before, after = np.floor(ticks - around_ns), np.ceil(ticks + around_ns)
    return [samples, before.astype(np.int64), after.astype(np.int64)]


@given(
    st.floats(-1e9, 1e12),
    st.floats(-200, 200),
    st.integers(2, 60),
    st.integers(0, 2**32),
)
def test_a_known_clock_is_found(offset_ns: float, rate_ppm: float, n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    edges_ns = np.cumsum(rng.uniform(2e5, 2e6, n))
    clock = fit(*log_of(edges_ns, offset_ns, rate_ppm, 30.0), RATE_HZ)
    assert clock.events == n
    assert clock.slack_ns >= 29.9
    assert clock.rate_low_ppm - 1e-3 <= rate_ppm <= clock.rate_high_ppm + 1e-3


@pytest.mark.parametrize("wrong_ns", [-400, 400])
def test_one_edge_outside_its_bracket_is_one_too_many(wrong_ns: float) -> None:
    edges_ns = np.arange(1, 300) * 1_000_003.0
    samples, before, after = log_of(edges_ns, 5e6, 20.0, 30.0)
    assert fit(samples, before, after, RATE_HZ).slack_ns > 0
    samples[150] += round(wrong_ns * RATE_HZ / 1e9)
    assert fit(samples, before, after, RATE_HZ).slack_ns < 0
