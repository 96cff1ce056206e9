# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures of the gaps in a spinning task's train of edges, beside those of its intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rig.analysis.measurements.toggle_gap_list import ToggleGap
from rig.analysis.model.details import Details


@dataclass(frozen=True)
class ToggleGapFigures(Details):
    """The figures of gaps, which are intervals above the threshold."""

    kind = "toggle_gaps"

    pause_ns: int
    """Time that the task waits between two toggles: so much of a hold-up can stay hidden."""
    threshold_ns: int
    duration_s: float
    """Time from the first edge to the last."""
    toggles: int
    """Number of edges that the analyzer saw."""
    gaps: int
    """Number of gaps by the pins."""
    gaps_by_log: int | None
    """Number of gaps by the log; None: the log has no times."""
    gaps_by_both: int | None
    at_threshold: int
    """Number that one side only has, of the threshold's length within the uncertainty."""
    per_hour: float | None
    share: float | None
    """Share of the run's time that was spent in gaps."""
    write_ns: float | None
    """Median time of a write of the pins, by the target's counter."""
    log_dropped: int
    """Number of records that found the log full."""
    listed: tuple[ToggleGap, ...]
    """The longest gaps, in order of time."""
    ended_by: Literal["", "count", "gaps", "duration"] = ""
    """The end that the train came to, of those that were asked for; "": none of them."""

    @property
    def ended_early(self) -> bool:
        """Whether the train ended before its count, by another end that was asked for."""
        return self.ended_by in ("gaps", "duration")

    @property
    def caveats(self) -> tuple[str, ...]:
        """The reasons why the run proves less than it should."""
        if not self.log_dropped:
            return ()
        return (
            f"the target's log got full, {self.log_dropped:,} records are missing: later gaps have "
            "no second witness; raise the threshold or measure for a shorter time",
        )
