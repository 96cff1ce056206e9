# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole virtual benches with drawn clocks, skews and pin writes: values right, no false alarm."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from calibration.runner import chosen, run_steps
from calibration.settings import CalibrationSettings
from rig.bench.open import open_bench
from rig.config.fixture import load_fixture, parse_fixture

pytestmark = [pytest.mark.truth, pytest.mark.timeout(300)]
RATES = ("1 MHz", "4 MHz", "12 MHz", "24 MHz")


def bench(seed: int, more: str, write_ns: int = 50, stimulus_ppb: int = 38_000):
    rng = np.random.default_rng(seed)
    text = load_fixture("virtual").text
    for old, new in (
        ('"24 MHz"', f'"{rng.choice(RATES)}"'),
        ('toggle_time = "50 ns"', f'toggle_time = "{write_ns} ns"'),
        ("stimulus_error_ppb = 38_000", f"stimulus_error_ppb = {stimulus_ppb}"),
        ("analyzer_error_ppb = 0", f"analyzer_error_ppb = {int(rng.integers(-50_000, 50_000))}"),
        ("seed = 1", f"seed = {seed}"),
    ):
        assert old in text
        text = text.replace(old, new)
    return parse_fixture(f"{text}\n{more}\n", "test")


def outcomes(fixture, *steps: str, settings: CalibrationSettings | None = None):
    opener = partial(open_bench, every_channel=True)
    return list(
        run_steps(fixture, chosen(steps), opener, settings=settings or CalibrationSettings(6))
    )


@pytest.mark.parametrize("seed", range(20))
def test_a_healthy_bench_is_no_alarm(seed):
    found = outcomes(
        bench(seed, "[[virtual.core]]\n" * 2), "time-base", "toggle", "counter", "edge-shape"
    )
    assert [each.findings for each in found] == [(), (), (), ()]
    for steps, jumpers in (
        ("channel-skew", 'fan_out = "D0 D1 D2 D3 D4"'),
        ("loopback", "loopback = true"),
    ):
        (outcome,) = outcomes(bench(seed, f"[virtual.jumpers]\n{jumpers}"), steps)
        assert outcome.findings == ()


@pytest.mark.parametrize("seed", range(20))
def test_faults_are_found_and_right(seed):
    rng = np.random.default_rng(100 + seed)
    write_ns, ppb = int(rng.integers(300, 3001)), int(rng.choice((-1, 1)) * 5_000_000)
    cores = '[[virtual.core]]\n[[virtual.core]]\nahead = "2 us"'
    base, toggle, counter = outcomes(
        bench(seed, cores, write_ns, ppb), "time-base", "toggle", "counter"
    )
    assert [each.kind for each in base.findings] == ["ceramic resonator"]
    assert [each.kind for each in toggle.findings] == ["slow pin write"] * 2
    overhead = toggle.record.quantity("toggle_overhead", "response rising")
    assert abs(overhead.value - write_ns / 2) <= 2 * overhead.standard_uncertainty
    apart = counter.record.quantity("core_ahead", "core 1")
    assert abs(apart.value - 2000) <= 2 * apart.standard_uncertainty
    skew_ns = int(rng.integers(5, 125))
    late = f'[[virtual.delay]]\nchannel = "D1"\nskew_rising = "{skew_ns} ns"'
    more = f'[virtual.jumpers]\nfan_out = "D0 D1 D2 D3 D4"\n{late}'
    (outcome,) = outcomes(bench(seed, more), "channel-skew")
    skew = outcome.record.quantity("channel_skew", "D1 rising")
    assert abs(skew.value - skew_ns) <= 2 * skew.standard_uncertainty + 0.001
    assert all(each.kind == "skewed" and each.text.startswith("D1") for each in outcome.findings)
