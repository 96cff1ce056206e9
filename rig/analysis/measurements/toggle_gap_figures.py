# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said of a spinning task's train of edges, beside the figures of its intervals."""

from __future__ import annotations

from dataclasses import dataclass

from rig.analysis.measurements.toggle_gap_list import ToggleGap
from rig.analysis.model.details import Details


@dataclass(frozen=True)
class ToggleGapFigures(Details):
    """Gaps are intervals above the threshold."""

    kind = "toggle_gaps"

    pause_ns: int
    """What the task was to wait between two toggles: so much of a hold-up can stay hidden."""
    threshold_ns: int
    duration_s: float
    """First edge to last."""
    toggles: int
    """Edges that the analyzer saw."""
    gaps: int
    """By the pins."""
    gaps_by_log: int | None
    """None: the log tells no times."""
    gaps_by_both: int | None
    at_threshold: int
    """Known to one side only, of a length that is the threshold's within what is known."""
    per_hour: float | None
    share: float | None
    """Of the run's time that was spent in gaps."""
    write_ns: float | None
    """Of a write of the pins, its median, by the target's counter."""
    log_dropped: int
    """Records that found the log full."""
    listed: tuple[ToggleGap, ...]
    """The longest, in order of time."""

    @property
    def caveats(self) -> tuple[str, ...]:
        """Why the run proves less than it should."""
        if not self.log_dropped:
            return ()
        return (
            f"the target's log got full, {self.log_dropped:,} records are missing: later gaps have "
            "no second witness; raise the threshold or measure for a shorter time",
        )
