# SPDX-License-Identifier: GPL-3.0-or-later
"""A step of the calibration: what it is called, what to connect, and how it is run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from calibration.context import Progress, StepContext
from calibration.findings import StepOutcome


@dataclass(frozen=True)
class Step:
    """Texts and code alike for command line, wizard and tests."""

    name: str
    """As in `rig calibrate NAME` and in the calibration file."""
    title: str
    does: str
    """What happens, in a sentence or two."""
    connect: str
    """What must be connected for it."""
    run: Callable[[StepContext, Progress], StepOutcome]
    """Raises BenchError if the bench fails, StoppedError if the user stops it."""
    apart: bool = False
    """It wants connections of its own, so that it is none of "all"."""
