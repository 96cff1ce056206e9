# SPDX-License-Identifier: GPL-3.0-or-later
"""A run's result as its file holds it: nothing is computed, so a long run opens at once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from gui.models.runs.stored_beyond import same, stored_beyond
from gui.models.runs.stored_measurands import stored_measurands
from rig.analysis.crosscheck.witness import CaptureComparison
from rig.analysis.measurements.evaluation import Details, Evaluation
from rig.analysis.model.settings import Settings
from rig.analysis.statistics.descriptive import ExactHistogram
from rig.errors import InputError
from rig.record.reader import RunFile
from rig.record.stored import damaged
from rig.session.calibration import bench_in_use
from rig.session.results import DETAILS, Result, result_text
from rig.session.settings import account_from_json
from rig.session.settings_check import checked_settings
from rig.session.stored_tools import tool_runs
from rig.untrusted.decode import decoded
from rig.untrusted.json_reader import json_object, json_value

UNIT_HZ_MAX: Final = 10**12


def stored_result(file: RunFile) -> Result | None:
    """The result as it was computed last; None if none is stored, or not all of it can be read.

    Raises InputError for a damaged file.
    """
    text = file.evaluation
    if not text:
        return None
    try:
        histogram = ExactHistogram.of(*file.histogram())
    except InputError:  # it can be computed again
        return None
    settings = checked_settings(file)
    account = account_from_json(file.path, file.report)
    try:
        stored = json_object(text)
        evaluation = decoded(Evaluation, _fields(stored, settings, histogram), ignore_unknown=True)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise damaged(str(file.path), f"its stored figures are unusable ({error})") from None
    known = stored_measurands(stored, evaluation.figures, evaluation.beyond, histogram)
    evaluation = replace(evaluation, measurands=known)
    texts = file.texts()
    _, used = bench_in_use(texts, file.calibration, file.created, settings)
    return Result(
        file.path, file.created, file.state, settings, account, evaluation, file.covered_samples,
        used, tool_runs(file.path, texts), has_digests=file.has_digests,
    )  # fmt: skip


def _fields(stored: dict[str, Any], settings: Settings, seen: ExactHistogram) -> dict[str, Any]:
    """The stored document in the shape of an evaluation."""
    figures = dict(stored["figures"])
    figures["n"] = figures.pop("latencies")
    return {
        **stored,
        "figures": figures,
        "capture": _capture(stored.get("capture"), settings),
        "histogram": seen,
        "details": _details(stored),
        "beyond": stored_beyond(stored.get("beyond"), _unit_ns(stored, settings)),
    }


def _details(stored: dict[str, Any]) -> Details | None:
    """What only this kind of measurement has."""
    for kind, key in DETAILS.items():
        if stored.get(key) is not None:
            return decoded(kind, stored[key], ignore_unknown=True)
    return None


def _unit_ns(stored: dict[str, Any], settings: Settings) -> float:
    """Of the run's own values: a sample, or a tick where only the log tells of them.

    Raises ValueError if what is stored is no rate.
    """
    values, dispatch = stored.get("values"), stored.get("dispatch")
    if values is not None:
        unit_hz = values["unit_hz"]
        if type(unit_hz) is not int or not 1 <= unit_hz <= UNIT_HZ_MAX:
            raise ValueError(f"unit_hz is {unit_hz!r:.60}")
        return 1e9 / unit_hz
    by_ticks = dispatch is not None and dispatch["pins"] is None
    return 1e9 / ((by_ticks and settings.tick_hz) or settings.sample_rate_hz)


def is_whole(file: RunFile, result: Result) -> bool:
    """A stored result came back with all that is stored and that this version computes."""
    try:
        return same(json_value(result_text(result)), json_value(file.evaluation))
    except (ValueError, TypeError, AttributeError):
        return False


def _capture(stored: dict[str, Any] | None, settings: Settings) -> CaptureComparison | None:
    if stored is None:
        return None
    sample_ns = 1e9 / settings.sample_rate_hz
    offset_ns, spread_ns = float(stored["offset_ns"]), float(stored["spread_ns"])
    return CaptureComparison(
        sample_ns,
        float(stored["allowed_ns"]) - sample_ns,
        int(stored["n"]),
        offset_ns - spread_ns,
        offset_ns + spread_ns,
    )
