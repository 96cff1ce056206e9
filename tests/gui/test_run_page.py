# SPDX-License-Identifier: GPL-3.0-or-later
"""The Run page on the virtual bench, with a real engine: what it shows is what `rig show` says."""

from __future__ import annotations

import json
import re

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QPushButton

from gui.engine.snapshot import Snapshot
from gui.pages.run.figures import FiguresPanel
from gui.pages.run.layout import SIDE_WIDTH
from gui.pages.run.page import RunPage
from gui.plots.waveform.view import WaveformView
from gui.theme import theme
from gui.widgets.labels import RichLabel
from rig.session.results import document, read
from tests.cli.command import rig
from tests.gui.bench import ENDS_MS, begin, ending, finish, kill, orphans, part, run_files
from tests.gui.results_runs import shown_by_rig


@pytest.fixture
def page(qtbot, settings, tmp_path):
    """A Run page with nothing remembered; its engine is ended afterwards."""
    made = RunPage(tmp_path / "runs", settings)
    qtbot.addWidget(made)
    made.resize(1180, 640)
    made.load()
    with qtbot.waitActive(made):
        made.show()
        made.activateWindow()
    made.setFocus()
    yield made
    made.engine.close()


def shown(capsys, path):
    """What the command line says of a run file: JSON, and the table's words."""
    return json.loads(shown_by_rig(capsys, path, "--json")), shown_by_rig(capsys, path)


def stored(path):
    """The same document, computed here."""
    return json.loads(json.dumps(document(read(path))))


def banner_button(page, text):
    (found,) = [b for b in page.banner.findChildren(QPushButton) if b.text() == text]
    return found


def test_one_click_from_nothing_to_a_finished_run(qtbot, page, capsys):
    """The first fixture and plan are chosen already; figures are those of the run file."""
    assert page.chooser.choice.error == ""
    assert (page.chooser.choice.fixture_name, page.chooser.choice.plan_name) == (
        "virtual",
        "interrupt",
    )
    page.chooser.count.setValue(300)
    seen = []
    page.engine.snapshot.connect(seen.append)
    qtbot.mouseClick(page.chooser.run, Qt.MouseButton.LeftButton)
    outcome = ending(qtbot, page)
    printed, table = shown(capsys, outcome.path)
    assert json.loads(json.dumps(outcome.document)) == printed
    figures, counts = printed["measurands"][0]["statistics"], printed["counts"]
    assert page.figures.worst == f"{figures['max_ns'] / 1e3:.3f} µs"
    for name in ("average", "min", "max", "gap", "deviation", "median", "p99"):
        assert page.figures.figures.value(name) == f"{figures[f'{name}_ns'] / 1e3:.3f}"
        assert page.figures.figures.value(name) in table
    for name in ("answered", "late", "missed", "merged", "duplicate", "spurious", "glitches"):
        assert page.figures.counts.value(name) == f"{counts[name]:,}"
    assert page.figures.counts.value("stimuli") == "300"
    assert page.banner.isVisible()
    assert page.banner.text.startswith("PASS")
    # The live figures came to the same end, and so did the plots.
    measured = [s for s in seen if s.phase == "measuring"]
    assert measured
    assert [s.events for s in measured] == sorted(s.events for s in measured)
    assert seen[-1].counts["answered"] == 300
    assert seen[-1].worst_ns == pytest.approx(figures["max_ns"])
    assert seen[-1].average_ns == pytest.approx(figures["average_ns"])
    assert f"{figures['max_ns'] / 1e3:,.3f}" in page.plots.histogram.text
    assert f"event {outcome.worst_event:,}" in page.plots.histogram.text
    with qtbot.waitSignal(page.run_wanted) as wanted:
        banner_button(page, "Show in Results").click()
    assert wanted.args == [outcome.path]
    with qtbot.waitSignal(page.run_wanted) as wanted:
        qtbot.keyClick(page, Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier)
    assert wanted.args == [outcome.path]


def test_a_waveform_leaves_the_plot_above_it_its_height(qtbot, page):
    """Also where the window is so low that the waveform's rows would like to have more."""
    page.resize(1180, 480)
    finish(qtbot, page, 60)
    qtbot.waitUntil(lambda: bool(page.plots.waveform.findChildren(WaveformView)), timeout=ENDS_MS)
    plots = page.plots
    above, below = plots.complementary.height(), plots.waveform.height()
    assert (above, below) == pytest.approx((0.4 * (above + below), 0.6 * (above + below)), abs=2)


def test_what_goes_wrong_on_the_target_is_seen(qtbot, page):
    page.chooser.fixtures.setCurrentText("virtual-misbehaving")
    outcome = finish(qtbot, page, 600)
    counts = stored(outcome.path)["counts"]
    assert counts["missed"] > 0
    assert page.banner.text.startswith("FAIL")
    assert f"{counts['missed']} missed, 0 allowed" in page.banner.text
    for name in ("late", "missed", "merged", "duplicate", "glitches"):
        assert page.figures.counts.value(name) == f"{counts[name]:,}"
    assert re.fullmatch(r"\d+ missed · \d+ late or merged", page.plots.timeline.text)
    (label,) = page.plots.timeline.findChildren(RichLabel)
    shown = QTextDocument()
    shown.setHtml(label.text())
    assert shown.toPlainText() == page.plots.timeline.text  # its colors are no text
    reasons = {event.reason for event in page.snapshot.notable}
    assert "missed" in reasons
    assert page.events.list.count() == len(page.snapshot.notable)


def test_stop_in_the_middle_keeps_what_was_measured(qtbot, page):
    family = begin(qtbot, page)
    assert page.chooser.run.text() == "Stop"
    assert not page.chooser.plans.isEnabled()
    qtbot.keyClick(page, Qt.Key.Key_Space)
    outcome = ending(qtbot, page)
    found = stored(outcome.path)
    assert outcome.verdict == found["verdict"] == "inconclusive"
    assert "interrupted by the user" in page.banner.text
    assert page.figures.counts.value("stimuli") == f"{found['counts']['n']:,}"
    assert orphans(family) == []
    assert page.chooser.run.text() == "Run"
    assert page.chooser.plans.isEnabled()


def test_a_killed_engine_leaves_the_window_and_a_file(qtbot, page):
    family = begin(qtbot, page)
    with qtbot.waitSignal(page.engine.failed, timeout=60_000):
        kill(family[0])
    assert "killed by signal SIGKILL" in page.banner.text
    (path,) = run_files(page.folder)
    assert str(path) in page.banner.text
    assert "Results opens it" in page.banner.text
    assert orphans(family) == []
    assert "its process was killed" in " ".join(stored(path)["reasons"])
    # And it measures again, at once.
    outcome = finish(qtbot, page, 100)
    assert outcome.verdict == "pass"


@pytest.mark.parametrize(
    ("victim", "words"),
    [
        ("rig-emulator", "the microcontroller emulator"),
        ("rig.capture.worker", "the analyzer stopped after"),
        ("rig.virtual", "the virtual bench ended during the run"),  # analyzer and target in one
    ],
)
@pytest.mark.slow
def test_an_unplugged_instrument(qtbot, page, victim, words):
    family = begin(qtbot, page)
    with qtbot.waitSignal(page.engine.bench_failed, timeout=ENDS_MS):
        kill(part(family, victim))
    # What happened is told at once, before anything is evaluated.
    assert page.engine.is_running
    assert page.outcome is None
    assert page.banner.isVisible()
    assert words in page.banner.text
    assert "Computing the figures" in page.banner.text
    outcome = ending(qtbot, page)
    assert outcome.verdict == "incomplete"
    assert "/firmware/" not in page.banner.text  # a path that helps nobody
    assert words in outcome.failure
    assert words in page.banner.text
    assert str(outcome.path) in page.banner.text
    assert "press Run again" in page.banner.text
    assert stored(outcome.path)["counts"]["n"] > 0
    assert orphans(family) == []


def test_a_wrong_fixture_is_told_before_anything_starts(qtbot, page, tmp_path):
    file = tmp_path / "bench.toml"
    file.write_text('[fixture]\nname = "bench"\n[analyzr]\n')
    page.choose_fixture(file)
    told = page.chooser.choice.error
    assert told == rig("run", "interrupt", "--fixture", file).stderr.strip().removeprefix("rig: ")
    assert not page.chooser.run.isEnabled()
    page.toggle()
    assert not page.engine.is_running
    assert run_files(page.folder) == []


def test_a_folder_that_cannot_be_written_is_told(qtbot, page):
    page.folder.parent.joinpath("runs").write_text("a file where the folder should be")
    with qtbot.waitSignal(page.engine.failed, timeout=60_000):
        page.toggle()
    assert "choose another folder" in page.banner.text
    assert "NOT MEASURED" in page.banner.text


def test_a_long_figure_fits_after_a_change_of_colors(qtbot):
    panel = FiguresPanel()
    qtbot.addWidget(panel)
    panel.setFixedWidth(SIDE_WIDTH)
    panel.show()
    panel.show_snapshot(Snapshot(planned=10, worst_ns=12_507_708.0))
    for colors in ("dark", "light"):
        theme().choose(colors)
        assert panel.worst == "12507.708 µs"
        assert panel.minimumSizeHint().width() <= SIDE_WIDTH
