# SPDX-License-Identifier: GPL-3.0-or-later
"""How a run ended, in the words and figures that every report shares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gui.processes.messages import Message
from rig.streaming.histogram import bin_of
from rig.untrusted.decode import decoded

if TYPE_CHECKING:  # the window does not compute results, and opens sooner without
    from rig.analysis.statistics.descriptive import ExactHistogram
    from rig.analysis.statistics.outliers import Outlier
    from rig.services.event_query import NotableEvent
    from rig.session.results import Result

DONE: Final = "done"
BENCH_FAILED: Final = "bench failed"
"""In mid-run; the run's figures follow when they are computed."""


@dataclass(frozen=True)
class Outcome:
    """A finished run: what `rig show` says of its file."""

    file: str
    report: str
    """Path of the page for the browser."""
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
    bins: tuple[int, ...]
    bin_counts: tuple[int, ...]
    """The final histogram, as a snapshot has it."""

    @property
    def path(self) -> Path:
        """The run file."""
        return Path(self.file)

    @property
    def page(self) -> Path:
        """The report for the browser."""
        return Path(self.report)

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


def done(result: Result, page: Path, failure: str | None) -> Message:
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
    beside, said = measured(evaluation), tools(result)
    is_periods = isinstance(evaluation.details, PeriodFigures)
    bins, bin_counts = _binned(evaluation.histogram)
    rows = [] if beside is None else beside.rows
    outcome = Outcome(
        file=str(result.path),
        report=str(page),
        failure=failure,
        verdict=str(evaluation.verdict),
        verdict_words=VERDICT_WORDS[evaluation.verdict],
        reasons=tuple(evaluation.reasons),
        document=document(result),
        figures=tuple(figure_rows(evaluation)),
        counts=tuple(counts_table(evaluation.counts, events_of(result.settings))),
        facts=tuple(run_facts(result)),
        measured=tuple((row[0], tuple(zip(COLUMNS[1:], row[1:], strict=True))) for row in rows),
        is_periods=is_periods,
        is_inside=result.settings.is_self_measured,
        tools=() if said is None else tuple((row[0], tuple(row[1:])) for row in said.rows),
        tool_facts=() if said is None else tuple(said.facts),
        worst_event=_worst_event(result, is_periods=is_periods),
        bins=bins,
        bin_counts=bin_counts,
    )
    return Message(DONE, {each.name: getattr(outcome, each.name) for each in fields(outcome)})


def outcome_of(message: Message) -> Outcome:
    """The way back. Raises ValueError if fields are missing or of other types."""
    return decoded(Outcome, message.fields)


def _binned(histogram: ExactHistogram) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Bins that are not empty, and how much is in each."""
    bins, which = np.unique(bin_of(np.maximum(histogram.values, 0)), return_inverse=True)
    weights = np.zeros(len(bins), np.int64)
    np.add.at(weights, which, histogram.counts)
    return tuple(bins.tolist()), tuple(weights.tolist())


def _worst_event(result: Result, *, is_periods: bool) -> int:
    """Of periods the intervals are judged: the answer at the end of the one that is off most."""
    worst: Outlier | NotableEvent | None = None
    if not is_periods:
        worst = None if result.outliers is None else result.outliers.worst
    else:
        from rig.record.reader import RunFile
        from rig.services.event_search import worst_interval

        with RunFile(result.path, checked=False) as run:
            worst = worst_interval(run, result.settings)
    return -1 if worst is None else worst.event
