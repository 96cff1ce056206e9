# SPDX-License-Identifier: GPL-3.0-or-later
"""The wizard in the window: every page, with real processes on the virtual bench."""

from __future__ import annotations

from pathlib import Path

import psutil
import pytest
from PySide6.QtWidgets import QWizard

from calibration.wizard import Wizard
from calibration.wizard.paths import place_of, unfinished
from calibration.wizard.stages import STAGES
from gui.pages.calibrate.page import CalibratePage
from gui.theme import theme
from rig.config.calibration.file import load_calibration
from rig.config.calibration.paths import calibration_path
from rig.config.fixture import load_fixture
from rig.session.results import read

WORKS_MS = 60_000
ANSWERS = {
    "board": {"bench": "virtual", "board": "beaglebone-black"},
    "calibrate": {"steps": "wiring toggle", "seconds": "2"},
    "loopback": {"loopback": "skip"},
    "line-delay": {"far-channel": "D6", "line": "response"},
    "measure": {"count": "200"},
}
"""Of the pages that ask; all else as it is proposed."""


@pytest.fixture
def home(monkeypatch, tmp_path):
    """A user with nothing of his own yet."""
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


def open_wizard(page, name="black"):
    page.open_wizard(Wizard.begun(place_of(name), name))
    assert page.wizard is not None, page.banner.text
    return page.wizard


def button(wizard, which):
    return wizard.button(getattr(QWizard.WizardButton, f"{which}Button"))


def press(wizard, which):
    assert button(wizard, which).isEnabled()
    button(wizard, which).click()


def go_through(qtbot, wizard):
    """The page in front, to where Next may be pressed."""
    front = wizard.page_in_front
    for key, answer in ANSWERS.get(front.stage.name, {}).items():
        front.form.set_answer(key, answer)
    if front.has_work:
        assert not front.isComplete()
        front.start.click()
        assert wizard.worker.is_running, front.error_message.text()
        qtbot.waitUntil(lambda: not wizard.worker.is_running, timeout=WORKS_MS)
        assert front.isComplete(), (front.error_message.text(), front.found.toPlainText())
    else:
        qtbot.waitUntil(lambda: button(wizard, "Next").isEnabled())


@pytest.mark.timeout(300)
@pytest.mark.slow
def test_from_nothing_to_a_first_result_left_and_taken_up_at_each_page(qtbot, page, home):
    for number, name in enumerate(STAGES):
        wizard = open_wizard(page)
        front = wizard.page_in_front
        assert (front.stage.name, wizard.currentId()) == (name, number)
        go_through(qtbot, wizard)
        if name == "save":
            break
        press(wizard, "Next")
        press(wizard, "Cancel")
        assert page.wizard is None
    run = wizard.wizard_state.state.run
    with qtbot.waitSignal(page.bench_wanted) as told:
        press(wizard, "Finish")
    fixture = load_fixture(told.args[0])
    assert fixture.source == str(home / "black.toml")
    calibration = load_calibration(calibration_path(fixture))
    assert calibration.steps == (
        "wiring", "toggle", "channel-skew", "line-delay", "left-out",
    )  # fmt: skip
    assert calibration.newest("left-out").findings == (
        "Loopback (loopback): not measured, left out",
        "Line delay (line-delay): not measured of stimulus",
    )
    result = read(Path(run))
    assert result.evaluation.counts.answered == 200
    used = {each.step for each in result.calibration.judged if each.validity == "valid"}
    assert {"wiring", "toggle", "channel-skew"} <= used
    assert unfinished() == ()
    assert page.fixture == fixture
    assert page.records.judged("toggle").validity == "valid"


def test_back_keeps_what_was_done_and_another_board_undoes_it(qtbot, page):
    wizard = open_wizard(page)
    for _ in range(4):
        go_through(qtbot, wizard)
        press(wizard, "Next")
    assert wizard.page_in_front.stage.name == "connect"
    for _ in range(4):
        press(wizard, "Back")
    front = wizard.page_in_front
    assert front.stage.name == "board" == wizard.wizard_state.state.stage
    assert front.form.answer_of("board") == "beaglebone-black"
    press(wizard, "Next")
    assert set(wizard.wizard_state.state.done) == {"deploy"}
    press(wizard, "Back")
    front.form.set_answer("board", "raspberry-pi-4")
    press(wizard, "Next")
    assert not wizard.wizard_state.state.done


def test_a_wrong_wire_is_looked_at_again_and_can_be_left(qtbot, page, home):
    bench = home / "faulty.toml"
    bench.write_text(
        f'{load_fixture("virtual").text}\n[virtual.wiring]\nopen = "D1"\nswap = "D2 D3"\n'
    )
    wizard = open_wizard(page)
    wizard.page_in_front.form.set_answer("bench", str(bench))
    for _ in range(4):
        if wizard.page_in_front.stage.name != "board":
            go_through(qtbot, wizard)
        press(wizard, "Next")
    front = wizard.page_in_front
    front.start.click()
    qtbot.waitUntil(lambda: front.current == "response", timeout=WORKS_MS)
    qtbot.waitUntil(lambda: "no pulse arrives on D1" in front.found.toPlainText(),
                    timeout=WORKS_MS)  # fmt: skip
    assert "Check the clip on D1" in front.found.toPlainText()
    family = psutil.Process(wizard.worker.process_id).children(recursive=True)
    front.skip.click()
    qtbot.waitUntil(lambda: front.current == "sequence0" and bool(front.found.toPlainText()),
                    timeout=WORKS_MS)  # fmt: skip
    assert not front.isComplete()
    press(wizard, "Cancel")
    page.worker.close()
    _, alive = psutil.wait_procs(family, 15)
    assert [p for p in alive if p.status() != psutil.STATUS_ZOMBIE] == []
    assert wizard.wizard_state.state.checked == ("stimulus",)


def begun_at(name, stage, bench):
    """A wizard that was left at this stage."""
    wizard = Wizard.begun(place_of(name), name)
    wizard.give("bench", bench)
    wizard.forward()
    wizard.go_to(stage)
    return wizard


def test_a_page_draws_what_is_answered_and_can_be_skipped(qtbot, page):
    begun_at("lab", "channel-skew", "virtual")
    wizard = open_wizard(page, "lab")
    front = wizard.page_in_front
    assert front.tabs.isTabVisible(0)
    assert front.drawing.renderer.isValid()
    assert "D9  --+---" in front.drawing.accessibleName()
    assert not button(wizard, "Next").isEnabled()
    front.form.set_answer("far-channel", "D7")
    qtbot.waitUntil(lambda: " D7 " in front.drawing.accessibleName())
    front.form.set_answer("far-channel", "D1")
    qtbot.waitUntil(lambda: "D1 is no free channel" in front.error_message.text())
    front.form.set_answer("far-channel", "none")
    front.form.set_answer("channel-skew", "skip")
    qtbot.waitUntil(lambda: button(wizard, "Next").isEnabled())
    assert not front.tabs.isTabVisible(0)
    press(wizard, "Next")
    assert wizard.page_in_front.stage.name == "loopback"
    wizard.page_in_front.form.set_answer("loopback", "skip")
    qtbot.waitUntil(lambda: button(wizard, "Next").isEnabled())
    press(wizard, "Next")
    assert not wizard.page_in_front.tabs.isTabVisible(0)  # no wire to be drawn yet
    press(wizard, "Next")
    front = wizard.page_in_front
    assert front.stage.name == "wires-back"
    assert "No wires were changed" in front.text.text()
    press(wizard, "Next")
    assert wizard.page_in_front.stage.name == "measure"


@pytest.mark.timeout(300)
def test_wires_that_are_not_as_drawn_are_told_and_nothing_is_measured(
    monkeypatch, qtbot, page, home
):
    monkeypatch.delitem(ANSWERS, "loopback")  # which would skip it
    bench = home / "faulty.toml"
    bench.write_text(f'{load_fixture("virtual").text}\n[virtual.wiring]\nopen = "D1"\n')
    begun_at("lab", "loopback", str(bench))
    wizard = open_wizard(page, "lab")
    go_through(qtbot, wizard)
    front = wizard.page_in_front
    assert front.tabs.currentIndex() == 2
    told = front.found.toPlainText()
    assert "nothing was measured" in told
    assert "D1 (response) does not show the pulses of D9" in told
    assert "Clip D1 to D9 too" in told
    assert not wizard.wizard_state.place.calibration.exists()
    press(wizard, "Next")
    press(wizard, "Next")
    front = wizard.page_in_front
    assert front.stage.name == "wires-back"
    assert not button(wizard, "Next").isEnabled()
    go_through(qtbot, wizard)
    assert "response: no pulse arrives on D1" in front.found.toPlainText()
    assert wizard.wizard_state.state.done["wires-back"]
