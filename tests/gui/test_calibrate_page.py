# SPDX-License-Identifier: GPL-3.0-or-later
"""The Calibrate page with a real working process on the virtual bench."""

from __future__ import annotations

import datetime as dt
import os
import signal

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.findings import Finding
from calibration.steps import STEPS
from calibration.wizard import StageReport
from gui.pages.calibrate.messages import REPORT, report_fields, report_of
from gui.pages.calibrate.page import CalibratePage
from gui.processes.messages import Message, Unpacker, packed
from gui.theme import theme
from gui.window import MainWindow
from rig.config.calibration.file import append_record, load_calibration
from rig.config.calibration.paths import calibration_path
from rig.config.calibration.record import CalibratedQuantity, CalibrationRecord
from rig.config.fixture import load_fixture

WORKS_MS = 60_000
GONE_S = 15
TEXTS = st.text(max_size=40)
FINDINGS = st.builds(
    Finding, TEXTS, TEXTS, TEXTS, st.booleans(), st.lists(TEXTS, max_size=3).map(tuple)
)


@pytest.fixture
def home(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path


@pytest.fixture
def page(qtbot, settings, home):
    theme().begin(settings)
    made = CalibratePage(home / "runs", settings)
    qtbot.addWidget(made)
    made.resize(1180, 640)
    made.show()
    made.entered()
    yield made
    made.release()


def family(page):
    worker = psutil.Process(page.worker.process_id)
    return [worker, *worker.children(recursive=True)]


def orphans(processes):
    _, alive = psutil.wait_procs(processes, GONE_S)
    return [p for p in alive if p.status() != psutil.STATUS_ZOMBIE]


@given(st.builds(StageReport, st.lists(TEXTS).map(tuple), st.lists(FINDINGS).map(tuple), TEXTS))
def test_a_report_arrives_as_it_was_sent(report):
    (message,) = Unpacker().feed(packed(Message(REPORT, report_fields(report))))
    assert (message.kind, report_of(message.fields)) == (REPORT, report)


def test_it_shows_each_step_and_what_is_known(page):
    assert page.fixture == load_fixture("virtual")
    for name, step in STEPS.items():
        page.records.choose(name)
        assert step.connect in page.text.text()
        assert page.records.judged(name).validity == "absent"
    now = dt.datetime.now(dt.UTC)
    quantity = CalibratedQuantity("channel_skew", 1.25, "ns", 0.0601, 7, "D1 rising")
    old = now.date() - dt.timedelta(days=1)
    record = CalibrationRecord(
        "channel-skew", now, (quantity,), instruments={"sample_rate_hz": "1"}
    )
    path = calibration_path(page.fixture)
    append_record(path, "virtual", record)
    append_record(path, "virtual", CalibrationRecord("time-base", now, valid_until=old))
    page.entered()
    shown = {
        item.data(0, 0x100): [item.text(column) for column in range(5)]
        for item in page.records._steps()
    }
    assert shown["channel-skew"][1:4] == ["1.25 +- 0.13 ns", "", now.date().isoformat()]
    assert "sample_rate_hz was 1, is 24000000" in shown["channel-skew"][4]
    assert shown["time-base"][4].startswith("expired")


def test_a_step_is_taken_and_kept(qtbot, page):
    page.records.choose("wiring")
    used = []
    page.bench_used.connect(used.append)
    page.menu["step"].trigger()
    assert page.uses_bench()
    assert not page.menu["step"].isEnabled()
    qtbot.waitUntil(lambda: not page.worker.has_instruments, timeout=WORKS_MS)
    assert "Kept" in page.banner.text, page.banner.text
    assert "sequence2  target D3 (5)" in page.found.toPlainText()
    assert load_calibration(calibration_path(page.fixture)).steps == ("wiring",)
    assert page.records.judged("wiring").validity == "valid"
    assert used == [True, False]


def test_faults_are_shown_with_what_to_do(qtbot, page, home):
    bench = home / "faulty.toml"
    bench.write_text(f'{load_fixture("virtual").text}\n[virtual.wiring]\nswap = "D1 D2"\n')
    page.open(str(bench))
    page.records.choose("wiring")
    page.take_step()
    qtbot.waitUntil(lambda: not page.worker.is_running, timeout=WORKS_MS)
    assert "Faults found" in page.banner.text
    assert "response and sequence0 are swapped" in page.found.toPlainText()
    assert "Exchange the clips D1 and D2" in page.found.toPlainText()


def test_stopped_in_the_middle_nothing_is_left(qtbot, page):
    page.records.choose("time-base")
    page.take_step()
    qtbot.waitUntil(lambda: "pulses in" in page.found.toPlainText(), timeout=WORKS_MS)
    processes = family(page)
    assert len(processes) > 1
    page.menu["stop"].trigger()
    qtbot.waitUntil(lambda: not page.worker.has_instruments, timeout=WORKS_MS)
    assert "not recorded" in page.banner.text
    assert orphans(processes) == []
    assert not calibration_path(page.fixture).exists()


def test_a_worker_that_dies_is_told_and_takes_nothing_with_it(qtbot, page):
    page.records.choose("time-base")
    page.take_step()
    qtbot.waitUntil(lambda: "pulses in" in page.found.toPlainText(), timeout=WORKS_MS)
    processes = family(page)
    os.kill(processes[0].pid, signal.SIGKILL)
    qtbot.waitUntil(lambda: not page.worker.is_running, timeout=WORKS_MS)
    assert "killed by signal SIGKILL" in page.banner.text
    assert orphans(processes) == []
    assert page.menu["step"].isEnabled()


def test_the_window_that_closes_takes_the_worker_with_it(qtbot, settings, home):
    theme().begin(settings)
    window = MainWindow(home / "runs", settings)
    qtbot.addWidget(window)
    window.show()
    window.enter("calibrate")
    page = window.page("calibrate")
    page.records.choose("time-base")
    page.take_step()
    qtbot.waitUntil(lambda: "pulses in" in page.found.toPlainText(), timeout=WORKS_MS)
    processes = family(page)
    assert window.close()
    assert orphans(processes) == []


def test_a_bad_name_of_a_new_bench_is_told(qtbot, page):
    page.menu["new"].trigger()
    page.begin.name.setEditText("No Good")
    page.begin.accept()
    assert "valid: lower-case" in page.begin.error_message.text()
    assert page.begin.isVisible()
    page.begin.name.setEditText("lab-9")
    page.begin.accept()
    assert page.wizard.page_in_front.stage.name == "board"
    page.wizard.reject()
    page.menu["new"].trigger()
    assert page.begin.name.currentText() == "lab-9"
    page.begin.reject()
