# SPDX-License-Identifier: GPL-3.0-or-later
"""Searches for a rate, gaps, and the target's own tools in the window, each measured for real."""

from __future__ import annotations

import pytest

from gui.pages.results.charts.curve_chart import WORDS
from gui.pages.run.page import RunPage
from gui.plots.number_texts import NONE
from rig.document import Tone
from rig.record.reader import RunFile
from rig.session.results import read
from rig.session.stored_results import stored_result
from tests.gui.bench import ENDS_MS, finish
from tests.gui.results_runs import choose, results_page
from tests.gui.ten_runs import bench_file

SERVED_HZ = 10_000
"""The target takes 100 us for each interrupt."""


@pytest.fixture
def page(qtbot, settings, tmp_path):
    (tmp_path / "runs").mkdir()
    made = RunPage(tmp_path / "runs", settings)
    qtbot.addWidget(made)
    made.resize(1180, 640)
    made.load()
    made.show()
    yield made
    made.engine.close()


def plan(page, name):
    page.chooser.plans.setCurrentIndex(page.chooser.plans.findData(name))
    assert not page.chooser.choice.error


@pytest.mark.slow
def test_a_search_for_the_highest_rate(qtbot, page, tmp_path, settings):
    page.choose_fixture(bench_file(tmp_path / "served.toml", "constant/served", ""))
    plan(page, "saturation")
    seen = []
    page.engine.snapshot.connect(
        lambda snapshot: seen.append((snapshot.hold, page.figures.worst, page.figures.counts.rows))
    )
    page.chooser.count.setValue(60)
    assert "at most 1,200 events" in page.chooser.duration.text()
    outcome = finish(qtbot, page, 60)
    live = [each for each in seen if each[0]]
    assert live[0][:2] == ("hold 1 at 1,000/s", "1,000/s")
    assert all(hold.endswith(large) for hold, large, _ in live)
    assert any(row.value.endswith(" at most") for row in live[-1][2])
    merged = next(row for row in page.figures.counts.rows if row.name == "merged")
    assert int(merged.value) > 0
    assert merged.tone == ""  # it is what was looked for

    found = outcome.document["details"]
    rate_hz = float(page.figures.worst.removesuffix("/s").replace(",", ""))
    assert rate_hz == pytest.approx(SERVED_HZ, rel=0.02)
    assert page.plots.curve.isVisible()
    assert page.plots.complementary.isHidden()
    curve = page.plots.curve.chart.chart.curve
    assert len(curve.points) == len(found["holds"])
    assert curve.limit == pytest.approx(SERVED_HZ, rel=0.02)
    assert "all rates" in page.plots.histogram._caption.text()

    plan(page, "interrupt")
    finish(qtbot, page, 30)
    assert page.plots.curve.isHidden()
    assert page.plots.complementary.isVisible()
    assert page.figures.found.isHidden()
    assert page.figures.worst.endswith(" µs")

    page.engine.close()
    with results_page(page.folder, settings, qtbot) as results:
        choose(results, outcome.path.name, qtbot)
        shown = results.report.curve
        assert shown.isVisible()
        assert shown.chart.curve == curve
        axes = shown.chart.axes(shown.width(), shown.height())
        fastest = curve.points[-1]
        assert fastest.tone == Tone.BAD
        x = axes.point(fastest.x, 100).x()
        assert axes.plot.left() <= x <= axes.plot.right()
        assert shown.reading(x).startswith(f"{fastest.x:,.0f}/s: ")
        assert shown.reading(x).endswith("lost or behind")
        titles = [results.report.curves.itemText(n) for n in range(results.report.curves.count())]
        assert titles == ["Answered share over rate", "Time between answers over rate"]
        results.report.curves.setCurrentIndex(1)
        assert shown.chart.curve.title == titles[1]
        for each in (curve, shown.chart.curve):
            words = {each.title, each.x_title, each.y_title, *(text for _, text in each.key)}
            assert words <= set(WORDS)
        other = next(path for path in page.folder.glob("interrupt-*.h5"))
        choose(results, other.name, qtbot)
        assert results.report.curve.isHidden()
        assert results.report.curves.isHidden()


def test_gaps_and_a_tool_that_is_not_there(qtbot, page, settings):
    plan(page, "smi")
    outcome = finish(qtbot, page, 500)
    assert "interval by pin" in page.plots.histogram._caption.text()
    assert page.plots.histogram.text.startswith("worst ")
    assert "event" not in page.plots.histogram.text
    assert page.figures.found.value("gaps") == "0"
    assert page.figures.tools.value("kernel's tracer hwlat") == NONE
    assert "starts no tools" in page.figures._silent_tools.text()
    page.engine.close()
    with results_page(page.folder, settings, qtbot) as results:
        choose(results, outcome.path.name, qtbot)
        chart = results.report.histogram.chart
        assert chart.x_words() == "interval by pin in µs"
        assert chart.y_words() == "values in a bin"
        assert "The target's own tools beside the pin" in results.report.text.toPlainText()
    with RunFile(outcome.path) as file:
        assert stored_result(file).tools == read(outcome.path).tools != ()


def test_tools_beside_periods(qtbot, page):
    plan(page, "wakeup")
    outcome = finish(qtbot, page, 60)
    gap = outcome.document["details"]["pins"]["latency"]["gap_ns"]
    assert page.figures.tools.value("pin") == f"{gap / 1e3:.3f}"
    assert page.figures.tools.value("cyclictest") == NONE
    assert page.figures._silent_tools.text().count("starts no tools") == 2
    assert page.figures.found.isHidden()


def test_a_load_that_the_user_starts_is_told_to_the_end(qtbot, page, tmp_path):
    page.choose_fixture(
        bench_file(tmp_path / "b.toml", "virtual", "[scenarios.kettle]\nby_hand = true")
    )
    page.choose_plan(_under_kettle(page, tmp_path))
    told = []
    page.engine.snapshot.connect(
        lambda _s: told.append((page.banner.isVisible(), page.banner.text))
    )
    finish(qtbot, page, 40)
    words = "load kettle: started by hand, says the fixture; see that it runs"
    assert any(shown and words in text for shown, text in told), told[:5]
    assert words in page.banner.text
    assert page.banner.text.startswith("PASS")
    page.result_banner.start(None)
    assert not page.banner.isVisible()


def test_a_load_that_nobody_starts_is_refused(qtbot, page, tmp_path):
    page.choose_plan(_under_kettle(page, tmp_path))
    page.toggle()
    qtbot.waitUntil(lambda: not page.engine.is_running, timeout=ENDS_MS)
    assert "no load kettle: the agent starts no loads; " in page.failure.message
    assert [*page.folder.glob("*.h5")] == []


def _under_kettle(page, folder):
    own = folder / "own.toml"
    text = page.chooser.choice.plan.text
    own.write_text(text.replace('scenario = "idle"', 'scenario = "kettle"'))
    return own
