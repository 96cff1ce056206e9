# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures of a run file: computed from its raw data, stored in it, and as one JSON document."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from rig.analysis.evaluate import Evaluation, OnEvents, evaluate
from rig.analysis.raw import Account, Settings
from rig.analysis.statistics import as_dict
from rig.analysis.verdict import Verdict
from rig.errors import InputError
from rig.record.amend import amended
from rig.record.computed import ComputedWriter
from rig.record.reader import RunFile
from rig.record.space import FINISH_BYTES
from rig.session.bench_errors import bench_of_run
from rig.session.beyond_json import beyond_json
from rig.session.settings import account_from_json, settings_from_json

BYTES_AN_EVENT = 8
"""Room for computed groups, for each raw edge; compressed they take less."""
EXIT_CODES = {
    Verdict.PASS: 0,
    Verdict.FAIL: 1,
    Verdict.INCONCLUSIVE: 1,
    Verdict.INCONSISTENT: 4,
    Verdict.INCOMPLETE: 4,
}
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

    @property
    def exit_code(self) -> int:
        """0 passed, 1 not passed, 3 bench failure, 4 witnesses disagree or data lost."""
        if self.account.failure:
            return 3
        if self.account.interrupted and self.evaluation.verdict is Verdict.INCONCLUSIVE:
            return INTERRUPTED_EXIT_CODE
        return EXIT_CODES[self.evaluation.verdict]


def read(path: Path) -> Result:
    """Compute everything from the raw data; nothing is written. Raises InputError."""
    with RunFile(path) as file:
        return _evaluated(file, None)


def store(path: Path) -> Result:
    """Compute everything from the raw data and store it in the file.

    Raises InputError for a file that cannot be used, BenchError if the disk has no room for it.
    """
    with RunFile(path) as file:
        more_bytes = FINISH_BYTES + file.edge_count * BYTES_AN_EVENT
    with amended(path, more_bytes) as file:
        computed = ComputedWriter(file)
        result = _evaluated(file, computed.events)
        evaluation = result.evaluation
        computed.summary(
            evaluation_text(evaluation),
            {**asdict(evaluation.counts), **_figures(evaluation)},
            (evaluation.histogram.values, evaluation.histogram.counts),
        )
    return result


def stored_text(path: Path) -> str:
    """The evaluation as the file holds it, "" if it holds none. Raises InputError."""
    with RunFile(path) as file:
        return file.evaluation


def _evaluated(file: RunFile, on_events: OnEvents | None) -> Result:
    settings = settings_from_json(file.path, file.settings)
    account = account_from_json(file.path, file.report)
    try:
        bench = bench_of_run(file.texts(), settings.sample_rate_hz)
        evaluation = evaluate(file, settings, account, on_events, bench)
    except (OSError, RuntimeError) as error:  # what h5py raises for a damaged chunk
        raise InputError(f"{file.path}: damaged run file ({error})") from None
    return Result(
        file.path, file.created, file.state, settings, account, evaluation, file.covered_samples
    )


def evaluation_text(evaluation: Evaluation) -> str:
    """Canonical JSON: the same raw data give the same bytes."""
    capture = evaluation.capture
    return json.dumps(
        {
            "verdict": evaluation.verdict,
            "reasons": evaluation.reasons,
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
            **_measured(evaluation),
        },
        sort_keys=True,
        indent=1,
    )


def document(result: Result) -> dict[str, object]:
    """What `--json` prints."""
    evaluation, settings = result.evaluation, result.settings
    stored = json.loads(evaluation_text(evaluation))
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
                "duration_s": evaluation.duration_s,
                "sample_period_ns": 1e9 / settings.sample_rate_hz,
                "paired_by": evaluation.paired_by,
                **_measured(evaluation),
            }
        ],
        "witnesses": stored["witnesses"],
        "gaps": stored["gaps"],
    }


def _measured(evaluation: Evaluation) -> dict[str, object]:
    """What only some measurements have."""
    found = {
        "period": evaluation.period,
        "dispatch": evaluation.dispatch,
        "self_trigger": evaluation.self_trigger,
    }
    stated: dict[str, object] = {
        name: asdict(figures) for name, figures in found.items() if figures is not None
    }
    if evaluation.beyond is not None:
        stated["beyond"] = beyond_json(evaluation.beyond)
    return stated


def _figures(evaluation: Evaluation) -> dict[str, int | float | None]:
    """The figures by name; `n` there is the number of latencies, here told from that of stimuli."""
    figures = as_dict(evaluation.figures)
    return {"latencies": figures.pop("n"), **figures}
