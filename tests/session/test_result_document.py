# SPDX-License-Identifier: GPL-3.0-or-later
"""Results as JSON: what is written comes back, and is what the published schema says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from rig.printable import json_text
from rig.session.result_document import evaluation_of, stored_document
from rig.session.result_schema import result_schema
from rig.session.results import read, result_text
from tests.golden.runs import unpacked

PUBLISHED = Path(__file__).parents[2] / "docs" / "reference" / "results.schema.json"
RUNS = (
    "every-limit", "interrupt-calibrated", "interrupt-dispatch", "interrupt-self", "saturation",
    "period", "smi", "timer",
)  # fmt: skip
"""One with each kind of details, and one without."""


@pytest.mark.parametrize("name", RUNS)
def test_what_is_stored_comes_back_to_the_last_digit(name: str, tmp_path: Path) -> None:
    unpacked(name, tmp_path)
    result = read(tmp_path / f"{name}.h5")
    text = result_text(result)
    evaluation = evaluation_of(json.loads(text))
    assert result.calibration is not None
    again = stored_document(evaluation, result.calibration.summary)
    assert json_text(again, sort_keys=True, indent=1) == text
    for part in ("verdict", "counts", "details", "limits", "clocks", "delays", "stability"):
        assert getattr(evaluation, part) == getattr(result.evaluation, part)
    for stored, computed in zip(evaluation.measurands, result.evaluation.measurands, strict=True):
        assert stored.statistics == computed.statistics
        assert stored.budgets == computed.budgets


def test_the_published_schema_is_that_of_the_program() -> None:
    """`python -m rig.session.result_schema > FILE` publishes it again, as PUBLISHED."""
    assert json.loads(PUBLISHED.read_text(encoding="utf-8")) == result_schema()


def test_the_schema_is_one_and_refuses_what_is_not_of_it() -> None:
    Draft202012Validator.check_schema(result_schema())
    problems = list(Draft202012Validator(result_schema()).iter_errors({"format": 1, "other": 0}))
    said = " ".join(problem.message for problem in problems)
    assert "2 was expected" in said
    assert "'other' was unexpected" in said
    assert "'verdict' is a required property" in said
