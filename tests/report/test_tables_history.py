# SPDX-License-Identifier: GPL-3.0-or-later
"""A system's whole history in one picture: every value of every run, and the worst ones."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.measured_run import write_measured_run
from rig.cli.main import main
from rig.errors import InputError
from rig.record.reader import RunFile
from rig.report.tables import history
from rig.report.tables.history import BINS, Ridge, binned, grid, history_svg, ridges
from rig.session.results import store
from tests.stored_events import events_of


def ridge(samples, unit_us=0.25, name="run"):
    values, counts = np.unique(np.array(samples), return_counts=True)
    return Ridge(name, "2026-01-02T03:04:05", "interrupt", values * unit_us, counts, unit_us)


@given(
    st.lists(st.lists(st.integers(0, 10**6), min_size=1, max_size=50), min_size=1, max_size=5),
    st.sampled_from([0.001, 0.0416666, 0.25, 1.0]),
)
def test_no_value_is_lost_and_no_bin_is_empty_by_construction(runs, unit_us):
    drawn = [ridge(samples, unit_us) for samples in runs]
    edges = grid(drawn)
    assert len(edges) <= BINS + 2
    widths = np.diff(edges) / unit_us
    assert np.allclose(widths, np.round(widths[0]), rtol=1e-6)
    for run, samples in zip(drawn, runs, strict=True):
        counts = binned(run, edges)
        assert counts.sum() == len(samples)
        (filled,) = np.nonzero(counts)
        assert edges[filled[-1]] <= run.worst_us <= edges[filled[-1] + 1]


def test_a_dot_for_the_worst_value_of_each_run():
    runs = [ridge([10, 11, 12, 40 + place], name=f"run{place}") for place in range(12)]
    root = ET.fromstring(history_svg(runs))  # noqa: S314 - made here
    text = "".join(root.itertext())
    assert "12 runs from front to back" in text
    drawn = ET.tostring(root).decode()
    assert len(re.findall(r"<[^>]*use [^>]*--bad", drawn)) == 12
    assert "nan" not in drawn


@pytest.mark.slow
def test_the_page_of_real_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for seed in (1, 2):
        words = ["--fixture", "virtual", "--count", "30", "--seed", str(seed), "--quiet"]
        assert main(["run", "interrupt", *words, "--out", f"{3 - seed}.h5"]) == 0
    assert main(["table", "1.h5", "2.h5", "--history", "-o", "h.html"]) == 0
    page = (tmp_path / "h.html").read_text()
    places = []
    for name in ("2", "1"):  # by when they were made
        events = events_of(f"{name}.h5")
        samples = events["response_sample"] - events["stimulus_sample"]
        cells = rf'<td>{name}</td>\s*<td class="number">30</td>\s*<td class="number">(.*?)</td>'
        (found,) = re.finditer(cells, page)
        assert found[1] == f"{samples.max() / 24:.3f}"
        places.append(found.start())
    assert places == sorted(places)
    (first, _) = ridges([tmp_path / "2.h5", tmp_path / "1.h5"])
    assert first.unit_us == pytest.approx(1 / 24)
    assert main(["run", "period", "--fixture", "virtual", "--count", "5", "--quiet",
                 "--period", "1 ms", "--out", "p.h5"]) == 0  # fmt: skip
    capsys.readouterr()
    assert main(["table", "1.h5", "p.h5", "--history"]) == 2
    assert "history: runs of interrupt, period latency; valid" in capsys.readouterr().err


def test_what_a_child_tells_is_what_the_file_holds(tmp_path, monkeypatch):
    places = [tmp_path / f"{count}.h5" for count in (300, 90, 40)]
    for place in places:
        write_measured_run(place, int(place.stem))
        if place is not places[2]:
            store(place)
    told = ridges(places)
    monkeypatch.setattr(history, "_TOLD_MAX", 2)  # then the parent reads by itself
    read = ridges(places)
    assert [run.name for run in told] == [run.name for run in read]
    assert {run.name for run in told} == {"300", "90"}  # nothing is stored in the third
    for one, other in zip(told, read, strict=True):
        assert (one.created, one.subject, one.unit_us) == (
            other.created, other.subject, other.unit_us,
        )  # fmt: skip
        assert one.latency_us.tolist() == other.latency_us.tolist()
        assert one.counts.tolist() == other.counts.tolist()
        assert one.counts.sum() == result_n(places[0].with_name(f"{one.name}.h5"))


def result_n(place):
    with RunFile(place) as file:
        return int(file.histogram()[1].sum())


def test_a_damaged_file_is_named(tmp_path):
    place = tmp_path / "run.h5"
    write_measured_run(place, 40)
    data = bytearray(place.read_bytes())
    data[len(data) // 2] ^= 0xFF
    place.write_bytes(data)
    with pytest.raises(InputError, match=re.escape(str(place))):
        ridges([place])
