# SPDX-License-Identifier: GPL-3.0-or-later
"""The waveform: what is drawn of edges, marks of the witnesses, and what the mouse does."""

from __future__ import annotations

import shutil
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication

from gui.models.runs.opened import Event, OpenedRun
from gui.models.summary.levels import SummaryLevels
from gui.models.summary.rows import EDGES, edge_rows
from gui.plots.waveform.axis import tick_texts, ticks, time_text
from gui.plots.waveform.edges import RunEdges
from gui.plots.waveform.marks import marks_of
from gui.plots.waveform.scene import NAMES_PX
from gui.plots.waveform.shape import EDGES_A_PIXEL, shape_of_edges, shape_of_rows
from gui.plots.waveform.view import WaveformView, span_around
from rig.analysis.model.events import EventClass
from rig.record.reader import RunFile
from rig.record.writer import RunWriter
from tests.gui.results_runs import FAULTY, GOOD
from tests.record.older import plain
from tests.resealing import resealed

WIDTH = 300


def level_at(shape, x: float) -> int | None:
    """The level drawn at x; None inside a block."""
    for (begin, end), level in zip(shape.flat_x, shape.flat_level, strict=True):
        if begin <= x <= end:
            return int(level)
    return None


@given(count=st.integers(0, 3000), seed=st.integers(0, 999), before=st.integers(0, 1),
       first=st.integers(0, 3000), span=st.integers(10, 4000))  # fmt: skip
def test_a_shape_is_true_to_its_edges(count, seed, before, first, span):
    random = np.random.default_rng(seed)
    index = np.sort(random.choice(4000, count, replace=False))
    level = ((1 - before + np.arange(len(index))) % 2).astype(np.uint8)
    shape = shape_of_edges(index, level, before, first, first + span, WIDTH)
    assert len(shape.edge_x) <= WIDTH * EDGES_A_PIXEL
    x = (index - first) * (WIDTH / span)
    inside = (index >= first) & (index < first + span)
    column = np.minimum(x[inside].astype(int), WIDTH - 1)
    crowded = {c for c in column.tolist() if np.count_nonzero(column == c) > EDGES_A_PIXEL}
    drawn = {c for begin, end in shape.blocks.tolist() for c in range(int(begin), int(end))}
    assert drawn == crowded
    alone = [at for at, c in zip(x[inside], column, strict=True) if c not in crowded]
    np.testing.assert_allclose(shape.edge_x, alone)
    busy = set(column.tolist())
    for at in np.arange(0.5, WIDTH):
        if int(at) in busy:
            continue
        sample = first + at * span / WIDTH
        expected = int(level[index <= sample][-1]) if (index <= sample).any() else before
        assert level_at(shape, at) == expected


def test_a_summary_draws_the_same_as_edges_where_lines_rest(measured_runs):
    with OpenedRun(measured_runs / GOOD) as run:
        rows = np.concatenate(list(edge_rows(run.file)))
        first, end = 0, run.file.covered_samples
        block_edges = list(run.file.edge_blocks())
        (after,) = (b.levels_before for b in run.file.edge_blocks(end, end))
        for line in run.lines[:2]:
            index = np.concatenate([b.index[b.channel == line.channel] for b in block_edges])
            level = np.concatenate([b.level[b.channel == line.channel] for b in block_edges])
            shape = shape_of_rows(rows, after, line.channel, first, end, WIDTH)
            drawn = {c for a, b in shape.blocks.tolist() for c in range(int(a), int(b))}
            assert drawn >= set((index * WIDTH // end).tolist())  # no edge is hidden
            for at in (0.5, WIDTH - 0.5):  # before the train, and behind it
                sample = at * end / WIDTH
                before = index <= sample
                expected = int(level[before][-1]) if before.any() else 0
                assert int(at) in drawn or level_at(shape, at) == expected


def test_every_answer_is_within_what_both_witnesses_say(measured_runs):
    for name in (GOOD, FAULTY):
        with OpenedRun(measured_runs / name) as run:
            marks = [m for n in range(0, run.event_count, 5) for m in marks_of(run, run.event(n))]
            witnesses = {m.witness for m in marks}
            assert witnesses == {"log", "capture"}
            assert len(marks) > run.event_count // 4
            assert all(mark.agrees for mark in marks)
            assert max(m.end - m.first for m in marks) < 10  # samples: a mark says something


def test_a_lie_in_the_log_is_seen(measured_runs, tmp_path):
    path = tmp_path / "lie.h5"
    shutil.copy(measured_runs / GOOD, path)
    with resealed(path) as file:
        log = plain(file, "target/log")
        rows = log[:]
        for name in ("before_ticks", "after_ticks"):
            rows[name][300] += 2000  # 2 us later than its edge
        log[...] = rows
    with OpenedRun(path) as run:
        (log,) = [m for m in marks_of(run, run.event(300)) if m.witness == "log"]
        assert not log.agrees


def test_times_in_words():
    assert time_text(6750.0, 41.7) == "6.750 µs"
    assert time_text(0.0, 41.7) == "0 ns"
    assert time_text(-2_006_083.3, 41.7) == "-2.006083 ms"
    assert tick_texts(ticks(-1.2, 3.4, 5)) == ["-1", "0", "1", "2", "3"]
    assert tick_texts(ticks(0.0, 0.5, 5)) == ["0.0", "0.1", "0.2", "0.3", "0.4", "0.5"]


@pytest.fixture
def view(measured_runs, qtbot):
    made = WaveformView()
    qtbot.addWidget(made)
    made.resize(1000, 420)
    made.show_event(measured_runs / FAULTY, 40)
    made.show()
    yield made
    made.release()


def wheel(canvas, x: int, notches: int) -> None:
    """Turn the wheel above a place."""
    at = QPointF(x, 100)
    event = QWheelEvent(
        at, canvas.mapToGlobal(at), QPoint(), QPoint(0, 120 * notches), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(canvas, event)


def test_wheel_zooms_about_the_pointer(view):
    canvas = view.canvas
    before, x = canvas.span, NAMES_PX + 200
    at = before.sample_at(200, canvas.width() - NAMES_PX)
    wheel(canvas, x, 3)
    assert canvas.span.length == pytest.approx(before.length * 0.8**3)
    assert canvas.span.sample_at(200, canvas.width() - NAMES_PX) == pytest.approx(at, abs=1e-3)
    view.whole_event()
    assert canvas.span.first == pytest.approx(before.first)


def test_a_box_zooms_to_what_is_in_it(view, qtbot):
    canvas, button = view.canvas, Qt.MouseButton.LeftButton
    width = canvas.width() - NAMES_PX
    low, high = (canvas.span.sample_at(x, width) for x in (100, 300))
    qtbot.mousePress(canvas, button, pos=QPoint(NAMES_PX + 100, 100))
    qtbot.mouseMove(canvas, QPoint(NAMES_PX + 300, 120))
    qtbot.mouseRelease(canvas, button, pos=QPoint(NAMES_PX + 300, 120))
    span = canvas.span
    assert span.origin + span.first == pytest.approx(low, abs=0.01)
    assert span.origin + span.end == pytest.approx(high, abs=0.01)


def test_cursors_measure_from_edge_to_edge(view, qtbot):
    canvas, event = view.canvas, view.shown_event
    canvas.set_cursors(True)
    a, b = (cursor.sample for cursor in canvas.scene.cursors)
    assert b - a == event.latency_samples
    assert time_text(event.latency_samples * 1e9 / 24e6, 41.7) in view.readings.text()
    width = canvas.width() - NAMES_PX
    x = NAMES_PX + round(canvas.span.x_of(a, width))
    target = NAMES_PX + round(canvas.span.x_of(b, width)) - 3  # near the edge: it snaps
    qtbot.mousePress(canvas, Qt.MouseButton.LeftButton, pos=QPoint(x, 90))
    qtbot.mouseMove(canvas, QPoint(target, 90))
    qtbot.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=QPoint(target, 90))
    assert canvas.scene.cursors[0].sample == pytest.approx(b)


def test_cursors_go_along_to_the_next_event(view):
    view.canvas.set_cursors(True)
    view.go_to(41)
    event = view.shown_event
    assert [c.sample for c in view.canvas.scene.cursors] == [
        event.stimulus_sample, event.response_sample
    ]  # fmt: skip
    view.canvas.set_cursors(False)
    view.go_to(42)
    assert not view.canvas.scene.cursors
    assert view.readings.isHidden()


def test_pointing_at_an_edge_tells_its_time(view, qtbot):
    canvas, event = view.canvas, view.shown_event
    x = NAMES_PX + round(canvas.span.x_of(event.response_sample, canvas.width() - NAMES_PX))
    row = [line.signal for line in canvas.scene.lines].index("response")
    qtbot.mouseMove(canvas, QPoint(x + 2, canvas.scene.row_top(row) + 15))
    assert canvas.scene.hover_text == time_text(event.latency_samples * 1e9 / 24e6, 41.7)


def test_what_cannot_be_shown_is_said(view, measured_runs, tmp_path):
    assert not view.go_to(10**6)
    assert "no event 1000000" in view.headline.text()
    view.show_event(tmp_path / "none.h5", 0)
    assert "no such file" in view.headline.text()


def test_zoomed_out_nothing_is_left_out_silently(measured_runs, monkeypatch):
    monkeypatch.setattr("gui.plots.waveform.edges.EDGES_MAX", 500)
    with OpenedRun(measured_runs / GOOD) as run:
        end = run.file.covered_samples
        edges = RunEdges(run, SummaryLevels(EDGES, run.file.edge_count))  # no summary yet
        edges.shapes(0, end, WIDTH)
        assert edges.known_until(end) < end
        levels = SummaryLevels(EDGES, run.file.edge_count)
        for rows in edge_rows(run.file):
            levels.append(rows)
        edges = RunEdges(run, levels)
        edges.shapes(0, end, WIDTH)
        assert edges.known_until(end) == end


def test_an_event_of_a_run_that_goes_on(view, measured_runs, tmp_path):
    with RunFile(measured_runs / FAULTY) as source:
        blocks = list(source.edge_blocks())
        columns = source.events(0, source.event_count)
        texts, settings = source.texts(), source.settings
    path = tmp_path / "live.h5"
    missed = int(np.flatnonzero(columns["status"] == EventClass.MISSED)[0])
    with RunWriter(path, texts, settings) as writer:
        for block in blocks:
            writer.edges(block)
        writer.flush()
        view.show_event(path, missed)
        event = view.shown_event
        assert event.kind is EventClass.MISSED
        assert event.stimulus_sample == columns["stimulus_sample"][missed]
        assert view.canvas.current_scene().shapes[0].edge_x.size
        view.show_event(path, 10**6)
        assert "when the run has ended" in view.headline.text()
        sample = int(columns["stimulus_sample"][3])
        view.show_event(path, 3, sample, sample + 100)
        assert view.shown_event.latency_samples == 100
        writer.finish("complete", {})


@pytest.mark.parametrize("latency", [-400, -1, 0, 1, 250])
def test_both_ends_of_an_event_are_in_view(latency):
    """Of periods the answer may come before its time."""
    event = Event(7, EventClass.ANSWERED, 10_000, 10_000 + latency, -1, -1)
    span = span_around(SimpleNamespace(sample_ns=1e9 / 24e6), event)
    room = 4000.0 / span.sample_ns
    assert span.first <= min(latency, 0) - room
    assert span.end >= max(latency, 0) + room
