# SPDX-License-Identifier: GPL-3.0-or-later
"""A series of runs: the next one, and the consequence of a run's end for the others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from rig.campaign.index import RunState

Item = TypeVar("Item")


@dataclass(frozen=True)
class RunOutcome:
    """The outcome of a run that was begun."""

    verdict: str = ""
    """The verdict of its figures; "" if there are none."""
    exit_code: int | None = None
    """The exit code with which `rig run` would have ended; None if that is not known."""
    path: Path | None = None
    """The run file, if there is one."""
    failure: str = ""
    """The reason why it was not made, or the bench's failure meanwhile."""
    refused: bool = False
    """Whether this bench cannot do it; another run may be possible."""

    @property
    def state(self) -> RunState:
        """The state as which a run that ended so counts."""
        if self.verdict:
            return RunState.DONE
        return RunState.REFUSED if self.refused else RunState.FAILED


@dataclass
class SeriesRun(Generic[Item]):
    """One run of a series."""

    item: Item
    """The object of the measurement."""
    state: RunState = RunState.PLANNED
    verdict: str = ""
    path: Path | None = None
    reason: str = ""
    """The reason why it is skipped, was refused or failed."""


class RunSeries(Generic[Item]):
    """A series that goes on where a bench cannot do a run; a limit exceeded is a result, too."""

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
        """The run that is being measured, None if none is."""
        return next((part for part in self.parts if part.state is RunState.RUNNING), None)

    @property
    def is_over(self) -> bool:
        """Whether nothing is being measured or waits."""
        return all(part.state not in (RunState.PLANNED, RunState.RUNNING) for part in self.parts)

    def start_next(self) -> SeriesRun[Item] | None:
        """Start the next run and return it; None if there is none."""
        part = next((part for part in self.parts if part.state is RunState.PLANNED), None)
        if part is not None:
            part.state = RunState.RUNNING
        return part

    def end(self, outcome: RunOutcome) -> None:
        """Note that the current run has ended."""
        part = self.current
        if part is not None:
            part.state, part.verdict, part.path = outcome.state, outcome.verdict, outcome.path
            part.reason = outcome.failure
        if self._ends_on_failure and outcome.failure and not outcome.refused:
            self.leave_rest()

    def leave_rest(self) -> None:
        """Leave out the runs that wait."""
        for part in self.parts:
            if part.state is RunState.PLANNED:
                part.state = RunState.LEFT_OUT
