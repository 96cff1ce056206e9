# SPDX-License-Identifier: GPL-3.0-or-later
"""Identity and health of the instruments, on the virtual bench and on paper."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.findings import Outcome
from calibration.health.judge import Health, findings, holes
from calibration.runner import chosen, run_steps
from rig import __version__
from rig.bench.open import open_bench
from rig.config.fixture import load_fixture, parse_fixture

HEALTHY = Health(
    rate_hz=24_010_000.0,
    set_hz=24_000_000,
    channels=8,
    pulses=5000,
    sent=5000,
    late=0,
    seen=5000,
    holes=(0, 0),
    losses=(),
    invariant=True,
    agent_version=__version__,
    firmware="0.1.0",
)


def check(more: str = "") -> Outcome:
    text = load_fixture("virtual").text.replace("24 MHz", "4 MHz")
    fixture = parse_fixture(f"{text}\n{more}\n", "test")
    opener = partial(open_bench, every_channel=True)
    (outcome,) = run_steps(fixture, chosen(["instruments"]), opener)
    return outcome


def test_a_healthy_bench_passes_and_its_rate_is_within_its_uncertainty():
    outcome = check()
    assert outcome.findings == ()
    rate = outcome.record.quantity("sample_rate")
    assert rate is not None
    assert rate.n == 5000
    assert rate.value == pytest.approx(4e6 / (1 + 38e-6), rel=1e-7)  # the fixture's clocks
    assert abs(rate.value - 4e6) < 2 * rate.standard_uncertainty
    assert outcome.record.instruments["stimulus_serial"] == "0"


def test_samples_lost_in_silence_are_found():
    outcome = check('[virtual.misbehave]\ndrop = 0.002\ndrop_length = "100 us"')
    assert [each.kind for each in outcome.findings if each.fault] == ["samples lost"]
    assert outcome.record.quantity("sample_rate") is None


def test_a_stimulus_that_does_not_arrive_is_named():
    assert [each.kind for each in check('[virtual.wiring]\nopen = "D0"').findings] == [
        "nothing seen"
    ]


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({"rate_hz": 12e6}, "wrong rate"),
        ({"set_hz": 20_000_000, "rate_hz": 20e6}, "other rate"),
        ({"channels": 4}, "few channels"),
        ({"seen": 4999}, "miscounted"),
        ({"seen": 5001}, "miscounted"),
        ({"seen": 0, "rate_hz": 0.0}, "nothing seen"),
        ({"holes": (3, 700)}, "samples lost"),
        ({"losses": ("stall",)}, "samples lost"),
        ({"sent": 4000, "seen": 4000}, "train failed"),
        ({"late": 1}, "train failed"),
        ({"invariant": False}, "counter varies"),
        ({"agent_version": "0.0.1"}, "other agent"),
    ],
)
def test_each_fault_alone_is_named(change, kind):
    fixture = load_fixture("virtual")
    assert findings(fixture, HEALTHY) == ()
    found = findings(fixture, replace(HEALTHY, **change))
    assert [each.kind for each in found] == [kind]
    assert found[0].remedy


@given(
    period=st.integers(100, 200_000),
    lost=st.dictionaries(st.integers(0, 98), st.floats(0.01, 0.9), max_size=20),
    seed=st.integers(0, 2**32 - 1),
)
def test_holes_are_counted_whatever_the_period(period, lost, seed):
    jitter = np.random.default_rng(seed).integers(0, 2, 100)
    times = np.arange(100) * period + jitter
    missing = np.zeros(100, np.int64)
    sizes = {place: max(int(share * period), 4 + period // 1000) for place, share in lost.items()}
    for place, size in sizes.items():
        missing[place + 1 :] += size
    places, samples = holes(times - missing)
    assert places == len(sizes)
    assert abs(samples - sum(sizes.values())) <= len(sizes)
