# SPDX-License-Identifier: GPL-3.0-or-later
"""Several plans, one after the other: each a run of its own, told apart, stopped together."""

from __future__ import annotations

from pathlib import Path

import pytest

from gui.pages.run.choice import choose
from gui.pages.run.page import RunPage
from gui.pages.run.series_card import NAME
from rig.campaign.index import RunState
from rig.services.series import RunOutcome, RunSeries
from rig.session.results import read
from tests.gui.bench import ENDS_MS, run_files

FILE = Path("run.h5")


@pytest.fixture
def page(qtbot, settings, tmp_path):
    made = RunPage(tmp_path / "runs", settings)
    qtbot.addWidget(made)
    made.resize(1180, 640)
    made.load()
    made.show()
    yield made
    made.engine.close()


def states(series: RunSeries) -> list[str]:
    return [part.state for part in series.parts]


def three() -> RunSeries:
    plans = ("interrupt", "period", "interrupt-ramp")
    series = RunSeries(((choose(plan, "virtual"), "") for plan in plans), ends_on_failure=True)
    series.start_next()
    return series


def test_one_after_the_other():
    series = three()
    assert states(series) == [RunState.RUNNING, RunState.PLANNED, RunState.PLANNED]
    series.end(RunOutcome("fail", path=FILE))  # a limit exceeded is a result like others
    assert series.current is None
    assert not series.is_over
    assert series.start_next() is series.parts[1]
    assert states(series) == [RunState.DONE, RunState.RUNNING, RunState.PLANNED]
    series.leave_rest()
    series.end(RunOutcome("inconclusive", path=FILE))
    assert series.is_over
    assert states(series) == [RunState.DONE, RunState.DONE, RunState.LEFT_OUT]
    assert series.start_next() is None


def test_a_bench_that_fails_ends_the_series():
    for verdict in ("", "incomplete"):
        series = three()
        series.end(RunOutcome(verdict, path=FILE, failure="the analyzer was unplugged"))
        assert series.is_over
        assert states(series)[1:] == [RunState.LEFT_OUT, RunState.LEFT_OUT]
        assert states(series)[0] in (RunState.FAILED, RunState.DONE)


@pytest.mark.slow
def test_two_plans_and_two_run_files(qtbot, page, settings):
    """Periods have plots while they are measured, too."""
    page.menu["several"].trigger()
    assert page.chooser.choice.error
    assert not page.chooser.run.isEnabled()
    page.chooser.series.tick(["interrupt", "period"])
    page.chooser.count.setValue(60)
    assert page.chooser.run.isEnabled()
    assert "2 plans" in page.chooser.duration.text()
    assert "120 events" in page.chooser.duration.text()
    seen, used = [], []
    page.engine.snapshot.connect(seen.append)
    page.bench_used.connect(used.append)
    page.toggle()
    assert page.chooser.series.text("interrupt").endswith("running")
    assert page.chooser.series.text("period").endswith("waiting")
    assert not page.chooser.several.isEnabled()
    qtbot.waitUntil(lambda: page.series.is_over, timeout=2 * ENDS_MS)
    assert used == [True, False]  # nobody else takes the bench in between
    assert page.chooser.several.isEnabled()
    assert page.banner.text.startswith("2 OF 2 PASSED"), page.banner.text
    files = {part.item.plan_name: part.path for part in page.series.parts}
    assert set(run_files(page.folder)) == set(files.values())
    assert read(files["interrupt"]).settings.measurement == "interrupt"
    period = read(files["period"]).evaluation.details.pins.interval_error
    worst_ns = max(-period.min_ns, period.max_ns)
    assert page.figures.worst == f"{worst_ns / 1e3:.3f} µs"
    live = [snapshot for snapshot in seen if snapshot.is_periods and len(snapshot.bins)]
    assert live[-1].bin_counts.sum() == period.n
    assert live[-1].worst_ns == pytest.approx(worst_ns)
    assert live[-1].max_samples.max() == pytest.approx(worst_ns * 24e6 / 1e9, abs=1)
    assert f"{worst_ns / 1e3:,.3f}" in page.plots.histogram.text
    plans = page.chooser.series.list
    items = {plans.item(row).data(NAME): plans.item(row) for row in range(plans.count())}
    with qtbot.waitSignal(page.run_wanted) as wanted:
        plans.itemActivated.emit(items["period"])
    assert wanted.args == [files["period"]]
    assert settings.value("run/series") == ["interrupt", "period"]


def test_all_plans_are_seen_at_once(qtbot, page):
    page.menu["several"].trigger()
    qtbot.waitUntil(page.chooser.series.list.isVisible)
    assert page.chooser.series.list.verticalScrollBar().maximum() == 0


def test_stop_stops_all(qtbot, page):
    page.menu["several"].trigger()
    page.chooser.series.tick(["interrupt", "interrupt-burst"])
    page.chooser.count.setValue(100_000)
    page.toggle()
    qtbot.waitUntil(lambda: page.snapshot.answers > 20, timeout=ENDS_MS)
    page.toggle()
    qtbot.waitUntil(lambda: page.series.is_over, timeout=ENDS_MS)
    assert states(page.series) == [RunState.DONE, RunState.LEFT_OUT]
    assert page.chooser.series.text("interrupt").endswith("inconclusive")
    assert page.chooser.series.text("interrupt-burst").endswith("not measured")
    assert "interrupted by the user" in page.banner.text
    assert len(run_files(page.folder)) == 1
    assert not page.engine.is_running
