# SPDX-License-Identifier: GPL-3.0-or-later
"""A system's whole history in one picture: every value of every run, and the worst ones."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import h5py
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.cli.main import main
from rig.report.tables.history import BINS, Ridge, binned, grid, history_svg, ridges


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
        with h5py.File(f"{name}.h5") as file:
            samples = file["events/response_sample"][:] - file["events/stimulus_sample"][:]
        cells = f"<td>{name}</td><td class=number>30</td><td class=number>{samples.max() / 24:.3f}"
        places.append(page.index(cells))
    assert places == sorted(places)
    (first, _) = ridges([tmp_path / "2.h5", tmp_path / "1.h5"])
    assert first.unit_us == pytest.approx(1 / 24)
    assert main(["run", "period", "--fixture", "virtual", "--count", "5", "--quiet",
                 "--period", "1 ms", "--out", "p.h5"]) == 0  # fmt: skip
    capsys.readouterr()
    assert main(["table", "1.h5", "p.h5", "--history"]) == 2
    assert "history: runs of interrupt, period latency; valid" in capsys.readouterr().err
