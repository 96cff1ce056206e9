# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run file holds of the target's own tools."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from rig.errors import InputError
from rig.tools.hwlat import hwlat_figures
from rig.tools.tool_runs import HWLAT, ToolRun, from_json
from rig.tools.wakeup import wakeup_figures

TOOLS_TEXT = "environment/tools"
"""Name of the text in the run file."""


def tool_runs(path: Path, texts: Mapping[str, str]) -> tuple[ToolRun, ...]:
    """Of a run file's texts. Raises InputError naming the file for a damaged one."""
    try:
        return from_json(texts.get(TOOLS_TEXT, ""))
    except ValueError as error:
        raise InputError(f"{path}: damaged run file, {TOOLS_TEXT}: {error}") from None


def tool_json(run: ToolRun) -> dict[str, object]:
    """Of one of them, for other programs: its figures, or why there are none."""
    stated: dict[str, object] = {"tool": run.tool, "words": run.words, "reason": run.reason}
    if run.reason:
        return stated
    try:
        if run.tool == HWLAT.name:
            return stated | asdict(hwlat_figures(run))
        return stated | {"figures": [asdict(each) for each in wakeup_figures(run)]}
    except ValueError as error:
        return stated | {"reason": str(error)}
