# SPDX-License-Identifier: GPL-3.0-or-later
"""A click in a plot shows the event that is drawn there: by a real mouse press at its pixels."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt

from gui.pages.results.page import EVENTS
from gui.pages.run.page import RunPage
from rig.analysis.model.events import EventClass
from rig.resources import find_fixture
from tests.gui.bench import begin, ending, finish
from tests.gui.results_runs import FAULTY, GOOD, choose, results_page
from tests.gui.test_event_search import columns

WAIT_MS = 60_000


@pytest.fixture
def page(qtbot, settings, tmp_path):
    """A Run page, shown."""
    made = RunPage(tmp_path / "runs", settings)
    qtbot.addWidget(made)
    made.resize(1180, 640)
    made.load()
    with qtbot.waitExposed(made):
        made.show()
    yield made
    made.event_selection.stop()
    made.engine.close()


def click(qtbot, plot, x, y):
    """The mouse at a place in a plot's own coordinates."""
    scene = plot.plot.vb.mapViewToScene(QPointF(x, y))
    at = plot._view.mapFromScene(scene)
    port = plot._view.viewport()
    qtbot.mouseClick(port, Qt.MouseButton.LeftButton, pos=QPoint(at.x(), at.y()))


def shown(qtbot, page, plot, x, y):
    """The event that the waveform shows after a click there; None: it is not in the file yet.

    Other words may come into the status bar meanwhile, so it is not the last that counts.
    """
    before = len(page.status_message)
    click(qtbot, plot, x, y)
    ends = ("Run file", "click again")
    qtbot.waitUntil(
        lambda: any(end in said for said in page.status_message[before:] for end in ends),
        timeout=WAIT_MS,
    )
    if any("click again" in said for said in page.status_message[before:]):
        return None
    return page.plots.waveform._view.shown_event


def listen(page):
    page.status_message = [""]
    page.status.connect(page.status_message.append)


def test_histogram_and_timeline_of_a_run(qtbot, page):
    page.chooser.fixtures.setCurrentText("virtual-misbehaving")
    outcome = finish(qtbot, page, 600)
    stimulus, _, latency, kind = columns(outcome.path)
    listen(page)
    snapshot, us = page.snapshot, page.snapshot.sample_us
    # The worst bar, then a middling latency that stands alone enough to be hit.
    plot = page.plots.histogram
    event = shown(qtbot, page, plot, latency.max() * us, 0.0)
    assert event.latency_samples == pytest.approx(latency.max(), rel=0.008)
    low, high = plot.plot.vb.viewRange()[0]
    near = (high - low) / plot.plot_width * 8
    wanted = float(np.median(latency[latency > 0])) * us
    assert abs(shown(qtbot, page, plot, wanted, 0.0).latency_samples * us - wanted) <= near
    # The complementary distribution, at its end.
    event = shown(qtbot, page, page.plots.complementary, np.log10(latency.max() * us), -1.0)
    assert event.latency_samples == pytest.approx(latency.max(), rel=0.008)
    # The highest bar of the timeline, and a red mark.
    plot = page.plots.timeline
    end_s = snapshot.end_sample / snapshot.sample_rate_hz
    low, high = plot.plot.vb.viewRange()[1]
    highest = end_s[int(np.argmax(snapshot.max_samples))] - 0.001
    event = shown(qtbot, page, plot, highest, (low + high) / 2)
    assert event.latency_samples == pytest.approx(latency.max(), rel=0.008)
    at = int(np.flatnonzero(snapshot.missed)[0])
    event = shown(qtbot, page, plot, (end_s[at - 1] + end_s[at]) / 2, high - 0.05 * (high - low))
    assert event.response_sample == -1
    assert kind[event.number] == EventClass.MISSED
    assert event.stimulus_sample == stimulus[event.number]
    # Where nothing is drawn, nothing happens.
    said = len(page.status_message)
    click(qtbot, page.plots.histogram, latency.max() * us * 0.75, 0.0)
    assert len(page.status_message) == said


def test_a_click_while_the_run_goes_on(qtbot, page):
    begin(qtbot, page, 20_000)
    listen(page)
    qtbot.waitUntil(lambda: page.snapshot.answers > 1500, timeout=WAIT_MS)
    snapshot = page.snapshot
    middle = snapshot.bins[int(np.argmax(snapshot.bin_counts))] * snapshot.sample_us
    event = None
    while event is None:  # edges reach the file up to a second late
        event = shown(qtbot, page, page.plots.histogram, middle, 0.0)
    assert event.latency_samples * snapshot.sample_us == pytest.approx(middle, abs=0.2)
    page.toggle()
    outcome = ending(qtbot, page)
    stimulus, response, _, _ = columns(outcome.path)
    assert stimulus[event.number] == event.stimulus_sample
    assert response[event.number] == event.response_sample
    # It stays in view: the user looks at it.
    assert page.plots.waveform._view.shown_event.number == event.number


def test_where_nothing_answers_a_missed_event_is_shown(qtbot, page, tmp_path):
    file = tmp_path / "open.toml"
    text = find_fixture("virtual").read_text()
    file.write_text(f"{text}\n[virtual.wiring]\ninterrupt_open = true\n")
    page.choose_fixture(file)
    listen(page)
    outcome = finish(qtbot, page, 50)
    assert outcome.document["counts"]["missed"] == 50
    assert "wiring check on the Calibrate page" in page.banner.text
    qtbot.waitUntil(lambda: page.plots.waveform._view is not None, timeout=WAIT_MS)
    event = page.plots.waveform._view.shown_event
    assert (event.kind, event.response_sample) == (EventClass.MISSED, -1)


def test_of_periods_the_worst_interval_is_shown(qtbot, page):
    page.chooser.plans.setCurrentText("period")
    outcome = finish(qtbot, page, 60)
    _, response, _, _ = columns(outcome.path)
    off = np.abs(np.diff(response) - page.snapshot.sample_rate_hz // 100)
    assert outcome.worst_event == 1 + int(np.argmax(off)) == page.snapshot.worst_event
    assert page.plots.waveform._view.shown_event.number == outcome.worst_event
    with results_page(page.folder, page._settings, qtbot) as results:
        choose(results, outcome.path.name, qtbot)
        results.tabs.setCurrentIndex(EVENTS)
        assert results.events.event_number == outcome.worst_event


def test_the_report_s_histogram(qtbot, settings, measured_runs):
    with results_page(measured_runs, settings, qtbot) as page:
        for name in (GOOD, FAULTY):
            _, _, latency, _ = columns(measured_runs / name)
            choose(page, name, qtbot)
            for chart in (page.report.histogram, page.report.tail):
                page.tabs.setCurrentIndex(0)
                run = chart.chart.runs[0]
                axes = chart.chart.axes(chart.width(), chart.height())
                x = axes.point(run.high_us, axes.y.high).x()
                qtbot.mouseClick(chart, Qt.MouseButton.LeftButton, pos=QPoint(round(x), 60))
                assert page.tabs.currentIndex() == EVENTS
                shown = page.events.waveform.shown_event
                assert shown.latency_samples == latency.max()
