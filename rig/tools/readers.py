# SPDX-License-Identifier: GPL-3.0-or-later
"""The reader of each tool's output."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from rig.tools.figures import ToolFigures
from rig.tools.rt_tests import pi_stress_figures, ptsematest_figures, signaltest_figures
from rig.tools.tool_runs import TOOLS, ToolRun
from rig.tools.tracers import WHAT, tracer_figures
from rig.tools.wakeup import cyclictest_figures, timerlat_figures

_LINES_MAX: Final = 20_000
_READERS: Final[dict[str, Callable[[Sequence[str], str], tuple[ToolFigures, ...]]]] = {
    "cyclictest": cyclictest_figures,
    "timerlat": timerlat_figures,
    "signaltest": signaltest_figures,
    "ptsematest": ptsematest_figures,
    "pi_stress": pi_stress_figures,
    **{tracer: partial(tracer_figures, tracer) for tracer in WHAT},
}


def tool_figures(run: ToolRun) -> tuple[ToolFigures, ...]:
    """Return the figures of a run of any tool but hwlat, whose gaps have figures of their own.

    Raises ValueError, in words, for what is not the tool's output.
    """
    lines = run.output.splitlines()
    if len(lines) > _LINES_MAX:
        raise ValueError(f"it printed {len(lines):,} lines")
    return _READERS[run.tool](lines, TOOLS[run.tool].title)
