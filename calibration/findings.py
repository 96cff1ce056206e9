# SPDX-License-Identifier: GPL-3.0-or-later
"""What a step finds, in words, and what to do about it: alike on the terminal and in the window."""

from __future__ import annotations

from dataclasses import dataclass

from rig.config.calibration import CalibratedQuantity, CalibrationRecord


@dataclass(frozen=True)
class Finding:
    """One thing found."""

    kind: str
    """Short name of what is wrong, such as "swapped"."""
    text: str
    """What was seen, in one line of at most 200 characters."""
    remedy: str
    """What to do; "" if nothing."""
    fault: bool = True
    """It has to be mended before measuring; else it is good to know."""
    signals: tuple[str, ...] = ()
    """Wires that it is about."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", self.text[:200])


@dataclass(frozen=True)
class StepOutcome:
    """What a step hands back."""

    record: CalibrationRecord
    """For the calibration file."""
    findings: tuple[Finding, ...]
    drawing: str = ""
    """Lines for a terminal, or nothing."""
    fixture_text: str = ""
    """The fixture as it was found to be wired, if it could be told."""
    told: tuple[CalibratedQuantity, ...] | None = None
    """Values to be shown, if the record has too many to read; None: all."""

    @property
    def passed(self) -> bool:
        """Nothing has to be mended."""
        return not any(finding.fault for finding in self.findings)
