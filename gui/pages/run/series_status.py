# SPDX-License-Identifier: GPL-3.0-or-later
"""The status of a plan in a series, in a few words: under one load, or under several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QCoreApplication

from gui.pages.run.choice import RunSelection
from rig.campaign.index import RunState
from rig.services.series import SeriesRun


@dataclass(frozen=True)
class PartStatus:
    """The status beside a plan's name."""

    words: str = ""
    color: str = "ink"
    """The color's name in the palette."""
    path: Path | None = None
    """The run to be shown for it: of several the first that did not pass, else the last."""
    tip: str = ""
    """A line for each scenario."""


def status_of(parts: Sequence[SeriesRun[RunSelection]]) -> PartStatus:
    """Return the status of a plan; `parts`: one for each scenario, none if it is not measured."""
    if not parts:
        return PartStatus()
    tip = "\n".join(f"{part.item.scenario}: {_whole(part)}" for part in parts)
    if len(parts) == 1:
        (part,) = parts
        words, color = _words(part)
        return PartStatus(words, color, part.path, tip if part.item.scenario else "")
    words, color = _summary(parts)
    return PartStatus(words, color, _path(parts), tip)


def state_words(part: SeriesRun[RunSelection]) -> str:
    """Return the verdict, or what became of the part instead."""
    return _words(part)[0]


def _summary(parts: Sequence[SeriesRun[RunSelection]]) -> tuple[str, str]:
    running = next((part for part in parts if part.state == RunState.RUNNING), None)
    if running is not None:
        return f"{running.item.scenario} {state_words(running)}", "accent"
    made = [part for part in parts if part.state != RunState.SKIPPED]
    if not made:
        return _words(parts[0])
    if all(part.state == made[0].state != RunState.DONE for part in made):
        return _words(made[0])
    if len(made) == 1:
        words, color = _words(made[0])
        return f"{made[0].item.scenario} {words}", color
    passed = [part for part in made if part.verdict == "pass"]
    return _tr("{0} of {1} pass").format(len(passed), len(made)), _tone(made, len(passed))


def _tone(made: Sequence[SeriesRun[RunSelection]], passed: int) -> str:
    if any(part.state == RunState.PLANNED for part in made):
        return "dim"
    if passed == len(made):
        return "good"
    return "warn" if {part.verdict for part in made} <= {"pass", "inconclusive"} else "bad"


def _words(part: SeriesRun[RunSelection]) -> tuple[str, str]:
    """Return the words of a part, and their color in the palette."""
    if part.state == RunState.DONE:
        tones = {"pass": "good", "inconclusive": "warn"}
        return part.verdict, tones.get(part.verdict, "bad")
    return {
        RunState.PLANNED: (_tr("waiting"), "dim"),
        RunState.RUNNING: (_tr("running"), "accent"),
        RunState.FAILED: (_tr("failed"), "bad"),
        RunState.LEFT_OUT: (_tr("not measured"), "dim"),
        RunState.SKIPPED: (_tr("skipped"), "dim"),
        RunState.REFUSED: (_tr("refused"), "bad"),
    }[part.state]


def _whole(part: SeriesRun[RunSelection]) -> str:
    return ", ".join(filter(None, (state_words(part), part.reason)))


def _path(parts: Sequence[SeriesRun[RunSelection]]) -> Path | None:
    ended = [part for part in parts if part.path is not None]
    bad = [part for part in ended if part.verdict != "pass"]
    return (*bad, *reversed(ended))[0].path if ended else None


def _tr(text: str) -> str:
    return QCoreApplication.translate("SeriesCard", text)
