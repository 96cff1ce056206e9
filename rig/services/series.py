# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs one after the other: which one is next, and what the end of one means for the others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from rig.campaign.index import RunState

Item = TypeVar("Item")


@dataclass(frozen=True)
class RunOutcome:
    """What came of a run that was begun."""

    verdict: str = ""
    """Of its figures; "" if there are none."""
    exit_code: int | None = None
    """As `rig run` would have ended; None if that is not known."""
    path: Path | None = None
    """Its run file, if there is one."""
    failure: str = ""
    """Why it was not made, or what the bench failed with meanwhile."""
    refused: bool = False
    """This bench cannot do it; another run may be possible."""

    @property
    def state(self) -> RunState:
        """How a run that ended so counts."""
        if self.verdict:
            return RunState.DONE
        return RunState.SKIPPED if self.refused else RunState.FAILED


@dataclass
class SeriesRun(Generic[Item]):
    """One run of a series."""

    item: Item
    """What is to be measured."""
    state: RunState = RunState.PLANNED
    verdict: str = ""
    path: Path | None = None
    reason: str = ""
    """Why it is skipped or failed."""


class RunSeries(Generic[Item]):
    """What a bench cannot do is skipped, a limit exceeded is a result like others."""

    def __init__(
        self, items: Iterable[tuple[Item, str]] = (), *, ends_on_failure: bool = False
    ) -> None:
        """`items`: each with the reason why it cannot be made, "" if it may be.

        `ends_on_failure`: a bench that fails leaves the rest out, as what follows would most likely
        fail likewise, and a person is there to mend it. Else the next one is tried.
        """
        self.parts = [
            SeriesRun(item, RunState.SKIPPED if why else RunState.PLANNED, reason=why)
            for item, why in items
        ]
        self._ends_on_failure = ends_on_failure

    @property
    def current(self) -> SeriesRun[Item] | None:
        """What is being measured."""
        return next((part for part in self.parts if part.state is RunState.RUNNING), None)

    @property
    def is_over(self) -> bool:
        """Nothing is being measured or waits."""
        return all(part.state not in (RunState.PLANNED, RunState.RUNNING) for part in self.parts)

    def start_next(self) -> SeriesRun[Item] | None:
        """The next one, which now runs; None if there is none."""
        part = next((part for part in self.parts if part.state is RunState.PLANNED), None)
        if part is not None:
            part.state = RunState.RUNNING
        return part

    def end(self, outcome: RunOutcome) -> None:
        """The current one has ended."""
        part = self.current
        if part is not None:
            part.state, part.verdict, part.path = outcome.state, outcome.verdict, outcome.path
            part.reason = outcome.failure
        if self._ends_on_failure and outcome.failure and not outcome.refused:
            self.leave_rest()

    def leave_rest(self) -> None:
        """What waits is not measured."""
        for part in self.parts:
            if part.state is RunState.PLANNED:
                part.state = RunState.LEFT_OUT
