# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs that the target measures by itself, in the window: in the unit of its own clock, and what
they cannot show is said in a line."""

from __future__ import annotations

import json
from functools import partial

import h5py
import pytest

from gui.engine.observer import LiveObserver
from gui.engine.snapshot import snapshot_of
from gui.models.runs.opened import OpenedRun
from gui.pages.results.page import COMPARE, EVENTS
from gui.pages.results.report import distribution_of
from gui.pages.run.page import RunPage
from gui.processes.messages import Unpacker
from rig.errors import InputError
from rig.record.reader import RunFile
from rig.recording.live import LiveSummary, LiveValues
from rig.services.event_query import EventQuery
from rig.services.event_search import find_event, find_live_event
from rig.session.stored_results import is_whole, stored_result
from tests.analysis.raw_runs import settings_of
from tests.gui.results_runs import results_page
from tests.gui.ten_runs import INSIDE, RUNS, measure_one

COUNTS = {plan: count for plan, *_, count in RUNS if plan in INSIDE}
EDGES = {"task-switch": 60, "start-finish": 120, "services": 0}
"""One after each value; at start and finish; no pin."""


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Folder, and the outcomes by how their plans are named."""
    folder = tmp_path_factory.mktemp("inside")
    numbers = [n for n in range(len(RUNS)) if RUNS[n][0] in INSIDE]
    return folder, {RUNS[n][0]: (measure_one(folder, n), heard(folder, n)) for n in numbers}


def heard(folder, number):
    """Snapshots that the window was sent."""
    messages = Unpacker().feed((folder / f"messages-{number}").read_bytes())
    return [snapshot_of(message) for message in messages if message.kind == "snapshot"]


def test_what_is_stored_comes_back_whole_and_in_its_own_unit(runs):
    for outcome, _ in runs[1].values():
        figures = outcome.document["measurands"][0]["statistics"]
        assert figures["max_ns"] > 0
        with RunFile(outcome.path) as file:
            result = stored_result(file)
            assert is_whole(file, result)
        assert result.unit_hz == outcome.document["details"]["unit_hz"] == 10**9
        drawn = distribution_of(result)
        assert drawn.low_us == pytest.approx(figures["min_ns"] / 1e3)
        assert drawn.high_us == pytest.approx(figures["max_ns"] / 1e3)
        with h5py.File(outcome.path) as file:
            assert file["histogram/latency_samples"].attrs["units"] == "ns"


@pytest.mark.parametrize("unit_hz", [0, -1, 10**19, 1.5, None, "54000000"])
def test_a_stored_rate_that_is_none(runs, unit_hz, monkeypatch):
    outcome, _ = runs[1]["task-switch"]
    with RunFile(outcome.path) as file:
        text = json.loads(file.evaluation)
        text["details"]["unit_hz"] = unit_hz
        monkeypatch.setattr(RunFile, "evaluation", property(lambda _self: json.dumps(text)))
        with pytest.raises(InputError, match="figures cannot be read: details"):
            stored_result(file)


def test_while_it_goes_on(runs):
    """Edges are seen where the target uses its pin; the target is never called silent."""
    for name, (outcome, seen) in runs[1].items():
        told = [snapshot for snapshot in seen if snapshot.is_values]
        assert told[-1].events == EDGES[name]
        assert told[-1].planned == COUNTS[name]
        targets = {snapshot.target for snapshot in told}
        assert targets <= {"connecting", "armed", "measuring", "answering", "stopped"}
        assert outcome.unit_hz == 10**9


def live(answers: int) -> LiveSummary:
    """A run inside the target, as it is seen from outside."""
    found = LiveSummary(planned=60, sample_rate_hz=24_000_000, phase="measuring")
    found.figures = LiveValues(settings_of("interrupt"))
    found.figures.answers, found.samples = answers, 1000
    return found


def test_each_edge_counts_and_no_rate_is_made_of_none():
    shown = []
    observer = LiveObserver(shown.append, expected_s=3.0)
    observer.poll(live(0), 1.0)
    observer.poll(live(40), 2.0)
    observer.poll(live(50), 3.0)
    assert [snapshot.events for snapshot in shown] == [0, 40, 50]
    assert [snapshot.target for snapshot in shown] == ["measuring", "answering", "answering"]
    assert [snapshot.unanswered for snapshot in shown] == [0, 0, 0]
    assert [snapshot.rate_hz for snapshot in shown] == [0, 0, 10]


def test_the_run_page(runs, qtbot, settings):
    folder, outcomes = runs
    page = RunPage(folder, settings)
    qtbot.addWidget(page)
    page.load()
    page.engine.close()  # what it would tell has been heard before
    for name, (outcome, seen) in outcomes.items():
        page.event_selection.start()
        page.show_snapshot(next(s for s in reversed(seen) if s.phase == "measuring"))
        assert page.progress.maximum() == 0
        rows = {row.name: row.value for row in page.figures.counts.rows}
        assert rows["values planned"] == str(COUNTS[name])
        assert "stimuli" not in rows
        assert page.plots.histogram.text == "values follow at the end"
        page.show_snapshot(seen[-1])
        page._done(outcome)
        assert page.progress.value() == page.progress.maximum() == COUNTS[name]
        figures = outcome.document["measurands"][0]["statistics"]
        snapshot = page.snapshot
        assert snapshot.sample_us == 1e-3
        assert page.plots.histogram.text == f"worst {figures['max_ns'] / 1e3:.3f} µs"
        assert snapshot.bin_counts.sum() == figures["n"]
        assert page.plots.timeline.text == "none: measured inside the target"
        assert "no waveform" in page.plots.waveform._nothing.text()


def test_an_event_cannot_be_looked_for(runs):
    """The edges of its pin are no stimuli with answers."""
    for outcome, _ in runs[1].values():
        with OpenedRun(outcome.path) as run:
            by_query = partial(find_event, wanted=EventQuery())
            for look in (by_query, partial(find_live_event, event=0)):
                with pytest.raises(InputError, match="measured inside the target"):
                    look(run.file, run.settings)


def test_the_results_page(runs, qtbot, settings):
    folder, outcomes = runs
    with results_page(folder, settings, qtbot) as page:
        said = []
        page.status.connect(said.append)
        for outcome, _ in outcomes.values():
            figures = outcome.document["measurands"][0]["statistics"]
            page.tabs.setCurrentIndex(EVENTS)
            assert page.table.select(outcome.path)
            qtbot.waitUntil(lambda p=outcome.path: page.shown_run == p, timeout=60_000)
            assert page.events.waveform.headline.text().startswith("Measured inside the target")
            page.report.picked.emit(3068)
            assert said[-1].startswith("Measured inside the target")
            (drawn,) = page.report.histogram.chart.runs
            assert drawn.high_us == pytest.approx(figures["max_ns"] / 1e3)
            page.tabs.setCurrentIndex(COMPARE)
            (drawn,) = page.compare.histogram.chart.runs
            assert drawn.high_us == pytest.approx(figures["max_ns"] / 1e3)
        exported = folder / "runs.csv"
        page.exports.ask = lambda *_: exported
        page.exports.table(page.table.visible_runs)
        text = exported.read_text()
        for outcome, _ in outcomes.values():
            figures = outcome.document["measurands"][0]["statistics"]
            assert f",{figures['average_ns']},{figures['p99_ns']},{figures['max_ns']}," in text
