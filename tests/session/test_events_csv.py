# SPDX-License-Identifier: GPL-3.0-or-later
"""Values that the target measured by itself as CSV: those that the run's figures are made of."""

from __future__ import annotations

import csv
from collections import defaultdict
from statistics import fmean

import pytest

from rig.cli.main import main
from rig.limit_names import BY_PINS, of_task
from rig.measurements import value_table
from rig.measurements.registry import MEASUREMENTS
from rig.session.results import read
from tests.golden.runs import RUNS, unpacked

NO_SERIES = "period-search"
INSIDE = [
    name
    for name in RUNS
    if name != NO_SERIES
    and name in {kind.replace("_", "-") for kind, of in MEASUREMENTS.items() if not of.has_events}
]


@pytest.mark.parametrize("records", [1 << 16, 7])
@pytest.mark.parametrize("name", INSIDE)
def test_every_value_of_every_part_is_in_the_csv(name, records, tmp_path, monkeypatch):
    monkeypatch.setattr(value_table, "CHUNK", records)
    run, out = unpacked(name, tmp_path), tmp_path / "values.csv"
    assert main(["export", str(run), str(out)]) == 0
    with out.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    number, *_ = rows[0]
    (time,) = (column for column in rows[0] if column.endswith("_s"))
    assert len({int(row[number]) for row in rows}) == len(rows)
    inside = MEASUREMENTS[name.replace("-", "_")].description
    if "task" not in rows[0]:
        titles = [f"{part.title}_ns" for part in inside.parts]
        pins = [title.replace("_ns", f"{BY_PINS}_ns") for title in titles]
        columns = [column for column in rows[0] if column.endswith("_ns")]
        assert columns == titles + (pins if name == "start-finish" else [])
        times = [float(row[time]) for row in rows]
        assert times == sorted(times)
    by_name = {each.name: each.statistics for each in read(run).evaluation.measurands}
    for part in inside.parts:
        found = values_of(rows, part)
        assert found
        for measurand, values in found.items():
            figures = by_name[measurand]
            assert len(values) == figures.n
            assert min(values) == pytest.approx(figures.min_ns, abs=1e-3)
            assert max(values) == pytest.approx(figures.max_ns, abs=1e-3)
            assert fmean(values) == pytest.approx(figures.average_ns, abs=1e-3)
        if name == "start-finish":
            values = [float(row[f"{part.title}{BY_PINS}_ns"]) for row in rows]
            figures = by_name[part.name + BY_PINS]
            assert len(values) == figures.n
            assert max(values) == pytest.approx(figures.max_ns, abs=1e-3)


def values_of(rows, part):
    """The values of a part by the names of their measurands: one, or one for each task."""
    found = defaultdict(list)
    for row in rows:
        if text := row[f"{part.title}_ns"]:
            name = of_task(part.name, int(row["task"])) if "task" in row else part.name
            found[name].append(float(text))
    return found


def test_a_file_that_is_there_stays(tmp_path, capsys):
    run, out = unpacked("preemption", tmp_path), tmp_path / "values.csv"
    out.write_text("mine")
    assert main(["export", str(run), str(out)]) == 2
    assert "exists already and is not overwritten" in capsys.readouterr().err
    assert out.read_text() == "mine"


def test_a_run_without_a_series_says_where_its_figures_are(tmp_path, capsys):
    run, out = unpacked(NO_SERIES, tmp_path), tmp_path / "values.csv"
    assert main(["export", str(run), str(out)]) == 2
    assert "are no series of one quantity; `rig show" in capsys.readouterr().err
    assert not out.exists()
