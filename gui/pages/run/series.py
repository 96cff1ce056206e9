# SPDX-License-Identifier: GPL-3.0-or-later
"""Measurements one after the other, each a run of its own. No widgets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gui.pages.run.choice import Choice

WAITING: Final = "waiting"
RUNNING: Final = "running"
DONE: Final = "done"
FAILED: Final = "failed"
LEFT_OUT: Final = "left out"
SKIPPED: Final = "skipped"
"""The target cannot do it."""


@dataclass
class Part:
    """One measurement of a series, under one scenario."""

    choice: Choice
    state: str = WAITING
    verdict: str = ""
    """Of a run that has figures."""
    path: Path | None = None
    """Its run file, if there is one."""
    reason: str = ""
    """Why it is skipped."""


class Series:
    """A bench that fails ends it: what follows would fail likewise. A limit exceeded does not."""

    def __init__(self, choices: Sequence[Choice] = ()) -> None:
        self.parts = [
            Part(choice, SKIPPED if choice.skip else WAITING, reason=choice.skip)
            for choice in choices
        ]

    @property
    def current(self) -> Part | None:
        """What is being measured."""
        return next((part for part in self.parts if part.state == RUNNING), None)

    @property
    def is_over(self) -> bool:
        """Nothing is being measured or waits."""
        return all(part.state not in (WAITING, RUNNING) for part in self.parts)

    def begin_next(self) -> Part | None:
        """The next one, which now runs; None if there is none."""
        part = next((part for part in self.parts if part.state == WAITING), None)
        if part is not None:
            part.state = RUNNING
        return part

    def done(self, verdict: str, path: Path, *, bench_failed: bool) -> None:
        """The current one has its figures."""
        self._end(DONE, verdict, path)
        if bench_failed:
            self.leave_rest()

    def failed(self, kept: Path | None) -> None:
        """The current one could not be begun, or its process is gone."""
        self._end(FAILED, "", kept)
        self.leave_rest()

    def skipped(self, reason: str, kept: Path | None) -> None:
        """The target cannot do the current one; what follows may be possible."""
        part = self.current
        if part is not None:
            part.reason = reason
        self._end(SKIPPED, "", kept)

    def leave_rest(self) -> None:
        """What waits is not measured."""
        for part in self.parts:
            if part.state == WAITING:
                part.state = LEFT_OUT

    def _end(self, state: str, verdict: str, path: Path | None) -> None:
        part = self.current
        if part is not None:
            part.state, part.verdict, part.path = state, verdict, path
