# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures of a run file: computed from its raw data, stored in it, and as one JSON document."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from rig.analysis.measurements.dispatch import DispatchFigures
from rig.analysis.measurements.evaluation import Details
from rig.analysis.measurements.period import PeriodFigures
from rig.analysis.measurements.saturation import SaturationFigures
from rig.analysis.measurements.self_trigger import SelfTriggerFigures
from rig.analysis.measurements.toggle_gap_figures import SpinFigures
from rig.analysis.measurements.values import ValueFigures
from rig.analysis.measurements.verdict import Verdict
from rig.analysis.model.account import Account
from rig.analysis.model.settings import Settings
from rig.analysis.statistics.descriptive import as_dict
from rig.analysis.statistics.outliers import Outliers, limit_samples
from rig.analysis.uncertainty.correction import Correction
from rig.errors import InputError
from rig.measurements.evaluate import Evaluation, EventColumns, OnEvents, evaluate
from rig.printable import json_text
from rig.record.amend import amended
from rig.record.computed import ComputedWriter
from rig.record.reader import RunFile
from rig.record.space import FINISH_BYTES
from rig.session.beyond_json import beyond_json, effects_json, limit_json, measurand_json
from rig.session.calibration import (
    CALIBRATION,
    CalibrationInUse,
    bench_in_use,
    calibration_json,
    correction_json,
)
from rig.session.settings import account_from_json
from rig.session.settings_check import IMPORTED, checked_settings
from rig.session.stored_tools import tool_json, tool_runs
from rig.session.windows import Window, windows_of, windows_text
from rig.tools.tool_runs import ToolRun

BYTES_AN_EVENT = 8
"""Room for computed groups, for each raw edge; compressed they take less."""
EXIT_CODES = {
    Verdict.PASS: 0,
    Verdict.FAIL: 1,
    Verdict.INCONCLUSIVE: 1,
    Verdict.INCONSISTENT: 4,
    Verdict.INCOMPLETE: 4,
}
DETAILS: dict[type[Details], str] = {
    PeriodFigures: "period",
    DispatchFigures: "dispatch",
    SelfTriggerFigures: "self_trigger",
    SaturationFigures: "saturation",
    ValueFigures: "values",
    SpinFigures: "spin",
}
"""Key by which the details of each kind of measurement are stored and shown."""
NO_DIGESTS = "none, format version 1 has none: nobody can tell whether this file was changed"
INTERRUPTED_EXIT_CODE = 130
"""A run ended by Ctrl-C, as a shell reports it."""


@dataclass(frozen=True)
class Result:
    """A run file's evaluation and what is needed to show it."""

    path: Path
    created: str
    state: str
    settings: Settings
    account: Account
    evaluation: Evaluation
    samples: int | None = None
    """Samples that the file accounts for; None for a capture of which no run file was made."""
    calibration: CalibrationInUse | None = None
    """What was known of the bench; None for such a capture."""
    tools: tuple[ToolRun, ...] = ()
    """What the target's own tools said before."""
    has_digests: bool = True
    """False for a run file of a format version that had none."""
    outliers: Outliers | None = None
    """What stands out among its events; None unless they were just stored."""

    @property
    def windows(self) -> list[Window]:
        """Those of its outliers; empty unless its events were just stored."""
        if self.outliers is None or self.samples is None:
            return []
        return windows_of(self.outliers, self.settings, self.samples)

    @property
    def unit_hz(self) -> int:
        """Of the histogram's values: the analyzer's rate, or that of the clock that the target
        itself measured by."""
        details = self.evaluation.details
        if isinstance(details, ValueFigures):
            return details.unit_hz
        return self.settings.sample_rate_hz

    @property
    def unit(self) -> str:
        """The same by name: `sample`, or a time."""
        if not isinstance(self.evaluation.details, ValueFigures):
            return "sample"
        return "ns" if self.unit_hz == 10**9 else f"{1e9 / self.unit_hz:.12g} ns"

    @property
    def exit_code(self) -> int:
        """0 passed, 1 not passed, 3 bench failure, 4 witnesses disagree or data lost."""
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
            outliers.add(columns["stimulus_sample"], columns["response_sample"], columns["class"])

        if known is None:
            result = replace(_evaluated(file, on_events, text), outliers=outliers)
        else:
            result = known[0]
            for columns in known[1]:
                computed.events(columns)
        evaluation = result.evaluation
        computed.summary(
            result_text(result),
            {**asdict(evaluation.counts), **_figures(evaluation)},
            (evaluation.histogram.values, evaluation.histogram.counts),
            None if text == own else text,
            units=result.unit,
            windows=windows_text(path, result.windows) if waveforms else "",
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
        used, tool_runs(file.path, texts), has_digests=file.has_digests,
    )  # fmt: skip


def _doubted(file: RunFile, evaluation: Evaluation) -> Evaluation:
    """What nothing vouches for does not pass."""
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
    """Canonical JSON: the same raw data and the same calibration give the same bytes."""
    return evaluation_text(result.evaluation, result.calibration)


def evaluation_text(evaluation: Evaluation, used: CalibrationInUse | None = None) -> str:
    """As `result_text`, of what need not be a run file's."""
    capture = evaluation.capture
    return json_text(
        {
            "verdict": evaluation.verdict,
            "reasons": evaluation.reasons,
            "limits": [limit_json(limit) for limit in evaluation.limits],
            "counts": asdict(evaluation.counts),
            "figures": _figures(evaluation),
            "duration_s": evaluation.duration_s,
            "paired_by": evaluation.paired_by,
            "witnesses": [asdict(witness) for witness in evaluation.witnesses],
            "gaps": [asdict(gap) for gap in evaluation.gaps],
            "capture": None
            if capture is None or not capture.n
            else {
                "n": capture.n,
                "offset_ns": capture.offset_ns,
                "spread_ns": capture.spread_ns,
                "allowed_ns": capture.allowed_ns,
            },
            "calibration": None if used is None else calibration_json(used),
            **_measured(evaluation),
        },
        sort_keys=True,
        indent=1,
    )


def document(result: Result) -> dict[str, object]:
    """What `--json` prints."""
    evaluation, settings = result.evaluation, result.settings
    stored = json.loads(result_text(result))
    return {
        "file": str(result.path),
        "state": result.state,
        "samples": result.samples,
        "planned": settings.planned,
        "verdict": evaluation.verdict,
        "reasons": evaluation.reasons,
        "measurements": [
            {
                "name": settings.measurement,
                "scenario": settings.scenario,
                **stored["counts"],
                **stored["figures"],
                "limits": stored["limits"],
                "duration_s": evaluation.duration_s,
                "sample_period_ns": 1e9 / settings.sample_rate_hz,
                "paired_by": evaluation.paired_by,
                **_measured(evaluation),
            }
        ],
        "witnesses": stored["witnesses"],
        "gaps": stored["gaps"],
        "calibration": stored["calibration"],
        **({} if result.has_digests else {"digests": NO_DIGESTS}),
        **({"tools": [tool_json(run) for run in result.tools]} if result.tools else {}),
    }


def _measured(evaluation: Evaluation) -> dict[str, object]:
    """What only some measurements have."""
    stated: dict[str, object] = {}
    if evaluation.details is not None:
        stated[DETAILS[type(evaluation.details)]] = asdict(evaluation.details)
    if evaluation.clocks is not None:
        stated["clocks"] = asdict(evaluation.clocks)
    if evaluation.delays:
        stated["delays"] = [{**asdict(each), "agrees": each.agrees} for each in evaluation.delays]
    if evaluation.wander:
        stated["wander"] = [asdict(pair) for pair in evaluation.wander]
    if evaluation.beyond is not None:
        stated["beyond"] = beyond_json(evaluation.beyond)
    if evaluation.measurands:
        correction = Correction.of(evaluation.measurands[0].effects)
        stated["corrected"] = correction_json(correction, evaluation.figures)
        stated["effects"] = effects_json(evaluation.measurands[0].effects)
        further = {each.name: measurand_json(each) for each in evaluation.measurands[1:]}
        stated |= {"further": further} if further else {}
    return stated


def _figures(evaluation: Evaluation) -> dict[str, int | float | None]:
    """The figures by name; `n` there is the number of latencies, here told from that of stimuli."""
    figures = as_dict(evaluation.figures)
    return {"latencies": figures.pop("n"), **figures}
