# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings about this machine or a target, a line each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rig.cli.streams import say


class PrintableFinding(Protocol):
    """One thing that was looked at."""

    @property
    def what(self) -> str: ...

    @property
    def state(self) -> str: ...

    @property
    def mend(self) -> str:
        """The remedy; empty if nothing needs doing."""
        ...

    @property
    def needed(self) -> bool:
        """Whether nothing at all can be measured without it."""
        ...


def show_findings(findings: Sequence[PrintableFinding]) -> int:
    """Print them; returns the exit code, 3 if something that is needed is missing."""
    width = max(len(finding.what) for finding in findings)
    for finding in findings:
        mark = "ok     " if not finding.mend else ("MISSING" if finding.needed else "note   ")
        say(f"{mark}  {finding.what:<{width}}  {finding.state}")
        if finding.mend:
            say(f"         {'':<{width}}  -> {finding.mend}")
    return 3 if any(finding.mend and finding.needed for finding in findings) else 0
