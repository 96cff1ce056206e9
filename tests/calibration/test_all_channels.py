# SPDX-License-Identifier: GPL-3.0-or-later
"""A calibration shows the channels that go with a rate, or takes a rate that goes with them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rig.capture.drivers import rate_with_channels, refuse_too_fast, widest_mask
from rig.resources import find_fixture
from tests.cli.command import rig

LOGIC16, DSLOGIC, FX2 = "saleae-logic16", "dreamsourcelab-dslogic", "fx2lafw"
OFFERED = (1_000_000, 8_000_000, 16_000_000, 20_000_000, 25_000_000, 32_000_000, 50_000_000)


@pytest.mark.parametrize(
    ("driver", "rate_mhz", "needed", "channels", "mask"),
    [
        (LOGIC16, 32, 0b11, 8, 0xFF),
        (LOGIC16, 50, 0b11, 16, 0b111111),  # six at 50 MHz
        (LOGIC16, 50, 1 << 9 | 1, 16, 1 << 9 | 0b11111),
        (LOGIC16, 50, 0xFF, 16, 0xFF),  # more than go: refused when it is opened
        (DSLOGIC, 25, 0b11, 16, 0xFFF),
        (FX2, 24, 0b11, 16, 0xFF),  # a channel above D7 halves the rate
        (FX2, 12, 0b11, 16, 0xFFFF),
        ("beaglelogic", 100, 0b11, 14, 0x3FFF),
        ("beaglelogic", 100, 1 << 20 | 1, 8, 0xFF),  # no channel that it does not have
    ],
)
def test_as_many_channels_as_go_with_the_rate(driver, rate_mhz, needed, channels, mask) -> None:
    found = widest_mask(driver, rate_mhz * 10**6, needed, channels)
    assert found == mask
    if needed != 0xFF:
        refuse_too_fast(driver, rate_mhz * 10**6, found)


@pytest.mark.parametrize(
    ("driver", "rate_mhz", "channels", "offered", "taken_mhz"),
    [
        (LOGIC16, 50, 16, OFFERED, 16),  # 18.75 are not offered
        (LOGIC16, 32, 8, OFFERED, 32),
        (LOGIC16, 50, 16, (), 18.75),
        (DSLOGIC, 25, 16, OFFERED, 20),
        (FX2, 24, 16, OFFERED, 8),
        ("beaglelogic", 100, 14, OFFERED, 100),
    ],
)
def test_the_highest_rate_that_goes_with_all_channels(
    driver, rate_mhz, channels, offered, taken_mhz
) -> None:
    taken_hz = rate_with_channels(driver, rate_mhz * 10**6, channels, offered)
    assert taken_hz == taken_mhz * 10**6
    refuse_too_fast(driver, taken_hz, (1 << channels) - 1)


@pytest.mark.slow
def test_wires_are_checked_on_every_channel_of_an_analyzer_that_shares_its_rate(
    tmp_path: Path,
) -> None:
    """The DSLogic's own driver, through USB: 16 channels at 25 MHz are more than that carries."""
    hardware = find_fixture("dslogic").read_text(encoding="utf-8")
    virtual = find_fixture("virtual-fx2").read_text(encoding="utf-8")
    analyzer = hardware[hardware.index("[analyzer]") : hardware.index("[stimulus]")]
    analyzer = re.sub(r"(?m)^channels = \d+", 'connection = "virtual"\nchannels = 16', analyzer)
    analyzer = re.sub(r'(?m)^sample_rate = "[^"]*"', 'sample_rate = "25 MHz"', analyzer)
    path = tmp_path / "shared.toml"
    head, tail = virtual.index("[analyzer]"), virtual.index("[stimulus]")
    path.write_text(virtual[:head] + analyzer + virtual[tail:])
    ended = rig("calibrate", "wiring", "--fixture", path)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "20 MHz, at which all 16 channels can be in use" in ended.stderr
    assert "PASS  wiring" in ended.stdout
