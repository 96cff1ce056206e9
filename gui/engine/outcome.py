# SPDX-License-Identifier: GPL-3.0-or-later
"""The outcome of a run, in the words and figures that every report shares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gui.engine.timeline import EvaluatedTimeline, evaluated_timeline
from gui.processes.messages import Message
from rig.document import Curve, Facts, Section, TextTable, curves_of, tone_of
from rig.formatting import ABSENT
from rig.streaming.histogram import bin_of
from rig.untrusted.decode import FIELD_BY_FIELD, decoded
from rig.untrusted.encode import encoded

if TYPE_CHECKING:  # the window does not compute results, and opens sooner without
    from rig.analysis.statistics.descriptive import ExactHistogram
    from rig.analysis.statistics.outliers import Outlier
    from rig.services.event_query import NotableEvent
    from rig.session.results import Result

DONE: Final = "done"
BENCH_FAILED: Final = "bench failed"
"""Kind of the message of a failure in mid-run; the run's figures follow once computed."""


ShownRow = tuple[str, str, str, str]
"""A line of the panel of figures: name, text, tone, hint."""


@dataclass(frozen=True)
class RunResult:
    """The result of a finished run, as `rig show` has it of its file."""

    file: str
    report: str
    """The path of the page for the browser."""
    failure: str | None
    """The failure of the bench after the run had begun, one line."""
    verdict: str
    verdict_words: str
    reasons: tuple[str, ...]
    document: Mapping[str, Any]
    """The document that `rig show --json` prints."""
    figures: tuple[tuple[str, str], ...]
    """The figures' names and texts, as `rig show` prints them."""
    counts: tuple[ShownRow, ...]
    measured: tuple[ShownRow, ...]
    """The figures of the first line of the measurement's own table, named `measured_name`."""
    measured_name: str
    found: tuple[ShownRow, ...]
    """The values found beside, each with the report's text as hint."""
    tools: tuple[ShownRow, ...]
    """The figure that the target's own tools share, of each."""
    tools_name: str
    silent_tools: tuple[str, ...]
    """The reasons why tools have no figures, a line each."""
    tone: str
    """The tone in which the verdict stands out."""
    headline: tuple[str, str]
    """The name and text of the value that the run was made for."""
    quantity: str
    """The quantity of figures and histogram."""
    is_periods: bool
    is_inside: bool
    """Whether the target measured by itself."""
    worst_event: int
    """The number of the stimulus whose answer took longest, of periods of the answer after the
    worst interval; -1 without any."""
    bins: tuple[int, ...]
    bin_counts: tuple[int, ...]
    """The final histogram, as a snapshot has it."""
    timeline: EvaluatedTimeline | None
    """The timeline by the final pairing; None: the run has no latencies by events."""
    curve: Curve | None
    """The findings over a quantity that the run has varied; None: it has varied nothing."""

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
        """The unit of the histogram's values if the target measured them; None: samples."""
        details = self.document["details"] or {}
        return details.get("unit_hz")


@dataclass(frozen=True)
class Failure:
    """A run that was not begun, or whose process ended before it could finish."""

    message: str
    """A line: what, where, what would be valid."""
    kept: Path | None = None
    """The run file with what had been measured, if there is one."""
    details: str = ""
    """A traceback and the process's last words for a report; "" for what the user can mend."""
    refused: bool = False
    """Whether the target cannot do what was asked; another run may be possible."""


def done(result: Result, page: Path, failure: str | None) -> Message:
    """Return the message of a finished run."""
    from rig.measurements.registry import measurement_of
    from rig.report.labels import count_rows, figure_rows
    from rig.report.run_report import run_report
    from rig.session.results import document

    evaluation, settings = result.evaluation, result.settings
    measurement, report = measurement_of(settings.measurement), run_report(result)
    bins, bin_counts = _binned(evaluation.histogram)
    headline = measurement.headline(evaluation)
    is_periods = measurement.judges_intervals
    outcome = RunResult(
        file=str(result.path),
        report=str(page),
        failure=failure,
        verdict=str(evaluation.verdict),
        verdict_words=report.conclusion.meaning if report.conclusion else "",
        tone=str(report.conclusion.tone) if report.conclusion else "",
        reasons=tuple(evaluation.reasons),
        document=document(result),
        headline=(headline.name, headline.text),
        quantity=measurement.quantity(evaluation),
        figures=tuple((row.name, row.text) for row in figure_rows(evaluation)),
        counts=tuple(
            (row.name, row.text, str(tone_of(row.text)), "")
            for row in count_rows(settings, evaluation.counts)
        ),
        **_measured(report.section("measured")),
        **_tools(report.section("tools")),
        is_periods=is_periods,
        is_inside=not measurement.has_events,
        worst_event=_worst_event(result, is_periods=is_periods),
        bins=bins,
        bin_counts=bin_counts,
        timeline=None if is_periods else _timeline(result.path),
        curve=next(iter(curves_of(report.sections)), None),
    )
    return Message(DONE, encoded(outcome, FIELD_BY_FIELD))


def _measured(section: Section | None) -> dict[str, Any]:
    """Return the first line of the table of statistics, and all facts that have a short form."""
    blocks = () if section is None else section.blocks
    facts = [fact for block in blocks if isinstance(block, Facts) for fact in block.rows]
    tables = [each for each in blocks if isinstance(each, TextTable) and 0 not in each.numbers]
    line, head = (tables[0].rows[0], tables[0].head) if tables else (("",), ("",))
    pairs = zip(head[1:], line[1:], strict=True)
    return {
        "measured_name": line[0],
        "measured": tuple((name, text, "", "") for name, text in pairs),
        "found": tuple(
            (fact.name, fact.brief, str(tone_of(fact.brief)), fact.text)
            for fact in facts
            if fact.brief
        ),
    }


def _tools(section: Section | None) -> dict[str, Any]:
    """Return each tool's largest less least value where any reports it, else its largest."""
    blocks = () if section is None else section.blocks
    rows = [row for block in blocks if isinstance(block, TextTable) for row in block.rows]
    texts: dict[str, str] = {}
    for fact in (fact for block in blocks if isinstance(block, Facts) for fact in block.rows):
        texts.setdefault(fact.name, fact.text)
    column = -1 if any(row[-1] != ABSENT for row in rows) else -2
    return {
        "tools_name": "max - min" if column == -1 else "max",
        "tools": tuple(
            (row[0], row[column], "dim" if row[column] == ABSENT else "", texts[row[0]])
            for row in rows
        ),
        "silent_tools": tuple(
            f"{row[0]}: {texts[row[0]]}" for row in rows if all(c == ABSENT for c in row[1:])
        ),
    }


def outcome_of(message: Message) -> RunResult:
    """Return the result in a message. Raises ValueError for missing fields or other types."""
    return decoded(RunResult, message.fields)


def _binned(histogram: ExactHistogram) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the bins that are not empty, and how much is in each."""
    bins, which = np.unique(bin_of(np.maximum(histogram.values, 0)), return_inverse=True)
    weights = np.zeros(len(bins), np.int64)
    np.add.at(weights, which, histogram.counts)
    return tuple(bins.tolist()), tuple(weights.tolist())


def _timeline(path: Path) -> EvaluatedTimeline | None:
    from rig.record.reader import RunFile

    with RunFile(path, checked=False) as run:
        return evaluated_timeline(run)


def _worst_event(result: Result, *, is_periods: bool) -> int:
    """Return the number of the event with the worst value, of periods the end of that interval."""
    worst: Outlier | NotableEvent | None = None
    if not is_periods:
        worst = None if result.outliers is None else result.outliers.worst
    else:
        from rig.record.reader import RunFile
        from rig.services.event_search import worst_interval

        with RunFile(result.path, checked=False) as run:
            worst = worst_interval(run, result.settings)
    return -1 if worst is None else worst.event
