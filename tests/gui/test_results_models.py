# SPDX-License-Identifier: GPL-3.0-or-later
"""What the Results page is made of, without a window: summaries, stored results, notes."""

from __future__ import annotations

import json
import shutil
import tomllib
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui.models.runs.entry import kept_entry, new_entry, read_entry, stamp_of
from gui.models.runs.notes import (
    FILE_NAME,
    RunNote,
    notes_text,
    read_notes,
    tags_of,
    write_note,
)
from gui.models.runs.opened import OpenedRun
from gui.models.runs.outliers import next_outlier, worst_event
from gui.models.summary.levels import SummaryLevels
from gui.models.summary.rows import (
    BUCKET,
    EDGES,
    EVENTS,
    NO_HIGH,
    edge_rows,
    event_rows,
    rows_of_edges,
    rows_of_events,
)
from rig.analysis.statistics.outliers import Threshold, threshold_of
from rig.errors import InputError
from rig.record.reader import RunFile
from rig.report.labels import count_rows, figure_rows
from rig.report.run_facts import run_facts
from rig.report.tables import figures_index
from rig.report.tables.figures_index import FiguresIndex
from rig.session.results import read
from rig.session.stored_results import stored_result
from rig.untrusted.decode import decoded
from tests.gui.results_runs import FAULTY, GOOD
from tests.resealing import resealed


def levels_of(latency, answered, kind, parts=1) -> SummaryLevels:
    """A pyramid that grew in so many parts."""
    levels = SummaryLevels(EVENTS, len(latency))
    rows = rows_of_events(latency, answered, kind)
    for part in np.array_split(np.arange(len(rows)), parts):
        levels.append(rows[part])
    return levels


@given(
    count=st.integers(1, 60_000),
    seed=st.integers(0, 1000),
    parts=st.integers(1, 7),
    columns=st.integers(1, 150),
    data=st.data(),
)
def test_columns_hold_the_extremes_of_their_events(count, seed, parts, columns, data):
    random = np.random.default_rng(seed)
    latency = random.integers(0, 10_000, count)
    answered = random.random(count) < 0.9
    kind = np.where(answered, 0, 2)
    levels = levels_of(latency, answered, kind, parts)
    assert levels.complete
    first = data.draw(st.integers(0, count - 1))
    stop = data.draw(st.integers(first + 1, count))
    rows = levels.columns(first, stop, columns)
    if rows is None:
        assert (stop - first) / columns < BUCKET
        return
    assert len(rows) == columns
    high = np.where(answered, latency, NO_HIGH)
    # None of the events is left out, and none is shown that is far from the stretch.
    assert rows["high"].max() >= high[first:stop].max()
    reach = int((stop - first) / columns) + 1
    assert rows["high"].max() <= high[max(first - reach, 0) : stop + reach].max()
    borders = np.linspace(first, stop, columns + 1)
    for number in range(columns):
        inside = slice(int(np.ceil(borders[number])), int(borders[number + 1]))
        wide = slice(max(inside.start - 2 * reach, 0), inside.stop + 2 * reach)
        assert rows["high"][number] <= high[wide].max()


@given(st.integers(1, 300_000), st.integers(0, 99), st.integers(2, 9))
def test_a_pyramid_that_grew_is_the_one_made_at_once(count, seed, parts):
    latency = np.random.default_rng(seed).integers(0, 10_000, count)
    answered, kind = latency > 100, np.zeros(count, np.int64)
    grown, whole = (levels_of(latency, answered, kind, p) for p in (parts, 1))
    sizes = []
    for per_row in BUCKET * 8 ** np.arange(6):
        (size, rows), (same_size, same_rows) = grown.at(per_row), whole.at(per_row)
        assert size == same_size
        assert np.array_equal(rows, same_rows)
        highs = [latency[f : f + size][answered[f : f + size]] for f in range(0, count, size)]
        assert rows["high"].tolist() == [h.max() if len(h) else NO_HIGH for h in highs]
        sizes.append(size)
    assert sizes == sorted(sizes)


def test_columns_as_wide_as_rows_are_the_rows():
    latency = np.arange(8 * BUCKET)
    levels = levels_of(latency, latency >= 0, np.zeros_like(latency))
    assert np.array_equal(levels.columns(0, len(latency), 8), levels.base)


@given(st.integers(0, 5000), st.integers(0, 99))
def test_rows_of_edges_tell_levels_by_counting(count, seed):
    random = np.random.default_rng(seed)
    index = np.cumsum(random.integers(1, 50, count + 1))
    channel = random.integers(0, 5, count + 1).astype(np.uint8)
    rows, after = rows_of_edges(index, channel, 0b00100)
    levels = 0b00100
    for number, row in enumerate(rows):
        part = slice(number * BUCKET, (number + 1) * BUCKET)
        assert (row["first"], row["last"]) == (index[part][0], index[part][-1])
        assert row["levels"] == levels
        assert row["mask"] == np.bitwise_or.reduce(1 << channel[part].astype(int))
        for c in channel[part].tolist():
            levels ^= 1 << c
    assert after == levels


def test_stored_result_says_what_rig_show_says(measured_runs):
    for name in (GOOD, FAULTY):
        computed = read(measured_runs / name)
        with RunFile(measured_runs / name) as file:
            stored = stored_result(file)
        assert figure_rows(stored.evaluation) == figure_rows(computed.evaluation)
        assert count_rows(stored.settings, stored.evaluation.counts) == count_rows(
            computed.settings, computed.evaluation.counts
        )
        assert run_facts(stored) == run_facts(computed)
        for part in ("verdict", "reasons", "witnesses", "gaps", "figures", "details"):
            assert getattr(stored.evaluation, part) == getattr(computed.evaluation, part), part
        assert stored.evaluation.histogram.n == computed.evaluation.histogram.n


def test_an_entry_is_kept_as_it_was_read_until_its_file_changes(
    measured_runs, tmp_path, monkeypatch
):
    monkeypatch.setattr(figures_index, "SETTLED_NS", -(10**12))
    path, index_path = tmp_path / GOOD, tmp_path / "cache" / "figures.sqlite3"
    shutil.copy(measured_runs / GOOD, path)
    stamp = stamp_of(path)
    with FiguresIndex(index_path, pytest.fail) as index:
        assert kept_entry(index, path, stamp) is None
        entry = new_entry(index, path, stamp)
    assert entry.vetted
    assert entry.latencies
    with FiguresIndex(index_path, pytest.fail) as index:
        assert kept_entry(index, path, stamp) == replace(entry, vetted=False)
        path.write_bytes(path.read_bytes()[:-1] + b"x")
        assert kept_entry(index, path, stamp_of(path)) is None


def test_what_is_wrong_with_a_file_is_not_kept(measured_runs, tmp_path, monkeypatch):
    monkeypatch.setattr(figures_index, "SETTLED_NS", -(10**12))
    path, index_path = tmp_path / GOOD, tmp_path / "cache" / "figures.sqlite3"
    path.write_bytes((measured_runs / GOOD).read_bytes()[:5000])
    for _ in range(2):
        with FiguresIndex(index_path, pytest.fail) as index:
            assert kept_entry(index, path, stamp_of(path)) is None
            assert new_entry(index, path, stamp_of(path)).problem


def test_damaged_figures_are_refused_in_one_line(measured_runs, tmp_path):
    path = shutil.copy(measured_runs / GOOD, tmp_path)
    with resealed(Path(path)) as file:
        text = json.loads(file["statistics/json"][()])
        del file["statistics/json"]
        text["counts"]["n"] = "many"
        file["statistics/json"] = json.dumps(text)
    entry = read_entry(Path(path), stamp_of(Path(path)))
    assert "stored figures cannot be read: counts.n" in entry.problem
    assert "\n" not in entry.problem


def test_a_damaged_histogram_is_computed_again(measured_runs, tmp_path):
    path = tmp_path / GOOD
    shutil.copy(measured_runs / GOOD, path)
    with resealed(Path(path)) as file:
        del file["histogram/count"]
        file["histogram/count"] = np.zeros(3, np.int64)
    with RunFile(path) as file:
        assert stored_result(file) is None
    assert not read_entry(path, stamp_of(path)).problem


@dataclass(frozen=True)
class Inner:
    number: int
    share: float | None = None


@dataclass(frozen=True)
class Outer:
    name: str
    inner: Inner
    many: tuple[Inner, ...] = ()


def test_frozen_values_come_back_from_json():
    value = Outer("a", Inner(1, 2.0), (Inner(2), Inner(3, 0.5)))
    assert decoded(Outer, json.loads(json.dumps(asdict(value)))) == value
    newer = {**asdict(value), "unknown to this version": 1}
    assert decoded(Outer, json.loads(json.dumps(newer)), ignore_unknown=True) == value
    for wrong in ({"name": 1, "inner": {"number": 1}}, {"name": "a", "inner": {"number": True}}):
        with pytest.raises(ValueError, match="valid: a"):
            decoded(Outer, wrong)


def test_outliers_are_those_of_a_search_through_all_events(measured_runs):
    with OpenedRun(measured_runs / FAULTY) as run:
        levels = SummaryLevels(EVENTS, run.event_count)
        for rows in event_rows(run.file):
            levels.append(rows)
        columns = run.events(0, run.event_count)
        latency = columns["response_sample"] - columns["stimulus_sample"]
        answered = columns["response_sample"] >= 0
        chosen = threshold_of(run.settings, run.result.evaluation.histogram)
        for threshold in (chosen, Threshold(100, is_limit=True), None):
            above = answered & (latency > (threshold.samples if threshold else 1 << 60))
            expected = np.flatnonzero((columns["status"] != 0) | above)
            assert len(expected) > 10
            found, at = [], -1
            while (at_next := next_outlier(run, levels, at, threshold, 1)) is not None:
                found.append(at := at_next)
            assert found == expected.tolist()
            back, at = [], run.event_count
            while (at_next := next_outlier(run, levels, at, threshold, -1)) is not None:
                back.append(at := at_next)
            assert back == found[::-1]
        assert worst_event(run, levels) == int(np.argmax(np.where(answered, latency, -1)))
        for event in (0, 17, run.event_count - 1):
            assert run.event_at(int(columns["stimulus_sample"][event])) == event
            assert run.event_at(int(columns["stimulus_sample"][event]) - 1) == max(event - 1, 0)


def test_edge_summary_covers_every_edge(measured_runs):
    with RunFile(measured_runs / FAULTY) as file:
        rows = np.concatenate(list(edge_rows(file)))
        index = np.concatenate([block.index for block in file.edge_blocks()])
        assert len(rows) == -(-file.edge_count // BUCKET) == -(-EDGES.count(file) // BUCKET)
    assert rows["first"].tolist() == index[::BUCKET].tolist()
    assert rows["last"][-1] == index[-1]


NAMES = st.text(min_size=1, max_size=20).filter(lambda s: s.encode("utf-8", "ignore").decode() == s)


@given(st.dictionaries(NAMES, st.tuples(st.lists(NAMES, max_size=3), NAMES), max_size=4))
def test_any_note_can_be_read_again(notes):
    written = {name: RunNote(tuple(tags), note) for name, (tags, note) in notes.items()}
    found = tomllib.loads(notes_text(written))
    assert {name: RunNote(tuple(t.get("tags", ())), t["note"])
            for name, t in found.items()} == written  # fmt: skip


def test_notes_of_others_stay(tmp_path):
    write_note(tmp_path, "a.h5", RunNote(("rt",), "first"))
    other = (tmp_path / FILE_NAME).read_text() + '\n["b.h5"]\nnote = "by hand"\n'
    (tmp_path / FILE_NAME).write_text(other)
    write_note(tmp_path, "a.h5", RunNote(("rt", "new"), ""))
    assert read_notes(tmp_path) == {
        "a.h5": RunNote(("rt", "new")),
        "b.h5": RunNote((), "by hand"),
    }
    write_note(tmp_path, "a.h5", RunNote())
    assert list(read_notes(tmp_path)) == ["b.h5"]
    assert [path.name for path in tmp_path.iterdir()] == [FILE_NAME]


@pytest.mark.parametrize("text", ["[", '["a.h5"]\ntags = "rt"', '"a.h5" = 1', "\ud800"])
def test_unusable_notes_are_not_written_over(tmp_path, text):
    path = tmp_path / FILE_NAME
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    before = path.read_bytes()
    with pytest.raises(InputError, match=FILE_NAME):
        write_note(tmp_path, "b.h5", RunNote(("x",)))
    assert path.read_bytes() == before


def test_tags_are_words():
    assert tags_of(" rt, baseline rt  x ") == ("rt", "baseline", "x")
