# SPDX-License-Identifier: GPL-3.0-or-later
"""The gaps that the kernel's tracer hwlat finds in its own readings of the clock.

It reads with interrupts off: what it finds, the hardware or its firmware has taken. The lines are
described in the kernel's Documentation/trace/hwlat_detector.rst.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from statistics import fmean, pstdev

from rig.tools.tool_runs import ToolRun

SAMPLES_MAX = 10_000
_SAMPLE = re.compile(
    r".{1,80}: #(\d{1,10})\s+inner/outer\(us\): *(\d{1,12})/(\d{1,12})\s+ts:(\d{1,12})\.(\d{9})"
    r"(?: count:(\d{1,10}))?(?: nmi-total:\d{1,12} nmi-count:\d{1,10})?"
)


@dataclass(frozen=True)
class HwlatFigures:
    """The figures of one run of hwlat."""

    samples: int
    """The number of windows in which a gap was longer than the threshold."""
    gaps: int
    """The number of all gaps; as many as samples where the kernel does not count them."""
    inner_max_us: int
    """The longest gap between two readings of one pair."""
    outer_max_us: int
    """The longest gap between two pairs."""
    least_us: int | None = None
    """The shortest of the longest gaps of each window; None without any."""
    average_us: float | None = None
    """The average of the longest gaps of each window."""
    deviation_us: float | None = None
    """Their population standard deviation."""
    average_interval_s: float | None = None
    """The average time from one window with a gap to the next; None with fewer than two."""

    @property
    def longest_us(self) -> int:
        """The longest gap of both kinds."""
        return max(self.inner_max_us, self.outer_max_us)


def hwlat_figures(run: ToolRun) -> HwlatFigures:
    """Parse the output of hwlat. Raises ValueError, in words, for what is not its output."""
    lines = run.output.splitlines()
    if not lines or not lines[0].startswith("# tracer: hwlat"):
        words = lines[-1].strip()[:80] if lines else ""
        raise ValueError(f"it printed {words!a}" if words else "it printed nothing")
    found: list[list[int]] = []
    for line in lines:
        if line.startswith("#") or not line.strip():
            continue
        match = _SAMPLE.fullmatch(line.rstrip())
        if match is None or len(found) == SAMPLES_MAX:
            raise ValueError(f"{line.strip()[:80]!a} is no sample of it")
        found.append([int(text or 0) for text in match.groups()])
    longest = [max(row[1], row[2]) for row in found]
    times_s = [row[3] + row[4] * 1e-9 for row in found]
    return HwlatFigures(
        samples=len(found),
        gaps=sum(max(1, row[5]) for row in found),
        inner_max_us=max((row[1] for row in found), default=0),
        outer_max_us=max((row[2] for row in found), default=0),
        least_us=min(longest, default=None),
        average_us=fmean(longest) if longest else None,
        deviation_us=pstdev(longest) if longest else None,
        average_interval_s=(times_s[-1] - times_s[0]) / (len(found) - 1)
        if len(found) > 1
        else None,
    )
