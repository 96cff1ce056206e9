# SPDX-License-Identifier: GPL-3.0-or-later
"""What the Results page writes: pictures, the table, captures, reports."""

from __future__ import annotations

import csv
import xml.etree.ElementTree as ET
import zipfile

import pytest
from PySide6.QtGui import QImage

from gui.pages.results.files import write_whole
from gui.pages.results.page import COMPARE, EVENTS, REPORT
from rig.errors import InputError
from tests.cli.command import rig
from tests.gui.results_runs import FAULTY, GOOD, choose, results_page


@pytest.fixture
def page(measured_runs, settings, qtbot):
    with results_page(measured_runs, settings, qtbot) as made:
        choose(made, FAULTY, qtbot)
        yield made


def export(page, name: str, path, qtbot, *, ends: str = "written") -> str:
    """Export to a path, as if it had been chosen in the dialog; what the status bar says."""
    said: list[str] = []
    page.status.connect(said.append)
    page.exports.ask = lambda _title, _name, _filters: path
    page.menu[name].trigger()
    qtbot.waitUntil(lambda: bool(said) and ends in said[-1], timeout=60_000)
    return said[-1]


@pytest.mark.parametrize("tab", [REPORT, EVENTS, COMPARE])
def test_pictures(page, qtbot, tmp_path, tab):
    page.tabs.setCurrentIndex(tab)
    png, svg = tmp_path / "picture.png", tmp_path / "picture.svg"
    export(page, "export_picture", png, qtbot)
    image = QImage(str(png))
    assert image.width() >= 1400
    colors = {image.pixelColor(x, y).name() for x in range(0, image.width(), 5)
              for y in range(0, image.height(), 5)}  # fmt: skip
    assert len(colors) > 4
    assert image.pixelColor(2, image.height() - 3).lightness() > 240  # paper, whatever the theme
    export(page, "export_picture", svg, qtbot)
    root = ET.parse(svg).getroot()  # noqa: S314 - our own
    shapes = [e for e in root.iter() if e.tag.rpartition("}")[2] in ("polyline", "path", "text")]
    assert len(shapes) > 20


def test_table_has_whole_figures(page, qtbot, tmp_path):
    export(page, "export_table", tmp_path / "runs.csv", qtbot)
    with (tmp_path / "runs.csv").open(newline="") as file:
        rows = {row["file"]: row for row in csv.DictReader(file)}
    assert set(rows) == {GOOD, FAULTY}
    figures = {e.path.name: e for e, _ in page.table.visible_runs}
    for name, row in rows.items():
        assert float(row["max_ns"]) == figures[name].max_ns
        assert int(row["stimuli"]) == figures[name].stimuli
        assert row["verdict"] == figures[name].verdict


@pytest.mark.parametrize("suffix", [".sr", ".vcd"])
def test_captures_are_those_of_rig_export(page, qtbot, tmp_path, suffix):
    page.tabs.setCurrentIndex(EVENTS)
    page.events.go_to(40)
    mine, theirs = tmp_path / f"mine{suffix}", tmp_path / f"theirs{suffix}"
    for name, words in (("export_event", ["--event", 40]), ("export_capture", [])):
        said = export(page, name, mine, qtbot)
        assert str(mine) in said
        theirs.unlink(missing_ok=True)
        assert rig("export", page.shown_run, theirs, *words).returncode == 0
        assert contents(mine) == contents(theirs)
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == sorted(
        [mine.name, theirs.name]
    )


def contents(path):
    """Of a zip file its members, without their times; of another its bytes."""
    if path.suffix != ".sr":
        return path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_another_kind_of_capture_is_refused(page, qtbot, tmp_path):
    said = export(page, "export_capture", tmp_path / "x.csv", qtbot, ends="valid")
    assert ".sr or .vcd" in said


def test_report_is_the_page_for_the_browser(page, qtbot, tmp_path):
    path = tmp_path / "report.html"
    export(page, "export_report", path, qtbot)
    text = path.read_text()
    assert text.startswith("<!doctype html>")
    for entry, _ in page.table.visible_runs:
        if entry.path.name == FAULTY:
            assert f"{entry.max_ns / 1e3:.3f}" in text


def test_a_failed_export_is_told_and_costs_nothing(page, qtbot, tmp_path):
    nowhere = tmp_path / "none" / "runs.csv"
    said = export(page, "export_table", nowhere, qtbot, ends="not written")
    assert str(nowhere) in said
    old = tmp_path / "kept.csv"
    old.write_text("old")
    with pytest.raises(InputError):
        write_whole(tmp_path / "none" / "kept.csv", b"new")
    assert old.read_text() == "old"


def test_a_capture_that_cannot_be_written_is_told(page, qtbot, tmp_path):
    said = export(page, "export_capture", tmp_path / "none" / "x.sr", qtbot, ends="x.part.sr")
    assert "not written" in said
