# SPDX-License-Identifier: GPL-3.0-or-later
"""Identity and health of the instruments, on the virtual bench and on paper."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.findings import StepOutcome
from calibration.health.judge import Health, findings, holes
from calibration.health.sustained import Tried, bytes_per_second, search
from calibration.runner import chosen, run_steps
from calibration.settings import CalibrationSettings
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


def check(more: str = "", rate_seconds: int = 0, rate: str = "4 MHz") -> StepOutcome:
    text = load_fixture("virtual").text.replace("24 MHz", rate)
    fixture = parse_fixture(f"{text}\n{more}\n", "test")
    opener = partial(open_bench, every_channel=True)
    settings = CalibrationSettings(rate_seconds=rate_seconds)
    (outcome,) = run_steps(fixture, chosen(["instruments"]), opener, settings=settings)
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


@pytest.mark.parametrize(
    ("rate", "sustained", "found_hz", "above"),
    [
        ("4 MHz", "5.2 MHz", 5_000_000, "10 MHz: "),
        pytest.param("4 MHz", "1.5 MHz", 1_000_000, "2 MHz: ", marks=pytest.mark.slow),
    ],
)
def test_the_highest_rate_without_loss_is_found(rate, sustained, found_hz, above):
    outcome = check(f'[virtual.sampling]\nsustained = "{sustained}"', 1, rate)
    found = outcome.record.quantity("sustained_rate")
    assert found is not None
    assert found.value == found_hz
    assert outcome.record.quantity("sustained_bytes").value == found_hz  # 8 channels: a byte each
    assert outcome.record.conditions["each rate tried for"] == "1 s"
    assert outcome.record.conditions["next higher rate"].startswith(above)
    kinds = [each.kind for each in outcome.findings if each.fault]
    assert ("rate too high" in kinds) == (found_hz < 4_000_000)
    assert (outcome.record.quantity("samples_in_a_row") is None) == (found_hz < 4_000_000)


RATES = st.lists(st.integers(1, 10**9), unique=True, max_size=30)


@given(RATES, st.integers(1, 10**9), st.integers(0, 10**9))
def test_the_search_finds_the_border_wherever_it_is(rates, own_hz, border_hz):
    def attempt(rate_hz: int) -> Tried:
        asked.append(rate_hz)
        return Tried(rate_hz, "lost" if rate_hz > border_hz else "")

    asked: list[int] = []
    found, tried = search(rates, attempt(own_hz), attempt)
    every = {*rates, own_hz}
    fine = max((rate for rate in every if rate <= border_hz), default=0)
    assert found.rate_hz == fine
    higher = [rate for rate in every if rate > fine]
    assert (None if found.limit is None else found.limit.rate_hz) == min(higher, default=None)
    assert [each.rate_hz for each in tried] == asked == list(dict.fromkeys(asked))


@pytest.mark.parametrize(("channels", "each"), [(1, 1), (8, 1), (9, 2), (16, 2)])
def test_samples_are_of_whole_bytes(channels, each):
    assert bytes_per_second(1_000_000, channels) == each * 1_000_000
