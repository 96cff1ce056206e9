# SPDX-License-Identifier: GPL-3.0-or-later
"""What is looked for in a run. Apart from what looks, which takes long to load."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from rig.analysis.model.events import EventClass

ANY: Final = 1 << 61


@dataclass(frozen=True)
class Wanted:
    """Which event to look for. Times in samples, ranges without their ends."""

    low: int = 0
    high: int = ANY
    """Its latency, unless there are `kinds`."""
    first_sample: int = 0
    end_sample: int = ANY
    """Its stimulus."""
    kinds: tuple[EventClass, ...] = ()
    """It is one of these, whatever its latency."""
