# SPDX-License-Identifier: GPL-3.0-or-later
"""A system's whole history in one picture: every value of every run, and the worst ones."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.measured_run import write_measured_run
from rig.cli.main import main
from rig.errors import InputError
from rig.plots.history import LAYERS_MAX, HistoryRun, history_svg
from rig.record.reader import RunFile
from rig.report.tables.history import (
    BINS,
    GROUPS_MAX,
    KEPT_BINS,
    Ridge,
    RidgeGroup,
    binned,
    grid,
    history_page,
    ridges,
    thinned,
)
from rig.session.results import store
from tests.stored_events import events_of

LIMIT_BYTES = 2_000_000
"""A page of 800 runs."""


def ridge(samples, unit_us=0.25, name="run", created="2026-01-02T03:04:05", load="idle"):
    values, counts = np.unique(np.array(samples), return_counts=True)
    group = RidgeGroup("bench", "500us", load)
    path = Path(f"{name}.h5")
    return Ridge(path, created, "interrupt", group, values * unit_us, counts, unit_us)


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


@given(st.lists(st.integers(-(10**9), 10**9), min_size=1, max_size=2000))
def test_what_is_kept_of_a_run_loses_no_count_and_no_maximum(samples):
    values, counts = np.unique(np.array(samples), return_counts=True)
    kept, its_counts, step = thinned(values, counts)
    assert len(kept) == len(its_counts) <= KEPT_BINS
    assert its_counts.sum() == len(samples)
    assert kept[-1] == values[-1]
    assert np.all(np.diff(kept) > 0)
    nearest = np.abs(kept[:, None] - values[None, :]).min(axis=0)
    assert nearest.max() <= step


def drawn_of(page):
    """The <svg> elements of a page."""
    found = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    return [ET.fromstring(text) for text in found]  # noqa: S314 - made here


def circles(root):
    return [each for each in root.iter() if each.tag.endswith("circle")]


def test_a_dot_for_the_worst_value_of_each_run_and_the_worst_of_all_in_words():
    runs = [ridge([10, 11, 12, 40 + place], name=f"run{place}") for place in range(12)]
    page = history_page(runs)
    (root,) = drawn_of(page)
    assert len(circles(root)) == 12
    places = [float(each.get("cx")) for each in circles(root)]
    assert places == sorted(places, reverse=True)  # from back to front, on one axis for all
    assert "".join(root.itertext()).count("12.750") == 1
    assert (
        "Observed maximum of all 48 values: 12.750\u00a0µs, 2026-01-02 03:04, in run11.h5" in page
    )
    assert "nan" not in page


def test_800_runs_are_as_deep_as_80_and_their_page_is_small():
    generator = np.random.default_rng(1)
    runs = [
        ridge(generator.geometric(0.03, 3000), name=f"run{place:03}", created=f"2026-{place:03}")
        for place in range(800)
    ]
    few, many = history_page(runs[:LAYERS_MAX]), history_page(runs)
    assert len(many) < LIMIT_BYTES
    (small,), (large,) = drawn_of(few), drawn_of(many)
    assert small.get("viewBox") == large.get("viewBox")
    assert len(circles(large)) == LAYERS_MAX
    worst = max(runs, key=lambda run: run.worst_us)
    assert f"{worst.worst_us:.3f}" in "".join(large.itertext())
    assert f"{worst.name}.h5" in many
    assert "<summary>All 800 runs by date" in many


def test_a_layer_has_the_largest_count_of_any_of_its_runs():
    edges = np.arange(6.0)
    one, other = np.array([5, 0, 90, 0, 1]), np.array([0, 7, 100, 0, 0])

    def outlines(*counts):
        runs = [HistoryRun("", each, 4.5) for each in counts]
        return re.findall(r'fill="url.*? d="(.*?)"', history_svg("history", "", runs, edges))

    both = outlines(*[one, other] * LAYERS_MAX)
    assert both == outlines(*[np.maximum(one, other)] * LAYERS_MAX)
    assert len(both) == LAYERS_MAX


def test_runs_under_different_conditions_have_pictures_of_their_own():
    runs = [ridge([1, 2, 3 + n], load=load) for load in ("cpu", "idle") for n in range(3)]
    page = history_page(runs)
    assert len(drawn_of(page)) == 2
    titles = re.findall(r"<h2>(.*?)</h2>", page)
    assert [title.split(":")[0] for title in titles[:2]] == [
        "bench, 500us, load cpu", "bench, 500us, load idle",
    ]  # fmt: skip
    loads = [ridge([1], load=f"load{number:02}") for number in range(GROUPS_MAX + 1)]
    with pytest.raises(InputError, match="history: runs under 13 different conditions"):
        history_page(loads)


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
        number = r'\s*<td class="number">'
        cells = rf"<td>{name}</td>\s*<td>[^<]*</td>{number}30</td>{number}(.*?)</td>"
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


def test_what_a_child_tells_is_what_the_file_holds(tmp_path):
    places = [tmp_path / f"{count}.h5" for count in (300, 90, 40)]
    for place in places:
        write_measured_run(place, int(place.stem))
        if place is not places[2]:
            store(place)
    told = ridges(places)
    assert {run.name for run in told} == {"300", "90"}  # nothing is stored in the third
    for run in told:
        with RunFile(run.path) as file:
            values, counts = file.histogram()
        kept, its_counts, step = thinned(values, counts)
        assert (run.counts.tolist(), step) == (its_counts.tolist(), 1)
        assert run.latency_us.tolist() == pytest.approx((kept / 24).tolist())


def test_a_damaged_file_is_named(tmp_path):
    place = tmp_path / "run.h5"
    write_measured_run(place, 40)
    data = bytearray(place.read_bytes())
    data[len(data) // 2] ^= 0xFF
    place.write_bytes(data)
    with pytest.raises(InputError, match=re.escape(str(place))):
        ridges([place])
