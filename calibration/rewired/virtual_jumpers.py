# SPDX-License-Identifier: GPL-3.0-or-later
"""The virtual bench has nobody who changes its wires: jumpers take the place of the hand."""

from __future__ import annotations

from collections.abc import Iterable

from calibration.rewired.rewired import Rewired
from calibration.settings import CalibrationSettings
from rig.config.calibration.names import LOOPBACK_STEP, SKEW_STEP
from rig.config.fixture import Fixture, parse_fixture
from rig.config.virtual.bench import VirtualGuest
from rig.config.virtual.jumpers import Jumpers


def rewired_bench(fixture: Fixture, rewired: Rewired) -> Fixture:
    """The fixture with these wires, if its bench is virtual and has no jumpers of its own."""
    if rewired.step == LOOPBACK_STEP:
        return _with_jumpers(fixture, "loopback = true")
    if rewired.step == SKEW_STEP:
        return _with_jumpers(fixture, f'fan_out = "{_names(rewired.channels)}"\ndirect = true')
    words = f'fan_out = "{_names(each for each in rewired.channels if each != rewired.far)}"'
    if rewired.far is not None:
        words += f'\ntap = "{_names([fixture.channel_of(rewired.through), rewired.far])}"'
    return _with_jumpers(fixture, words)


def bench_with_pps(fixture: Fixture, settings: CalibrationSettings) -> Fixture:
    """The same with a pulse a second on its channel, if the time base is to be compared with it."""
    if settings.pps_channel is None:
        return fixture
    return _with_jumpers(fixture, f'pps = "D{settings.pps_channel}"')


def _with_jumpers(fixture: Fixture, words: str) -> Fixture:
    virtual = fixture.virtual
    if virtual is None or isinstance(virtual.target, VirtualGuest):
        return fixture
    if virtual.jumpers != Jumpers():
        return fixture
    return parse_fixture(f"{fixture.text}\n[virtual.jumpers]\n{words}\n", fixture.source)


def _names(channels: Iterable[int]) -> str:
    return " ".join(f"D{channel}" for channel in channels)
