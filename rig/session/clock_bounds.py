# SPDX-License-Identifier: GPL-3.0-or-later
"""The limits of a bench's clocks, by which they may be off and run apart, from its fixture."""

from __future__ import annotations

import contextlib
from dataclasses import replace

from rig.analysis.model.settings import ClockBounds
from rig.analysis.uncertainty.analyzers import DATASHEETS
from rig.analysis.uncertainty.clock_limits import TOLERANCE_MAX_PPM, ClockLimit, ClockLimits
from rig.capture.analyzers import datasheet_of
from rig.config.clocks import KINDS, ClockKind, ClockSettings
from rig.config.fixture import Fixture
from rig.config.virtual.bench import VirtualSettings, VirtualTarget
from rig.errors import BenchError
from rig.instruments import Datasheet

_PPM = 1000
"""Parts per billion in one part per million."""
_CRYSTAL_PPM = KINDS["crystal"].ppb / _PPM
_DRIFTING_S = 600
"""The longest time that a virtual clock may have drifted since its bench began."""


def clock_bounds(told: ClockSettings) -> ClockBounds:
    """Return the bounds of each pair of clocks: the usual ones, unless one of the pair is stated.

    The other one is then taken for a crystal, or for the stimulus's usual resonator.
    """
    found = ClockBounds()
    target = _pair(told.analyzer, told.target, KINDS["crystal"])
    stimulus = _pair(told.analyzer, told.stimulus, KINDS["resonator"])
    return ClockBounds(
        target_ppm=found.target_ppm if target is None else target.ppb / _PPM,
        target_ppm_per_s=found.target_ppm_per_s if target is None else target.ppb_per_s / _PPM,
        stimulus_ppm_per_s=found.stimulus_ppm_per_s
        if stimulus is None
        else stimulus.ppb_per_s / _PPM,
    )


def sheet_of(driver: str) -> Datasheet | None:
    """Return an analyzer's data sheet; None if it is not known, or not installed."""
    with contextlib.suppress(BenchError):
        return DATASHEETS.get(driver) or datasheet_of(driver)
    return None


def clock_limits(fixture: Fixture | None, driver: str) -> ClockLimits:
    """Return each clock's limit: by the fixture, else by the maker, else by its kind."""
    found = ClockLimits()
    sheet = sheet_of(driver)
    if sheet is not None:
        found = replace(found, analyzer=ClockLimit.within(sheet.time_base_ppm, sheet.source))
    if fixture is None:
        return found
    if fixture.virtual is not None:
        found = _virtual(found, fixture.virtual)
    told = fixture.clocks
    found = ClockLimits(
        analyzer=_by_kind(told.analyzer, found.analyzer),
        stimulus=_by_kind(told.stimulus, found.stimulus),
        counter=_by_kind(told.target, found.counter),
        timer=found.timer,
    )
    tolerance_ppb = fixture.uncertainty.time_base_ppb
    if tolerance_ppb is not None:
        source = "fixture, [uncertainty] time_base_ppb"
        limit = ClockLimit.within(tolerance_ppb / _PPM, source, is_stated=True)
        found = replace(found, analyzer=limit)
    return found


def _by_kind(kind: ClockKind | None, usual: ClockLimit) -> ClockLimit:
    if kind is None:
        return usual
    return ClockLimit.within(kind.ppb / _PPM, "fixture, [clocks]", is_stated=True)


def _virtual(found: ClockLimits, virtual: VirtualSettings) -> ClockLimits:
    """Return the limits with what a virtual bench's fixture sets, unless no such clock could be."""
    if not virtual.wiring.analyzer_rate_hz:
        off_ppm = _off_ppm(virtual.analyzer_error_ppb, virtual.analyzer_drift_ppb_per_s)
        source = "virtual bench: as its fixture sets it"
        found = replace(found, analyzer=ClockLimit.within(off_ppm, source))
    target = virtual.target
    if isinstance(target, VirtualTarget):
        off_ppm = _off_ppm(target.clock_error_ppb, target.clock_drift_ppb_per_s)
        source = "virtual bench: a crystal, or as its fixture sets it"
        limit = ClockLimit.within(max(_CRYSTAL_PPM, off_ppm), source)
        found = replace(found, counter=limit)
    return found


def _off_ppm(error_ppb: int, drift_ppb_per_s: int) -> float:
    reach_ppb = abs(error_ppb) + abs(drift_ppb_per_s) * _DRIFTING_S
    return min(reach_ppb / _PPM, TOLERANCE_MAX_PPM)


def _pair(
    analyzer: ClockKind | None, other: ClockKind | None, usual: ClockKind
) -> ClockKind | None:
    if analyzer is None and other is None:
        return None
    first, second = analyzer or KINDS["crystal"], other or usual
    return ClockKind(first.ppb + second.ppb, first.ppb_per_s + second.ppb_per_s)
