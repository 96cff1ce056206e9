# SPDX-License-Identifier: GPL-3.0-or-later
"""A run's result as its file holds it: nothing is computed, so a long run opens at once."""

from __future__ import annotations

from dataclasses import replace

from rig.analysis.measurements.evaluation import Evaluation
from rig.analysis.statistics.descriptive import ExactHistogram
from rig.errors import InputError
from rig.measurements.stored_settings import account_from_json
from rig.record.reader import RunFile
from rig.session.calibration import bench_in_use
from rig.session.result_document import FORMAT, evaluation_of
from rig.session.results import Result, result_text
from rig.session.settings_check import checked_settings
from rig.session.stored_tools import tool_runs
from rig.session.stored_values import with_values
from rig.shell_words import quoted
from rig.untrusted.json_reader import json_object


def stored_evaluation(file: RunFile) -> Evaluation | None:
    """The evaluation as it was computed last, without its histograms.

    None: none is stored, or one of an older rig that has to be computed again. Raises InputError:
    one line with the file, the place in the document and what is valid there.
    """
    return _evaluation_of(str(file.path), file.evaluation)


def _evaluation_of(path: str, text: str) -> Evaluation | None:
    if not text:
        return None
    try:
        document = json_object(text)
        if "format" not in document:  # of an older rig
            return None
        if document["format"] != FORMAT:
            raise ValueError(f"format: {document['format']!r:.40} found; valid: {FORMAT}")
        return evaluation_of(document)
    except ValueError as error:
        raise InputError(
            f"{path}: its stored figures cannot be read: {error}; "
            f"to compute them again: rig analyze {quoted(path)}"
        ) from None


def stored_result(file: RunFile) -> Result | None:
    """The result as it was computed last; None if none is stored, or not all of it can be read.

    Raises InputError for a damaged file.
    """
    evaluation = stored_evaluation(file)
    if evaluation is None:
        return None
    try:
        histogram = ExactHistogram.of(*file.histogram())
    except InputError:  # it can be computed again
        return None
    primary, *others = evaluation.measurands
    measurands = with_values(file, (replace(primary, histogram=histogram), *others))
    evaluation = replace(evaluation, measurands=measurands)
    settings, texts = checked_settings(file), file.texts()
    _, used = bench_in_use(texts, file.calibration, file.created, settings)
    return Result(
        path=file.path,
        created=file.created,
        state=file.state,
        settings=settings,
        account=account_from_json(file.path, file.report),
        evaluation=evaluation,
        samples=file.covered_samples,
        calibration=used,
        tools=tool_runs(file.path, texts),
        has_digests=file.has_digests,
        texts=texts,
        losses=tuple(file.losses()),
    )


def is_whole(file: RunFile, result: Result) -> bool:
    """A stored result came back with all that is stored and that this version computes."""
    return result_text(result) == file.evaluation
