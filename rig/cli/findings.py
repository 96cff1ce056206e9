# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings about this machine or a target, a line each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
    for line in finding_lines(findings):
        say(line)
    return 3 if is_missing(findings) else 0


def is_missing(findings: Sequence[PrintableFinding]) -> bool:
    """Return whether something that is needed is missing."""
    return any(finding.mend and finding.needed for finding in findings)


def finding_lines(findings: Sequence[PrintableFinding]) -> Iterator[str]:
    """Yield a line for each, and one for each remedy."""
    width = max((len(finding.what) for finding in findings), default=0)
    for finding in findings:
        mark = "ok     " if not finding.mend else ("MISSING" if finding.needed else "note   ")
        yield f"{mark}  {finding.what:<{width}}  {finding.state}"
        if finding.mend:
            yield f"         {'':<{width}}  -> {finding.mend}"
