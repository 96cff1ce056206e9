# SPDX-License-Identifier: GPL-3.0-or-later
"""The target's own tools in a run: run before the pins are measured, and stored as they came."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Protocol, runtime_checkable

from rig.config.plan import Plan
from rig.session.stored_tools import TOOLS_TEXT
from rig.target.tools import run_tools
from rig.tools.tool_runs import to_json


@runtime_checkable
class Replayed(Protocol):
    """A target out of a run file, which has the tools' runs of then."""

    tools_text: str


def tools_texts(
    plan: Plan, target: object, stop: threading.Event, tell: Callable[[str], None]
) -> dict[str, str]:
    """Run what the plan asks for; the text for the run file, none if it asks for nothing.

    `tell` gets what is being done. Raises BenchError if the link fails.
    """
    if plan.tools is None:
        return {}
    if isinstance(target, Replayed):
        return {TOOLS_TEXT: target.tools_text} if target.tools_text else {}
    wanted: dict[str, Mapping[str, int] | str] = {}
    for name in plan.tools.run:
        try:
            wanted[name] = plan.tools.wire_arguments(name, plan.agent)
        except ValueError as error:
            wanted[name] = str(error)
    return {TOOLS_TEXT: to_json(run_tools(target, wanted, stop, tell))}
