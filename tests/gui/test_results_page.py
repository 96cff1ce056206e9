# SPDX-License-Identifier: GPL-3.0-or-later
"""The Results page on real run files: table, report, events, comparison, notes, live runs."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from PySide6.QtCore import QItemSelectionModel, QPoint, Qt
from PySide6.QtGui import QAction

from gui.models.runs.notes import RunNote, read_notes, write_note
from gui.pages.results.actions import ACTIONS
from gui.pages.results.page import COMPARE, EVENTS, REPORT
from gui.theme import theme
from rig.formatting import with_unicode_signs
from rig.record.reader import RunFile
from rig.record.writer import RunWriter
from rig.report.compare import differing
from tests.cli.command import rig
from tests.gui.results_runs import COUNT, FAULTY, GOOD, choose, results_page, shown_by_rig


@pytest.fixture
def folder(measured_runs, tmp_path):
    """A copy that a test may change."""
    copy = tmp_path / "runs"
    copy.mkdir()
    for name in (GOOD, FAULTY):
        shutil.copy2(measured_runs / name, copy)
    return copy


@pytest.fixture
def page(folder, settings, qtbot):
    with results_page(folder, settings, qtbot) as made:
        yield made


def act(page, name: str) -> None:
    """Trigger an action that is enabled, as its shortcut does."""
    action = page.menu[name]
    assert action.isEnabled(), name
    action.trigger()


def test_figures_are_those_of_rig_show(page, qtbot, capsys):
    for name in (GOOD, FAULTY):
        choose(page, name, qtbot)
        shown = page.report.text.toPlainText().split()
        printed = shown_by_rig(capsys, page.folder.path / name)
        document = json.loads(shown_by_rig(capsys, page.folder.path / name, "--json"))
        figures = document["measurands"][0]["statistics"]
        for figure in ("average_ns", "min_ns", "max_ns", "p99_ns", "p99_9_ns", "deviation_ns"):
            text = f"{figures[figure] / 1e3:.3f}"
            assert text in shown
            assert text in printed
        for count in ("answered", "late", "missed", "merged", "duplicate", "glitches"):
            assert str(document["counts"][count]) in shown
        assert document["verdict"].upper() in shown
        title = printed.splitlines()[0]
        assert title.lower() in page.report.text.toPlainText().lower()
        for witness in document["witnesses"]:
            assert with_unicode_signs(witness["text"]) in page.report.text.toPlainText()


def test_table_is_searched_and_sorted(page):
    table = page.table
    assert {entry.path.name for entry, _ in table.visible_runs} == {GOOD, FAULTY}
    table.search.setText("virtual-misbehaving fail")
    assert [entry.path.name for entry, _ in table.visible_runs] == [FAULTY]
    table.search.setText("no such words")
    assert not table.visible_runs
    table.search.clear()
    columns = [column.key for column in table.model.columns]
    for order, first in (
        (Qt.SortOrder.AscendingOrder, GOOD),
        (Qt.SortOrder.DescendingOrder, FAULTY),
    ):
        table.view.sortByColumn(columns.index("max"), order)
        assert table.visible_runs[0][0].path.name == first


def test_notes_are_kept_beside_the_runs(page, qtbot):
    choose(page, GOOD, qtbot)
    act(page, "tags")
    qtbot.keyClicks(page.report.notes.tags, "baseline rt")
    qtbot.keyClicks(page.report.notes.note, "first try")
    qtbot.keyClick(page.report.notes.note, Qt.Key.Key_Return)
    expected = RunNote(("baseline", "rt"), "first try")
    assert read_notes(page.folder.path) == {GOOD: expected}
    page.table.search.setText("tag:rt")
    assert [entry.path.name for entry, _ in page.table.visible_runs] == [GOOD]
    page.table.search.clear()
    choose(page, FAULTY, qtbot)
    assert page.report.notes.tags.text() == ""
    page.report.notes.note.setText("left without Return")
    choose(page, GOOD, qtbot)
    assert page.report.notes.tags.text() == "baseline rt"
    assert read_notes(page.folder.path)[FAULTY].note == "left without Return"


def test_every_outlier_is_visited_in_turn(page, qtbot):
    choose(page, FAULTY, qtbot)
    act(page, "events")
    assert page.tabs.currentIndex() == EVENTS
    events = page.events
    with RunFile(page.shown_run) as file:
        columns = file.events(0, file.event_count)
    latency = columns["response_sample"] - columns["stimulus_sample"]
    assert events.event_number == int(latency.argmax())
    events.go_to(0)
    classes = columns["status"].tolist()
    at = -1
    for _ in range(5):
        act(page, "next_outlier")
        found = events.event_number
        slow = latency * 1e9 / 24e6 / 1e3 > events._threshold_us
        between = [e for e in range(max(at + 1, 1), found) if classes[e] or slow[e]]
        assert not between
        at = found
        assert events.waveform.headline.text().startswith(f"Event {found:,}")
    act(page, "previous_outlier")
    assert events.event_number < at
    act(page, "worst")
    assert events.event_number == int(latency.argmax())
    act(page, "next_event")
    assert events.event_number == int(latency.argmax()) + 1


def test_one_goes_to_an_event_or_a_time(page, qtbot):
    choose(page, GOOD, qtbot)
    act(page, "go_to")
    place = page.events.place
    for text, event in (("123", 123), ("0 s", 0), ("10 s", COUNT - 1)):
        place.setText(text)
        qtbot.keyClick(place, Qt.Key.Key_Return)
        assert page.events.event_number == event
    with RunFile(page.shown_run) as file:
        sample = int(file.events(77, 78)["stimulus_sample"][0])
    place.setText(f"{sample / 24 + 1:.1f} us")
    qtbot.keyClick(place, Qt.Key.Key_Return)
    assert page.events.event_number == 77
    with qtbot.waitSignal(page.status) as said:
        place.setText("soon")
        qtbot.keyClick(place, Qt.Key.Key_Return)
    assert "neither event nor time" in said.args[0]
    assert page.events.event_number == 77


def test_a_click_into_the_overview_chooses_the_slowest_event_there(page, qtbot):
    choose(page, FAULTY, qtbot)
    act(page, "events")
    page.events.go_to(1)
    strip = page.events.strip
    worst = int(page.events._summary.levels.base["high"].argmax())
    assert worst >= 0
    strip.zoom(0.5, 0.5)
    first, stop = strip.shown
    assert stop - first == pytest.approx(COUNT / 2)
    qtbot.mouseClick(strip, Qt.MouseButton.LeftButton, pos=QPoint(strip.width() // 2, 60))
    number = page.events.event_number
    assert first <= number < stop
    act(page, "all_events")
    assert strip.shown == (0, COUNT)


def test_runs_are_compared(page, qtbot):
    choose(page, GOOD, qtbot)
    act(page, "compare")
    view = page.table.view
    flag = QItemSelectionModel.SelectionFlag
    for row in range(2):
        view.selectionModel().select(page.table.shown.index(row, 0), flag.Select | flag.Rows)
    compared = page.compare
    assert page.tabs.currentIndex() == COMPARE
    assert [result.path.name for result in compared.results] == [GOOD, FAULTY]
    assert [run.name for run in compared.tail.chart.runs] == ["good", "faulty"]
    around = compared.around
    assert around.isVisibleTo(compared)
    rows = [tuple(around.item(r, c).text() for c in range(3)) for r in range(around.rowCount())]
    assert tuple(rows) == differing(compared.results)
    table = compared.table
    heads = [table.horizontalHeaderItem(c).text() for c in range(table.columnCount())]
    column = heads.index("max")
    first, second = (table.item(row, column).text() for row in range(2))
    figures = [result.evaluation.figures for result in compared.results]
    assert first == f"{figures[0].max_ns / 1e3:.3f}"
    assert second.startswith(f"{figures[1].max_ns / 1e3:.3f}  (+")
    reading = compared.tail.reading(compared.tail.width() / 2)
    assert "good: 0 above" in reading or "faulty: " in reading


def test_a_run_that_goes_on_is_followed(page, qtbot, measured_runs):
    path = page.folder.path / "live.h5"
    with RunFile(measured_runs / GOOD) as source:
        blocks = list(source.edge_blocks())
        texts, settings = source.texts(), source.settings
    with RunWriter(path, texts, settings) as writer:
        half = next(block for block in blocks)
        writer.edges(half)
        writer.flush()
        qtbot.waitUntil(lambda: page.folder.model.row_of(path) is not None, timeout=60_000)
        page.show_run(path)
        text = page.report.text
        qtbot.waitUntil(lambda: "Provisional" in text.toPlainText(), timeout=60_000)
        assert page.folder.entry(path).edges == len(half.index)
        for block in blocks[1:]:
            writer.edges(block)
        writer.finish("complete", {})
    rig("analyze", path)
    qtbot.waitUntil(lambda: bool(page.folder.entry(path).verdict), timeout=60_000)
    qtbot.waitUntil(lambda: "Provisional" not in text.toPlainText(), timeout=60_000)
    act(page, "events")
    assert page.events.event_number is not None


def test_files_come_and_go(page, qtbot, measured_runs):
    new = page.folder.path / "later.h5"
    shutil.copy(measured_runs / GOOD, new)
    qtbot.waitUntil(lambda: page.folder.model.rowCount() == 3, timeout=60_000)
    choose(page, "later.h5", qtbot)
    new.unlink()
    qtbot.waitUntil(lambda: page.folder.model.rowCount() == 2, timeout=60_000)
    qtbot.waitUntil(lambda: page.shown_run != new, timeout=5_000)


def test_a_strangers_file_is_told_in_one_line(page, qtbot):
    bad = page.folder.path / "bad.h5"
    good = (page.folder.path / GOOD).read_bytes()
    bad.write_bytes(good[: len(good) // 2])
    qtbot.waitUntil(lambda: page.folder.model.row_of(bad) is not None, timeout=60_000)
    page.table.select(bad)
    text = page.report.text.toPlainText()
    assert str(bad) in text
    assert "\n" not in text.strip()
    assert not page.menu["export_capture"].isEnabled()


def test_unusable_notes_are_told_and_kept(folder, settings, qtbot):
    write_note(folder, GOOD, RunNote(("x",)))
    notes = folder / "run-notes.toml"
    notes.write_text(notes.read_text() + "[")
    before = notes.read_text()
    with results_page(folder, settings, qtbot) as page:
        assert "run-notes.toml" in page.error_message.text()
        choose(page, GOOD, qtbot)
        page.report.notes.tags.setText("y")
        page.report.notes.commit()
    assert notes.read_text() == before


def test_a_run_of_another_folder_is_shown(page, qtbot, measured_runs):
    page.show_run(measured_runs / FAULTY)
    qtbot.waitUntil(lambda: page.shown_run == measured_runs / FAULTY, timeout=60_000)
    assert page.tabs.currentIndex() == REPORT
    assert page.folder.path == measured_runs


def test_every_action_has_words_and_a_shortcut_of_its_own(page):
    actions = [a for a in page.actions() if isinstance(a, QAction) and not a.isSeparator()]
    assert len(actions) == sum(1 for name, *_ in ACTIONS if name)
    shortcuts = [action.shortcut().toString() for action in actions]
    assert all(shortcuts)
    assert len(set(shortcuts)) == len(shortcuts)
    assert all(action.text() for action in actions)


def test_light_and_dark(page, qtbot):
    choose(page, FAULTY, qtbot)
    act(page, "events")
    shades = []
    for choice in ("light", "dark"):
        theme().choose(choice)
        image = page.grab().toImage()
        shades.append(image.pixelColor(4, 4).lightness())
        canvas = page.events.waveform.canvas
        shades.append(canvas.grab().toImage().pixelColor(canvas.width() - 4, 4).lightness())
    theme().choose("system")
    assert min(shades[:2]) > 200
    assert max(shades[2:]) < 60


def test_state_is_kept(folder, settings, qtbot):
    with results_page(folder, settings, qtbot) as page:
        page.table.search.setText("good")
        page.table.view.setColumnWidth(2, 321)
    with results_page(folder, settings, qtbot) as page:
        assert page.table.search.text() == "good"
        assert page.table.view.columnWidth(2) == 321
        assert [entry.path.name for entry, _ in page.table.visible_runs] == [GOOD]
    assert Path(settings.fileName()).exists() or settings.contains("results/search")
