# SPDX-License-Identifier: GPL-3.0-or-later
"""The results of the target's own tools in a run file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from rig.errors import InputError
from rig.tools.figures import ToolFigures
from rig.tools.hwlat import HwlatFigures, hwlat_figures
from rig.tools.readers import tool_figures
from rig.tools.tool_runs import HWLAT, ToolRun, from_json

TOOLS_TEXT = "environment/tools"
"""The name of the text in the run file."""


def tool_runs(path: Path, texts: Mapping[str, str]) -> tuple[ToolRun, ...]:
    """Return the tool runs in a run file's texts. Raises InputError naming a damaged file."""
    try:
        return from_json(texts.get(TOOLS_TEXT, ""))
    except ValueError as error:
        raise InputError(f"{path}: damaged run file, {TOOLS_TEXT}: {error}") from None


@dataclass(frozen=True)
class ToolReport:
    """The result of one tool, for other programs: its figures, or why there are none."""

    tool: str
    words: str
    """The words that the agent got beside the tool's name."""
    reason: str
    """The reason why there are no figures; "" if there are."""
    figures: tuple[ToolFigures, ...] = ()
    """The figures of a tool that measures latencies."""
    gaps: HwlatFigures | None = None
    """The figures of a tool that looks for gaps."""

    @classmethod
    def of(cls, run: ToolRun) -> Self:
        """Return the report of a tool run of the run file."""
        report = cls(run.tool, run.words, run.reason)
        if run.reason:
            return report
        try:
            if run.tool == HWLAT.name:
                return replace(report, gaps=hwlat_figures(run))
            return replace(report, figures=tool_figures(run))
        except ValueError as error:
            return replace(report, reason=str(error))
