# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures of a run file: computed from its raw data, stored in it, and as one JSON document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from rig.analysis.measurements.verdict import Verdict
from rig.analysis.measurements.without_above import WithoutAbove
from rig.analysis.model.instrument_counts import InstrumentCounts
from rig.analysis.model.settings import Settings
from rig.analysis.statistics.descriptive import as_dict
from rig.analysis.statistics.outliers import Outliers, limit_samples
from rig.errors import InputError
from rig.measurements.evaluate import Evaluation, EventColumns, OnEvents, evaluate
from rig.measurements.stored_settings import account_from_json
from rig.printable import json_text
from rig.record.amend import amended
from rig.record.computed import ComputedWriter
from rig.record.free_space import FINISH_BYTES
from rig.record.reader import RunFile
from rig.session.calibration import CALIBRATION, CalibrationInUse, bench_in_use
from rig.session.result_document import (
    FORMAT,
    ResultHeader,
    printed_document,
    stored_document,
)
from rig.session.settings_check import IMPORTED, checked_settings
from rig.session.stored_tools import ToolReport, tool_runs
from rig.session.stored_values import stored_values
from rig.session.windows import CaptureWindow, windows_of, windows_text
from rig.tools.tool_runs import ToolRun

BYTES_AN_EVENT = 8
"""The room for computed groups, for each raw edge; compressed they take less."""
EXIT_CODES = {
    Verdict.PASS: 0,
    Verdict.FAIL: 1,
    Verdict.INCONCLUSIVE: 1,
    Verdict.INCONSISTENT: 4,
    Verdict.INCOMPLETE: 4,
}
NO_DIGESTS = "none, format version 1 has none: nobody can tell whether this file was changed"
INTERRUPTED_EXIT_CODE = 130
"""The exit code of a run ended by Ctrl-C, as a shell reports it."""


@dataclass(frozen=True)
class Result:
    """A run file's evaluation and what is needed to show it."""

    path: Path
    created: str
    state: str
    settings: Settings
    account: InstrumentCounts
    evaluation: Evaluation
    samples: int | None = None
    """Samples that the file accounts for; None for a capture of which no run file was made."""
    calibration: CalibrationInUse | None = None
    """The calibration in use; None for such a capture."""
    tools: tuple[ToolRun, ...] = ()
    """The results of the target's own tools, run before."""
    has_digests: bool = True
    """Whether the file has digests; a format version had none."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """Plan, fixture, and what target, instruments and host said of themselves, by name."""
    losses: tuple[tuple[str, int, str], ...] = ()
    """Signs of lost samples that an instrument gave: what, at which sample, in words."""
    outliers: Outliers | None = None
    """The outliers among the events; None unless these were just stored."""

    @property
    def windows(self) -> list[CaptureWindow]:
        """The windows of the outliers; empty unless the events were just stored."""
        if self.outliers is None or self.samples is None:
            return []
        return windows_of(self.outliers, self.settings, self.samples)

    @property
    def unit_hz(self) -> int:
        """Rate of the clock whose periods the histogram's values are: the analyzer's, or the one
        that the target itself measured by."""
        return round(1e9 / self.evaluation.primary.unit_ns)

    @property
    def unit(self) -> str:
        """Unit of the histogram's values: `sample`, or a time."""
        if self.unit_hz == self.settings.sample_rate_hz:
            return "sample"
        return "ns" if self.unit_hz == 10**9 else f"{1e9 / self.unit_hz:.12g} ns"

    @property
    def exit_code(self) -> int:
        """The exit code: 0 pass, 1 no pass, 3 bench failure, 4 witnesses disagree or data lost."""
        if self.account.failure:
            return 3
        if self.account.interrupted and self.evaluation.verdict is Verdict.INCONCLUSIVE:
            return INTERRUPTED_EXIT_CODE
        return EXIT_CODES[self.evaluation.verdict]


def read(path: Path, calibration: str | None = None, on_events: OnEvents | None = None) -> Result:
    """Compute everything from the raw data; nothing is written. Raises InputError.

    `calibration`: text of the one to use, "" for none; None: that of the stored figures.
    `on_events` gets all events, as `evaluate` hands them out.
    """
    with RunFile(path, figures=calibration is None) as file:
        text = file.calibration if calibration is None else calibration
        return _evaluated(file, on_events, text)


def store(
    path: Path,
    calibration: str | None = None,
    known: tuple[Result, Iterable[EventColumns]] | None = None,
    *,
    waveforms: bool = False,
) -> Result:
    """Compute everything from the raw data and store it in the file.

    `calibration`: text of the one to use, "" for none, stored beside the figures; the run's own
    stays as it is. None: the run's own. `known`: what `read` has just computed with the same
    calibration, and the events that it handed out; then nothing is computed again.
    `waveforms`: with the list of those of outliers, which are to be written beside the file.
    Raises InputError for a file that cannot be used, BenchError if the disk has no room for it.
    """
    with RunFile(path, figures=False) as file:
        more_bytes = FINISH_BYTES + file.edge_count * BYTES_AN_EVENT
    with amended(path, more_bytes) as file:
        computed = ComputedWriter(file)
        own = file.texts().get(CALIBRATION, "")
        text = own if calibration is None else calibration
        outliers = Outliers(limit_samples(checked_settings(file)))

        def on_events(columns: EventColumns) -> None:
            computed.events(columns)
            outliers.add(columns["stimulus_sample"], columns["response_sample"], columns["status"])

        if known is None:
            result = replace(_evaluated(file, on_events, text), outliers=outliers)
        else:
            result = known[0]
            for columns in known[1]:
                computed.events(columns)
        evaluation = result.evaluation
        computed.summary(
            result_text(result),
            figures_by_name(evaluation),
            (evaluation.histogram.values, evaluation.histogram.counts),
            None if text == own else text,
            units=result.unit,
            windows=windows_text(path, result.windows) if waveforms else "",
            values=stored_values(evaluation.measurands),
        )
    return result


def stored_text(path: Path) -> str:
    """The evaluation as the file holds it, "" if it holds none or other than was computed.

    Raises InputError.
    """
    with RunFile(path, figures=False) as file:
        return file.evaluation if file.figures_hold() else ""


def _evaluated(file: RunFile, on_events: OnEvents | None, text: str) -> Result:
    settings = checked_settings(file)
    account = account_from_json(file.path, file.report)
    try:
        texts = file.texts()
        bench, used = bench_in_use(texts, text, file.created, settings)
        evaluation = evaluate(file, settings, account, on_events, bench)
    except (OSError, RuntimeError) as error:  # what h5py raises for a damaged chunk
        raise InputError(f"{file.path}: damaged run file ({error})") from None
    evaluation = _doubted(file, evaluation)
    return Result(
        file.path, file.created, file.state, settings, account, evaluation, file.covered_samples,
        used, tool_runs(file.path, texts), has_digests=file.has_digests, texts=texts,
        losses=tuple(file.losses()),
    )  # fmt: skip


def _doubted(file: RunFile, evaluation: Evaluation) -> Evaluation:
    """Return the evaluation, inconclusive instead of passed if nothing vouches for the file."""
    if evaluation.verdict is not Verdict.PASS:
        return evaluation
    if file.left_open:
        reason = "the run file was not closed, so no digest shows that it is as it was written"
    elif file.state == IMPORTED:
        reason = "imported: no plan and no fixture bear out its settings"
    else:
        return evaluation
    return replace(evaluation, verdict=Verdict.INCONCLUSIVE, reasons=(reason,))


def result_text(result: Result) -> str:
    """Return canonical JSON: the same raw data and calibration give the same bytes."""
    return evaluation_text(result.evaluation, result.calibration)


def evaluation_text(evaluation: Evaluation, used: CalibrationInUse | None = None) -> str:
    """Return canonical JSON of an evaluation that need not be a run file's."""
    stored = stored_document(evaluation, None if used is None else used.summary)
    return json_text(stored, sort_keys=True, indent=1)


def document(result: Result, kept: WithoutAbove | None = None) -> dict[str, Any]:
    """Return the document that `--json` prints, with figures without some values if asked for."""
    settings, used = result.settings, result.calibration
    header = ResultHeader(
        format=FORMAT,
        file=str(result.path),
        state=result.state,
        samples=result.samples,
        measurement=settings.measurement,
        scenario=settings.scenario,
        planned=settings.planned,
        sample_period_ns=1e9 / settings.sample_rate_hz,
        calibration=None if used is None else used.summary,
        tools=tuple(map(ToolReport.of, result.tools)),
        digests=None if result.has_digests else NO_DIGESTS,
        without_above=kept,
    )
    return printed_document(header, result.evaluation)


def figures_by_name(evaluation: Evaluation) -> dict[str, int | float | None]:
    """Return counts and figures by name; `latencies` is the number of values, `n` of stimuli."""
    figures = as_dict(evaluation.figures)
    return {**asdict(evaluation.counts), "latencies": figures.pop("n"), **figures}
