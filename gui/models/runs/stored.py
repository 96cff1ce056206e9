# SPDX-License-Identifier: GPL-3.0-or-later
"""A run's result as its file holds it: nothing is computed, so a long run opens at once."""

from __future__ import annotations

import json
from typing import Any

from gui.models.runs.rebuild import rebuilt
from rig.analysis.evaluation import Evaluation
from rig.analysis.raw import Settings
from rig.analysis.statistics import ExactHistogram
from rig.analysis.witness import CaptureComparison
from rig.errors import InputError
from rig.record.reader import RunFile
from rig.record.stored import damaged
from rig.session.results import Result
from rig.session.settings import account_from_json, settings_from_json


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
    settings = settings_from_json(file.path, file.settings)
    account = account_from_json(file.path, file.report)
    try:
        evaluation = rebuilt(Evaluation, _fields(json.loads(text), settings, histogram))
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise damaged(str(file.path), f"its stored figures are unusable ({error})") from None
    return Result(
        file.path, file.created, file.state, settings, account, evaluation, file.covered_samples
    )


def _fields(stored: dict[str, Any], settings: Settings, seen: ExactHistogram) -> dict[str, Any]:
    """The stored document in the shape of an evaluation.

    What goes beyond the classic figures is stored for other programs, in nanoseconds, and is not
    taken back: the report as a page computes it again.
    """
    figures = dict(stored["figures"])
    figures["n"] = figures.pop("latencies")
    capture = _capture(stored.get("capture"), settings)
    return {**stored, "figures": figures, "capture": capture, "histogram": seen, "beyond": None}


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
