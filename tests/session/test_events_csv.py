# SPDX-License-Identifier: GPL-3.0-or-later
"""Values that the target measured by itself as CSV: those that the run's figures are made of."""

from __future__ import annotations

import csv
from statistics import fmean

import pytest

from rig.cli.main import main
from rig.measurements import value_table
from rig.measurements.registry import MEASUREMENTS
from rig.session.results import read
from tests.golden.runs import RUNS, unpacked

INSIDE = [
    name
    for name in RUNS
    if name in {kind.replace("_", "-") for kind, of in MEASUREMENTS.items() if not of.has_events}
]


@pytest.mark.parametrize("records", [1 << 16, 7])
@pytest.mark.parametrize("name", INSIDE)
def test_every_value_of_every_part_is_in_the_csv(name, records, tmp_path, monkeypatch):
    monkeypatch.setattr(value_table, "CHUNK", records)
    run, out = unpacked(name, tmp_path), tmp_path / "values.csv"
    assert main(["export", str(run), str(out)]) == 0
    with out.open(encoding="utf-8", newline="") as stream:
        number, time, *parts = zip(*csv.reader(stream), strict=True)
    assert sorted(map(int, number[1:])) == sorted(set(map(int, number[1:])))
    assert list(map(float, time[1:])) == sorted(map(float, time[1:]))
    inside = MEASUREMENTS[name.replace("-", "_")].description
    assert [each[0] for each in parts] == [f"{part.title}_ns" for part in inside.parts]
    by_name = {each.name: each.statistics for each in read(run).evaluation.measurands}
    for part, (_, *texts) in zip(inside.parts, parts, strict=True):
        values, figures = [float(text) for text in texts if text], by_name[part.name]
        assert len(values) == figures.n
        assert min(values) == pytest.approx(figures.min_ns, abs=1e-3)
        assert max(values) == pytest.approx(figures.max_ns, abs=1e-3)
        assert fmean(values) == pytest.approx(figures.average_ns, abs=1e-3)


def test_a_file_that_is_there_stays(tmp_path, capsys):
    run, out = unpacked("preemption", tmp_path), tmp_path / "values.csv"
    out.write_text("mine")
    assert main(["export", str(run), str(out)]) == 2
    assert "exists already and is not overwritten" in capsys.readouterr().err
    assert out.read_text() == "mine"
