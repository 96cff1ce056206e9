# SPDX-License-Identifier: GPL-3.0-or-later
"""What stored runs show is what they showed when their results were stored.

A change of the program's structure changes none of it. Who means to change a result looks at the
difference that `python -m tests.golden figures` makes, and commits it with the change.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from rig.cli.main import main
from rig.measurements.registry import MEASUREMENTS
from rig.session.result_schema import result_schema
from tests.golden.compare import differences
from tests.golden.renamed import as_format_1
from tests.golden.runs import (
    RUNS,
    TABLES,
    stored_figures,
    stored_run,
    stored_table,
    unpacked,
)


@pytest.mark.parametrize("name", RUNS)
def test_a_stored_run_shows_what_it_showed(
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    unpacked(name, tmp_path)
    monkeypatch.chdir(tmp_path)
    assert main(["show", "--json", f"{name}.h5"]) == 0
    stored = json.loads(stored_figures(name).read_text(encoding="utf-8"))
    found = json.loads(capsys.readouterr().out)
    Draft202012Validator(result_schema()).validate(found)
    if "format" not in stored:
        found = as_format_1(found)
    assert list(differences(stored, found)) == []


@pytest.fixture(scope="module")
def all_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("golden")
    for name in RUNS:
        unpacked(name, folder)
    return folder


@pytest.mark.parametrize("name", TABLES)
def test_a_table_of_all_runs_is_what_it_was(
    name: str,
    all_runs: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(all_runs)
    assert main(["table", *TABLES[name], "."]) == 0
    assert capsys.readouterr().out == stored_table(name).read_text(encoding="utf-8")


def test_every_measurement_has_a_stored_run() -> None:
    measured = set()
    for name in RUNS:
        stored = json.loads(stored_figures(name).read_text(encoding="utf-8"))
        is_older = "format" not in stored
        measured.add(stored["measurements"][0]["name"] if is_older else stored["measurement"])
    assert measured == set(MEASUREMENTS)


def test_nothing_stored_is_left_over() -> None:
    for path, names in ((stored_run, RUNS), (stored_figures, RUNS), (stored_table, TABLES)):
        expected = {path(name) for name in names}
        assert set(path("any").parent.iterdir()) == expected


def test_a_number_that_differs_is_named() -> None:
    stored = {"a": [1.0, {"b": 2, "c": None}]}
    found = {"a": [1.0 + 1e-8, {"b": 3, "d": None}]}
    assert list(differences(stored, found)) == [
        ".a[0]: stored 1.0, found 1.00000001",
        ".a[1].b: stored 2, found 3",
        ".a[1].c: stored None, found 'no such key'",
        ".a[1].d: stored 'no such key', found None",
    ]
