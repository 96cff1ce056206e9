# SPDX-License-Identifier: GPL-3.0-or-later
"""A few forgeries are as docs/reference/run-file.md has them.

All of them: `python -m tests.forgeries`.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from rig.session.results import read, result_text, store, stored_text
from tests.forgeries.__main__ import FOUND
from tests.forgeries.catalog import FORGERIES, Forgery, Keys
from tests.forgeries.runs import honest_again, key_made, made, measured
from tests.forgeries.table import BEGIN, END, PAGE, table
from tests.resealing import resealed

EVERY: dict[str, Any] = {each.name: each for part in FORGERIES.values() for each in part}
ROWS: dict[str, dict[str, Any]] = json.loads(FOUND.read_text(encoding="utf-8"))
TOLD = [
    "scenario", "seed", "sequence_wire", "level", "unused_level", "answer_removed", "loss",
    "handled", "flag", "record_removed", "capture_removed",
]  # fmt: skip
SIZED = [
    "sample_rate", "counter_rate", "rates", "answer_late", "answers_early", "answer_added",
    "stamp_late", "stamps_late", "captures_late", "latency_longer", "last_removed",
]  # fmt: skip
MARGIN = 4
VALUES = [
    ("settings", "source.seed"),
    ("environment", "target.version"),
    ("report", "handled"),
    ("report", "driver_held_ns"),
    ("attributes", "created"),
]


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return measured(tmp_path_factory.mktemp("forgeries"))


def test_a_run_that_is_sealed_again_unchanged_passes(honest: Path) -> None:
    """What is caught below is caught for its change."""
    run, outcome = honest_again(honest)
    assert (outcome.verdict, outcome.reason) == ("pass", "")
    assert len(run.log) == len(run.captures) == 400


@pytest.mark.parametrize("name", TOLD)
def test_a_change_is_seen_or_not_as_the_table_has_it(honest: Path, name: str) -> None:
    outcome = made(EVERY[name], honest, 1)
    assert outcome.caught == (ROWS[name]["caught"] is not None), outcome
    if outcome.caught:
        assert outcome.verdict == ROWS[name]["by"]


@pytest.mark.parametrize("name", SIZED)
def test_sizes_are_seen_from_where_the_table_has_them(honest: Path, name: str) -> None:
    """Well above the smallest size, and well below it: where edges fall differs between runs."""
    row, high = ROWS[name], EVERY[name].high
    if row["caught"] is not None:
        size = min(MARGIN * row["caught"], high)
        assert made(EVERY[name], honest, size).caught, size
    if row["uncaught"] is not None and row["uncaught"] >= MARGIN:
        outcome = made(EVERY[name], honest, row["uncaught"] // MARGIN)
        assert not outcome.caught, outcome


@pytest.mark.parametrize(("name", "key"), VALUES)
def test_a_value_is_seen_or_not_as_the_table_has_it(honest: Path, name: str, key: str) -> None:
    assert key_made(EVERY[name], honest, key).caught == (key not in ROWS[name]["uncaught"])


def test_stored_figures_are_believed_only_where_the_page_says_so(honest: Path) -> None:
    path = Path(shutil.copyfile(honest, honest.with_name("figures.h5")))
    true = result_text(store(path))
    with resealed(path) as file:
        assert '"verdict": "pass"' in true
        file["statistics/json"][()] = true.replace('"verdict": "pass"', '"verdict": "fail"')
    assert json.loads(stored_text(path))["verdict"] == "fail"
    assert result_text(read(path)) == true
    assert result_text(store(path)) == stored_text(path) == true


def test_the_page_has_what_was_found() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page.partition(BEGIN)[2].partition(END)[0] == table(ROWS)


def test_nothing_goes_unseen_without_a_reason() -> None:
    assert list(ROWS) == list(EVERY)
    for name, row in ROWS.items():
        assert EVERY[name].reason or row["uncaught"] in (None, []), name


def test_each_forgery_has_a_name_of_its_own() -> None:
    listed = [each for part in FORGERIES.values() for each in part]
    assert len(listed) == len(EVERY)
    assert all(isinstance(each, Forgery | Keys) for each in listed)
