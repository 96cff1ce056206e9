# SPDX-License-Identifier: GPL-3.0-or-later
"""Long runs: summaries made beside the window, kept, and never more work than a picture needs."""

from __future__ import annotations

import os
from time import perf_counter

import h5py
import numpy as np
import psutil
import pytest
from PySide6.QtCore import QSettings

from benchmarks.long_run import SLOW_SAMPLES, slowest, write_long_run
from gui.models.runs.entry import read_entry, stamp_of
from gui.models.runs.opened import OpenedRun
from gui.models.summary import service
from gui.models.summary.rows import EDGES, EVENTS, edge_rows, event_rows
from gui.models.summary.service import Summary
from gui.models.summary.store import file_of, make_room
from gui.pages.results.events_view import EventsView
from rig.record.reader import RunFile
from rig.session.results import read

FEW = 200_000


@pytest.fixture(scope="module")
def long_run(tmp_path_factory):
    path = tmp_path_factory.mktemp("long") / "long.h5"
    write_long_run(path, FEW)
    return path


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A cache folder of this test; even short runs are summed up by a process."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(service, "SHORT", 1000)
    return tmp_path / "cache" / "latency-rig" / "summaries"


def test_the_long_run_is_what_it_says(long_run):
    with RunFile(long_run) as file:
        stored = file.histogram()
    found = read(long_run).evaluation
    assert (found.counts.n, found.counts.missed) == (FEW, 0)
    assert np.array_equal(found.histogram.values, stored[0])
    assert np.array_equal(found.histogram.counts, stored[1])


@pytest.mark.parametrize(("kind", "rows_of"), [(EVENTS, event_rows), (EDGES, edge_rows)])
def test_a_process_makes_the_same_summary_and_it_is_kept(long_run, cache, qtbot, kind, rows_of):
    with RunFile(long_run) as file:
        expected = np.concatenate(list(rows_of(file)))
        summary = Summary(file, kind)
        assert not summary.levels.complete
        qtbot.waitUntil(lambda: summary.levels.complete, timeout=60_000)
        assert np.array_equal(summary.levels.base, expected)
        summary.close()
        again = Summary(file, kind)
        assert again.levels.complete  # at once: nothing was started
        assert np.array_equal(again.levels.base, expected)
        again.close()
        kept = file_of(long_run, kind, cache)
        assert [path.name for path in cache.iterdir()] == [kept.name]
        # Of another state of the run file, or not whole: not used.
        data = kept.read_bytes()
        for spoiled in (data[:-1], data[:20] + b"\1" + data[21:], b""):
            kept.write_bytes(spoiled)
            other = Summary(file, kind)
            assert not len(other.levels.base)
            other.close()


def test_closing_ends_the_process_and_leaves_nothing(long_run, cache, qtbot):
    with RunFile(long_run) as file:
        summary = Summary(file, EDGES)
        (child,) = [
            p for p in psutil.Process().children() if "gui.models.summary.build" in p.cmdline()
        ]
        summary.close()
        assert not child.is_running()
        assert not list(cache.iterdir()) or [p.suffix for p in cache.iterdir()] == [".edges"]


def test_room_is_limited(tmp_path):
    for number in range(4):
        path = tmp_path / f"{number}.events"
        path.write_bytes(b"x" * 100)
        os.utime(path, (number, number))  # when it was used last
    make_room(tmp_path, 250)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["2.events", "3.events"]


def test_a_damaged_run_is_told(long_run, cache, qtbot, tmp_path):
    path = tmp_path / "damaged.h5"
    data = bytearray(long_run.read_bytes())
    with h5py.File(long_run) as file:
        offset = file["events/response"].id.get_chunk_info(1).byte_offset
    data[offset : offset + 64] = bytes(64)
    path.write_bytes(data)
    with RunFile(path, checked=False) as file:  # damaged after its digests were compared
        summary = Summary(file, EVENTS)
        with qtbot.waitSignal(summary.failed, timeout=60_000) as said:
            pass
        assert str(path) in said.args[0]
        summary.close()


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_ten_million_events(tmp_path, monkeypatch, qtbot):
    """Figures are printed, and bounds are generous: this machine may do other things."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    count, path = 10**7, tmp_path / "long.h5"
    write_long_run(path, count)
    start = perf_counter()
    entry = read_entry(path, stamp_of(path))
    assert not entry.problem
    run = OpenedRun(path, vetted=True)
    view = EventsView(QSettings(str(tmp_path / "s.ini"), QSettings.Format.IniFormat))
    qtbot.addWidget(view)
    view.resize(1200, 600)
    view.show()
    view.show_run(run)
    view.grab()
    opened_s = perf_counter() - start
    qtbot.waitUntil(lambda: view.summaries_complete, timeout=600_000)
    view.go_to_worst()
    assert view.event_number == slowest(count)
    assert view.waveform.shown_event.latency_samples == SLOW_SAMPLES
    times = []
    for turn in range(60):
        start = perf_counter()
        view.strip.zoom(0.8 if turn < 30 else 1.25, 0.75)
        view.strip.grab()
        view.waveform.canvas.zoom(2.0 if turn < 30 else 0.5)
        view.waveform.canvas.grab()
        times.append(perf_counter() - start)
    times.sort()
    print(f"opened in {opened_s:.2f} s, a picture in {times[30] * 1e3:.0f} ms (median)")
    view.clear()
    run.close()
    assert opened_s < 10
    assert times[30] < 0.5
