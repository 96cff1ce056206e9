# SPDX-License-Identifier: GPL-3.0-or-later
"""A calibration chosen by hand: on the Run page for a run, on the Calibrate page for records."""

from __future__ import annotations

import datetime as dt

import pytest

from gui.engine.request import RunRequest, job_of
from gui.pages.calibrate.page import CalibratePage
from gui.pages.run.chooser import Chooser
from gui.pages.run.page import RunPage
from gui.theme import theme
from rig.config.calibration.file import append_record, load_calibration
from rig.config.calibration.paths import calibration_path
from rig.config.calibration.record import CalibratedQuantity, CalibrationRecord
from rig.session.results import read

WORKS_MS = 60_000
NOW = dt.datetime.now(dt.UTC)


@pytest.fixture
def home(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path


@pytest.fixture
def files(home):
    """A calibration of the virtual bench, and one of another."""
    base = CalibratedQuantity("time_base", 50.0, "ppm", 0.1, 60)
    mine, other = home / "mine.toml", home / "other.toml"
    for path, fixture in ((mine, "virtual"), (other, "lab-7")):
        append_record(path, fixture, CalibrationRecord("time-base", NOW, (base,)))
    return mine, other


def test_only_one_of_this_bench_is_taken(qtbot, settings, files):
    theme().begin(settings)
    chooser = Chooser(settings)
    qtbot.addWidget(chooser)
    mine, other = files
    assert chooser.calibrations.asked is None
    chooser.calibrations.use_file(other)
    assert "is a calibration of fixture lab-7, not of virtual" in chooser.choice.error
    chooser.calibrations.use_file(mine)
    assert chooser.choice.error == ""
    assert chooser.calibrations.asked == str(mine)
    assert chooser.calibrations.count() == 4
    mine.write_text("[")
    chooser.again()
    assert "mine.toml" in chooser.choice.error
    chooser.fixtures.setCurrentIndex(chooser.fixtures.findText("virtual-misbehaving"))
    assert chooser.calibrations.asked is None
    assert chooser.choice.error == ""
    chooser.calibrations.setCurrentIndex(1)
    chooser.calibrations.activated.emit(1)
    assert chooser.calibrations.asked == "none"


def test_a_job_crosses_the_pipe_with_its_calibration():
    for calibration in (None, "none", "/x.toml"):
        job = RunRequest("interrupt", "virtual", "/runs", calibration=calibration)
        assert job_of(job.fields()) == job


@pytest.mark.timeout(180)
def test_a_run_uses_the_one_that_was_chosen(qtbot, settings, home, files):
    theme().begin(settings)
    page = RunPage(home / "runs", settings)
    qtbot.addWidget(page)
    page.show()
    page.entered()
    page.chooser.count.setValue(200)
    page.chooser.calibrations.use_file(files[0])
    page.start()
    qtbot.waitUntil(lambda: page.outcome is not None or page.failure is not None, timeout=WORKS_MS)
    assert page.failure is None, page.failure
    used = read(page.outcome.path).calibration
    assert [each.step for each in used.judged if each.validity == "valid"] == ["time-base"]
    qtbot.waitUntil(page.may_close, timeout=WORKS_MS)


def test_the_calibrate_page_shows_and_adds_to_the_one_that_was_chosen(qtbot, settings, home, files):
    theme().begin(settings)
    page = CalibratePage(home / "runs", settings)
    qtbot.addWidget(page)
    page.show()
    page.entered()
    mine, other = files
    page.use_calibration(other)
    assert "is a calibration of fixture lab-7" in page.banner.text
    assert page.file is None
    page.use_calibration(mine)
    assert page.file == mine
    assert page.records.judged("time-base").validity == "valid"
    page.records.choose("wiring")
    page.take_step()
    qtbot.waitUntil(lambda: not page.worker.has_instruments, timeout=WORKS_MS)
    assert load_calibration(mine).steps == ("time-base", "wiring")
    assert not calibration_path(page.fixture).exists()
    assert page.menu["own"].isEnabled()
    page.menu["own"].trigger()
    assert page.records.judged("wiring").validity == "absent"
    page.release()
