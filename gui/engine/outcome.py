# SPDX-License-Identifier: GPL-3.0-or-later
"""How a run ended, in the words and figures that every report shares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gui.engine.messages import Message
from rig.instruments import Int64Array
from rig.streaming.histogram import bin_of

if TYPE_CHECKING:  # the window does not compute results, and opens sooner without
    from rig.session.results import Result

DONE: Final = "done"
FAILED: Final = "failed"
BENCH_FAILED: Final = "bench failed"
"""In mid-run; the run's figures follow when they are computed."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """A finished run: what `rig show` says of its file."""

    path: Path
    page: Path
    """Report for the browser."""
    windows: Path | None
    """Folder with the waveforms of outliers."""
    failure: str | None
    """What the bench failed with after the run had begun, one line."""
    verdict: str
    verdict_words: str
    reasons: tuple[str, ...]
    document: Mapping[str, Any]
    """What `rig show --json` prints."""
    figures: tuple[tuple[str, str], ...]
    """Name and text, as `rig show` prints them."""
    counts: tuple[tuple[str, str], ...]
    facts: tuple[tuple[str, str], ...]
    measured: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
    """What the measurement has beside its latency: each line with its name, figures as above."""
    is_periods: bool
    is_inside: bool
    """The target measured by itself."""
    tools: tuple[tuple[str, tuple[str, ...]], ...]
    """What the target's own tools said: each line's name and cells, as `rig show` prints them."""
    tool_facts: tuple[tuple[str, str], ...]
    """Below them: what each measures, or why it says nothing."""
    worst_event: int
    """Number of the stimulus whose answer took longest, of periods of the answer after the worst
    interval; -1 without any."""
    bins: Int64Array
    bin_counts: Int64Array
    """The final histogram, as a snapshot has it."""

    @property
    def unit_hz(self) -> int | None:
        """What the values of the histogram are counted in, if the target measured them; else None:
        in samples."""
        details = self.document["details"] or {}
        return details.get("unit_hz")


@dataclass(frozen=True)
class Failure:
    """A run that was not begun, or whose process ended before it could finish."""

    message: str
    """One line: what, where, what would be valid."""
    kept: Path | None = None
    """The run file with what had been measured, if there is one."""
    details: str = ""
    """For a report: a traceback, the process's last words. Empty for what the user can mend."""
    refused: bool = False
    """This target cannot do what was asked; another run may be possible."""


def done(result: Result, page: Path, windows: Path | None, failure: str | None) -> Message:
    """The message of a finished run."""
    from rig.analysis.measurements.period import PeriodFigures
    from rig.report.measured import COLUMNS, measured
    from rig.report.tools import tools
    from rig.report.words import (
        VERDICT_WORDS,
        counts_table,
        events_of,
        figure_rows,
        run_facts,
    )
    from rig.session.results import document

    evaluation = result.evaluation
    values, counts = evaluation.histogram.values, evaluation.histogram.counts
    beside, said = measured(evaluation), tools(result)
    is_periods = isinstance(evaluation.details, PeriodFigures)
    bins, which = np.unique(bin_of(np.maximum(values, 0)), return_inverse=True)
    fields = {
        "path": str(result.path),
        "page": str(page),
        "windows": None if windows is None else str(windows),
        "failure": failure,
        "verdict": str(evaluation.verdict),
        "verdict_words": VERDICT_WORDS[evaluation.verdict],
        "reasons": list(evaluation.reasons),
        "document": document(result),
        "figures": figure_rows(evaluation),
        "counts": counts_table(evaluation.counts, events_of(result.settings)),
        "facts": run_facts(result),
        "measured": []
        if beside is None
        else [(row[0], list(zip(COLUMNS[1:], row[1:], strict=True))) for row in beside.rows],
        "is_periods": is_periods,
        "is_inside": result.settings.is_self_measured,
        "tools": [] if said is None else [(row[0], row[1:]) for row in said.rows],
        "tool_facts": [] if said is None else said.facts,
        "worst_event": _worst_interval(result.path) if is_periods else _worst_event(windows),
    }
    weights = np.zeros(len(bins), np.int64)
    np.add.at(weights, which, counts)
    return Message(DONE, fields, {"bins": bins, "bin_counts": weights})


def _worst_event(windows: Path | None) -> int:
    """From the name of its waveform."""
    found = [] if windows is None else sorted(windows.glob("event-*-maximum.sr"))
    return int(found[0].name.split("-")[1]) if found else -1


def _worst_interval(path: Path) -> int:
    """Of periods the intervals are judged: the answer at the end of the one that is off most."""
    from gui.models.runs.opened import OpenedRun
    from gui.models.runs.seek import worst_interval

    with OpenedRun(path, vetted=True) as run:
        event = worst_interval(run)
    return -1 if event is None else event.event


def outcome_of(message: Message) -> Outcome:
    """The way back. Raises KeyError or TypeError if fields are missing."""

    fields = message.fields

    def texts(rows: object) -> tuple[tuple[str, str], ...]:
        if not isinstance(rows, list | tuple):
            raise TypeError("no list of names and texts")
        return tuple((str(key), str(value)) for key, value in rows)

    def pairs(name: str) -> tuple[tuple[str, str], ...]:
        return texts(fields[name])

    return Outcome(
        path=Path(fields["path"]),
        page=Path(fields["page"]),
        windows=None if fields["windows"] is None else Path(fields["windows"]),
        failure=fields["failure"],
        verdict=fields["verdict"],
        verdict_words=fields["verdict_words"],
        reasons=tuple(fields["reasons"]),
        document=fields["document"],
        figures=pairs("figures"),
        counts=pairs("counts"),
        facts=pairs("facts"),
        measured=tuple((str(name), texts(row)) for name, row in fields["measured"]),
        is_periods=bool(fields["is_periods"]),
        is_inside=bool(fields["is_inside"]),
        tools=tuple((str(name), tuple(map(str, cells))) for name, cells in fields["tools"]),
        tool_facts=pairs("tool_facts"),
        worst_event=fields["worst_event"],
        bins=message.arrays["bins"],
        bin_counts=message.arrays["bin_counts"],
    )
