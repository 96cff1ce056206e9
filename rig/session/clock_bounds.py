# SPDX-License-Identifier: GPL-3.0-or-later
"""How far a bench's clocks may run apart, from what its fixture says of each."""

from __future__ import annotations

from rig.analysis.raw import ClockBounds
from rig.config.clocks import KINDS, ClockKind, ClockSettings

_PPM = 1000
"""Parts per billion in one part per million."""


def clock_bounds(told: ClockSettings) -> ClockBounds:
    """Of each pair: as before there were such keys, unless one clock of the pair is told.

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


def _pair(
    analyzer: ClockKind | None, other: ClockKind | None, usual: ClockKind
) -> ClockKind | None:
    if analyzer is None and other is None:
        return None
    first, second = analyzer or KINDS["crystal"], other or usual
    return ClockKind(first.ppb + second.ppb, first.ppb_per_s + second.ppb_per_s)
