# SPDX-License-Identifier: GPL-3.0-or-later
"""What a fixture says of its clocks decides which drift is that of a true clock."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rig.analysis.crosscheck.edge_intervals import PinPairs
from rig.analysis.model.instrument_counts import InstrumentCounts
from rig.analysis.model.settings import ClockBounds
from rig.measurements.evaluate import evaluate
from tests.analysis.raw_runs import STIMULUS, MemoryRun, log_of, settings_of, toggles
from tests.analysis.test_bracketing import RATE_HZ, Bench, bracket_witness

DRIFT_PPM_PER_S = 6.0


def drifting(bounds: ClockBounds):
    """A run of 12 s whose counter drifts steadily, judged by these bounds."""
    bench = Bench(n=12_000, drift=0.0)
    edges = []
    for at in bench.stimulus.tolist():
        edges += [(at, STIMULUS, 1), (at + 20, STIMULUS, 0)]
    time_s = (bench.response - bench.response[0]) / RATE_HZ
    tick_hz = bench.truth.rates.tick_hz
    ahead = np.rint(DRIFT_PPM_PER_S * 1e-6 / 2 * time_s**2 * tick_hz).astype(np.int64).tolist()
    rows = [
        (number, before + more, after + more, flags)
        for (number, before, after, flags), more in zip(bench.rows, ahead, strict=True)
    ]
    edges = sorted([*edges, *toggles(bench.response.tolist())])
    run = MemoryRun(edges, int(bench.response[-1]) + RATE_HZ, log_of(rows))
    settings = replace(settings_of("interrupt"), tick_hz=tick_hz, clocks=bounds)
    return evaluate(run, settings, InstrumentCounts(sent=12_000, handled=12_000))


def test_a_resonator_may_do_what_a_crystal_may_not() -> None:
    assert not bracket_witness(drifting(ClockBounds())).agrees
    found = drifting(ClockBounds(target_ppm_per_s=10.0))
    assert bracket_witness(found).agrees
    assert found.internal_latency is not None
    (wander,) = found.stability
    longest = wander.tau_s[-1]
    expected = DRIFT_PPM_PER_S * 1e-6 * longest / 2**0.5
    assert wander.deviation[-1] == pytest.approx(expected, rel=0.05)


def test_the_reserve_of_a_triggers_brackets_is_that_of_the_clocks() -> None:
    settings = settings_of("interrupt")
    wide = replace(settings, clocks=ClockBounds(target_ppm=5100.0))
    assert PinPairs.of(settings).rate_ppm == 200.0
    assert PinPairs.of(wide).rate_ppm == 5100.0
