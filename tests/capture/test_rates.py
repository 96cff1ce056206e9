# SPDX-License-Identifier: GPL-3.0-or-later
"""Sample rates as drivers list them."""

from __future__ import annotations

import subprocess
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.capture.rates import rates_of
from rig.capture.sigrok_analyzer import SigrokAnalyzer

FX2 = "{'samplerates': <[uint64 20000, 25000, 50000, 24000000]>}"


@pytest.mark.parametrize(
    ("text", "rates"),
    [
        (FX2, (20_000, 25_000, 50_000, 24_000_000)),
        ("{'samplerates': <[uint64 500]>}", (500,)),
        ("{'samplerate-steps': <[uint64 10, 100, 1]>}", (10, 20, 50, 100)),
        ("{'samplerate-steps': <[uint64 3, 120, 7]>}", (3, 10, 120)),
        ("{'samplerate-steps': <[uint64 10, 100, 0]>}", ()),
        ("{'samplerates': <[uint64 0, 99999999999999999999999]>}", ()),
        ("", ()),
        ("[uint64 1, 2]", ()),
    ],
)
def test_lists_and_steps(text, rates):
    assert rates_of(text) == rates


@given(st.text())
def test_anything_else_is_nothing(text):
    assert rates_of(text) == ()


@given(st.integers(1, 10**6), st.integers(1, 10**12))
def test_between_limits_there_is_no_large_hole(low, high):
    rates = rates_of(f"{{'samplerate-steps': <[uint64 {low}, {high}, 1]>}}")
    if low > high:
        assert rates == ()
        return
    assert (rates[0], rates[-1]) == (low, high)
    assert all(b <= 2.5 * a for a, b in pairwise(rates))


def test_a_driver_of_libsigrok_tells_the_same_as_sigrok_cli():
    with SigrokAnalyzer.open(
        "demo", "", sample_rate_hz=200_000, channels=8, channel_mask=255, options={},
        stall_timeout_s=10.0,
    ) as analyzer:  # fmt: skip
        rates = analyzer.identity.sample_rates_hz
    shown = subprocess.run(
        ["sigrok-cli", "-d", "demo", "--show"], capture_output=True, text=True, check=True,
        timeout=30,
    ).stdout  # fmt: skip
    (line,) = [each for each in shown.splitlines() if "samplerate" in each and "Hz" in each]
    assert "1 Hz - 1 GHz in steps of 1 Hz" in line
    assert (rates[0], rates[-1]) == (1, 10**9)
