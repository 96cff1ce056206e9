# SPDX-License-Identifier: GPL-3.0-or-later
"""The running of the target's own tools by its agent, one after the other, before the pins."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Final, Protocol, runtime_checkable

from rig.errors import BenchError
from rig.target.protocol import ProtocolError, number
from rig.tools.tool_runs import OUTPUT_MAX, TOOLS, ToolRun, lacking

GRACE_S: Final = 120.0
"""The time that a tool may take beyond its duration, by the host's clock."""
_POLL_S: Final = 0.2
_REASON_MAX: Final = 300


@runtime_checkable
class ToolStarting(Protocol):
    """A target whose agent can start tools; replayed and modelled ones cannot."""

    greeting: Mapping[str, str]

    def tool(self, words: str) -> Mapping[str, str]:
        """Send `LIST`, `START ...`, `STATE` or `STOP`; return the agent's reply."""

    def tool_output(self) -> bytes:
        """Return what the last tool printed."""


def tools_of(target: object) -> Mapping[str, str]:
    """Return each tool's state, `ready` or what is missing; empty if the agent starts none."""
    if not isinstance(target, ToolStarting) or target.greeting.get("tools") != "1":
        return {}
    return target.tool("LIST")


def run_tools(
    target: object,
    wanted: Mapping[str, Mapping[str, int] | str],
    stop: threading.Event,
    tell: Callable[[str], None],
) -> tuple[ToolRun, ...]:
    """Run these, in their order.

    `wanted`: name to what it is told, or to why it is not to be run. `tell` gets the name of each
    before it starts. `stop` ends the one that runs. What cannot run is no error: its result says
    why. Raises BenchError if the link fails.
    """
    there = tools_of(target)
    return tuple(_run(target, there, name, words, stop, tell) for name, words in wanted.items())


def _run(
    target: object,
    there: Mapping[str, str],
    name: str,
    words: Mapping[str, int] | str,
    stop: threading.Event,
    tell: Callable[[str], None],
) -> ToolRun:
    if isinstance(words, str):
        return ToolRun(name, reason=words)
    told = " ".join(f"{key}={value}" for key, value in words.items())
    if not isinstance(target, ToolStarting) or not there:
        return ToolRun(name, told, "the target's agent starts no tools")
    reason = lacking(TOOLS[name], there.get(name, "unknown"))
    if reason or stop.is_set():
        return ToolRun(name, told, reason or "interrupted before it began")
    tell(name)
    try:
        target.tool(f"START name={name} {told}")
    except BenchError as error:
        return ToolRun(name, told, str(error)[:_REASON_MAX])
    return _awaited(target, name, told, words["duration_s"], stop)


def _awaited(
    target: ToolStarting, name: str, told: str, duration_s: int, stop: threading.Event
) -> ToolRun:
    reason = _wait(target, duration_s, stop)
    state = target.tool("STOP")
    try:
        code = number(dict(state), "exit")
    except ProtocolError as error:
        raise BenchError(f"tool {name}: the agent's account of it: {error}") from None
    output = target.tool_output()[:OUTPUT_MAX].decode("ascii", "replace")
    if not reason and code:
        last = next((line for line in reversed(output.splitlines()) if line.strip()), "")
        reason = f"it ended with exit code {code}" + (f": {last.strip()[:100]!a}" if last else "")
    return ToolRun(name, told, reason, code, output)


def _wait(target: ToolStarting, duration_s: int, stop: threading.Event) -> str:
    """Wait until the tool has ended; return why it was ended, or ""."""
    for _ in range(int((duration_s + GRACE_S) / _POLL_S)):
        if target.tool("STATE").get("running") != "1":
            return ""
        if stop.wait(_POLL_S):
            return "interrupted"
    return f"it did not end by itself within {duration_s + GRACE_S:.0f} s"
