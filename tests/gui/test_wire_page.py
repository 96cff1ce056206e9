# SPDX-License-Identifier: GPL-3.0-or-later
"""The Wire page with real fixtures, real `rig doctor`, a real analyzer process."""

from __future__ import annotations

import socket

import psutil
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFileDialog, QMessageBox, QPushButton

from gui.app import application
from gui.pages.wire.page import WirePage
from gui.theme import theme
from gui.window import MainWindow
from rig.config.fixture import load_fixture
from rig.config.links import SshLink
from rig.resources import find_fixture, fixture_names
from rig.services.doctor import look
from rig.services.finding import DoctorFinding
from tests.cli.command import rig

FX2 = "parallel-port-fx2"
LOOKS_MS = 60_000
"""A process that loads libsigrok, on a machine that is busy."""


@pytest.fixture
def page(qtbot, settings):
    """The page with the FX2 bench open."""
    theme().begin(settings)
    settings.setValue("run/fixtures", FX2)
    made = WirePage(settings)
    qtbot.addWidget(made)
    made.resize(1180, 640)
    with qtbot.waitActive(made):
        made.show()
        made.activateWindow()
    made.entered()
    yield made
    made.release()
    made.editor.document().setModified(False)


@pytest.fixture
def own(page, tmp_path):
    """The page with a file of the user's open."""
    file = tmp_path / "bench.toml"
    file.write_text(find_fixture(FX2).read_text())
    assert page.document.open(str(file))
    return file


def put(page, old, new):
    """Type something in place of something else, and let it be checked."""
    assert old in page.editor.text
    page.editor.replace(page.editor.text.replace(old, new, 1))
    page.document.check()


def box(page, kind=QMessageBox):
    """The question that is open."""
    found = [each for each in page.window().findChildren(kind) if each.isVisible()]
    return found[0] if found else None


def press(qtbot, page, text):
    """Answer the question that is open."""
    qtbot.waitUntil(lambda: box(page) is not None)
    (button,) = [b for b in box(page).buttons() if b.text().replace("&", "") == text]
    button.click()
    qtbot.waitUntil(lambda: box(page) is None)


def test_it_opens_with_the_bench_of_the_run_page(page):
    assert page.document.file.name == FX2
    assert page.picture.fixture == load_fixture(FX2)
    assert page.benches.currentText() == FX2
    assert "No errors" in page.message.text()
    assert not page.document.is_modified
    assert {page.benches.itemText(i) for i in range(page.benches.count())} == set(fixture_names())
    for wire in page.picture.fixture.wires:
        said = page.picture.accessibleDescription()
        assert f"{wire.signal}, {wire.color}: analyzer D{wire.channel}" in said
        assert wire.target_line in said


@pytest.mark.parametrize("choice", ["light", "dark"])
def test_each_wire_is_drawn_in_its_color(page, choice):
    from gui.theme.palette import wire_color

    theme().choose(choice)
    image = page.picture.grab().toImage()
    scene = page.picture._scene()
    scale = image.devicePixelRatio()
    for path in scene.paths:
        at = QPoint(round((path.right - 12 + 16) * scale), round((path.y + 16) * scale))
        expected = wire_color(path.wire.color, path.wire.channel, theme().palette)
        assert image.pixelColor(at).name() == expected, path.wire.signal
    assert theme().palette.panel == page.editor.palette().color(QPalette.ColorRole.Base).name()


def test_an_error_is_marked_while_it_is_typed(qtbot, page):
    line = page.editor.text.split("\n").index('channel = "D1"') + 1
    page.editor.go_to(line)
    cursor = page.editor.textCursor()
    cursor.movePosition(cursor.MoveOperation.EndOfLine)
    cursor.movePosition(cursor.MoveOperation.Left)
    page.editor.setTextCursor(cursor)
    page.editor.setFocus()
    qtbot.keyClicks(page.editor, "7")
    qtbot.waitUntil(lambda: page.editor.error_line == line)
    assert page.message.text() == (
        f"{FX2}:{line}: [[wire]] channel: the analyzer has no channel D17; "
        "valid: D0 to D7, as [analyzer] channels = 8"
    )
    assert page.picture.is_stale
    page.editor.go_to(1)
    qtbot.keyClick(page.editor, Qt.Key.Key_F8)
    assert page.editor.textCursor().blockNumber() + 1 == line
    page.editor.undo()
    qtbot.waitUntil(lambda: page.editor.error_line is None)
    assert not page.picture.is_stale
    assert not page.menu["error"].isEnabled()


def test_picture_and_text_point_at_each_other(qtbot, page):
    page.picture.setFocus()
    with qtbot.waitSignal(page.picture.wire_chosen) as chosen:
        qtbot.keyClick(page.picture, Qt.Key.Key_Down)
        qtbot.keyClick(page.picture, Qt.Key.Key_Down)
    assert chosen.args == [0]
    assert page.picture.chosen == 1
    line = page.editor.textCursor().blockNumber()
    assert page.editor.text.split("\n")[line : line + 2] == ["[[wire]]", 'signal = "response"']
    qtbot.keyClick(page.picture, Qt.Key.Key_Return)
    assert page.editor.hasFocus()
    page.editor.go_to(page.document.state.wire_lines[3] + 2)
    assert page.picture.chosen == 3
    page.editor.go_to(1)
    assert page.picture.chosen is None
    path = page.picture._scene().paths[4]
    at = QPoint(round(path.tap) + 16, round(path.bottom) + 12)
    qtbot.mouseClick(page.picture, Qt.MouseButton.LeftButton, pos=at)
    assert page.picture.chosen == 4


def test_a_built_in_fixture_is_saved_as_a_file_of_ones_own(qtbot, page, tmp_path):
    built_in = find_fixture(FX2)
    before = built_in.read_bytes()
    put(page, "192.0.2.1:7411", "192.0.2.9:7411")
    assert page.menu["save"].isEnabled()
    page.menu["save"].trigger()
    qtbot.waitUntil(lambda: box(page, QFileDialog) is not None)
    dialog = box(page, QFileDialog)
    assert dialog.acceptMode() == QFileDialog.AcceptMode.AcceptSave
    dialog.reject()
    assert not page.document.write(built_in)
    assert "built-in fixtures, which stay" in page.message.text()
    file = tmp_path / "mine.toml"
    assert page.document.write(file)
    assert built_in.read_bytes() == before
    assert load_fixture(str(file)).target.tcp_address == ("192.0.2.9", 7411)
    assert page.document.file.name == str(file) == page.benches.currentData()
    assert not page.document.is_modified
    put(page, "192.0.2.9:7411", "192.0.2.7:7411")
    page.menu["save"].trigger()
    assert load_fixture(str(file)).target.tcp_address == ("192.0.2.7", 7411)


def test_what_somebody_else_wrote_is_not_overwritten_unasked(qtbot, page, own):
    page.menu["again"].trigger()
    put(page, '"24 MHz"', '"12 MHz"')
    own.write_text("# theirs\n")
    page.menu["save"].trigger()
    press(qtbot, page, "Cancel")
    assert own.read_text() == "# theirs\n"
    assert page.document.is_modified
    page.menu["save"].trigger()
    press(qtbot, page, "Replace")
    assert load_fixture(str(own)).analyzer.sample_rate_hz == 12_000_000
    own.write_text(find_fixture("dslogic").read_text())
    page.entered()
    assert page.picture.fixture.name == "dslogic"


def test_unsaved_changes_are_asked_for(qtbot, page, own):
    put(page, '"24 MHz"', '"12 MHz"')
    page.benches.activated.emit(page.benches.findData("virtual"))
    press(qtbot, page, "Keep editing")
    assert page.document.file.name == str(own) == page.benches.currentData()
    page.benches.activated.emit(page.benches.findData("virtual"))
    press(qtbot, page, "Save")
    assert load_fixture(str(own)).analyzer.sample_rate_hz == 12_000_000
    assert page.document.file.name == "virtual" == page.benches.currentData()
    put(page, '"24 MHz"', '"12 MHz"')
    closed = []
    page.closable.connect(lambda: closed.append(True))
    assert not page.may_close()
    assert not page.may_close()  # asks once
    press(qtbot, page, "Discard")
    assert closed
    assert page.may_close()


def test_a_file_that_cannot_be_opened_changes_nothing(page, own, tmp_path):
    put(page, '"24 MHz"', '"12 MHz"')
    odd = tmp_path / "odd.toml"
    odd.write_bytes(b"\xff")
    for name in (odd, tmp_path / "none.toml"):
        assert not page.document.open(str(name))
        printed = rig("run", "interrupt", "--fixture", name).stderr.strip()
        assert printed == f"rig: {page.message.text()}"
    assert page.document.is_modified
    assert page.document.file.name == str(own)


def test_a_text_that_the_editor_cannot_hold_is_only_shown(page, tmp_path):
    file = tmp_path / "odd.toml"
    text = find_fixture(FX2).read_text() + "# a\u2029b\n"
    file.write_text(text)
    page.document.open(str(file))
    assert page.editor.isReadOnly()
    assert "another editor" in page.message.text()
    assert not page.document.write(file)
    assert file.read_text() == text


def test_spaces_that_do_not_break_stay(page, own):
    text = own.read_text().replace("Arduino Uno", "Arduino\u00a0Uno")
    own.write_text(text)
    page.entered()
    assert page.document.write(own)
    assert own.read_text() == text


def test_what_rig_doctor_finds_is_shown(qtbot, page):
    qtbot.waitUntil(lambda: page.instruments.findings != (), timeout=LOOKS_MS)
    expected = list(look())
    assert list(page.instruments.findings) == expected
    for finding in expected:
        for words in (finding.what, finding.state, finding.mend):
            assert words in page.instruments.text
    assert page.instruments.look.isEnabled()


def test_a_found_instrument_is_put_into_the_fixture(qtbot, page):
    qtbot.waitUntil(lambda: not page.discovery.doctor.is_looking, timeout=LOOKS_MS)
    mend = "sudo usermod -aG dialout $USER, then log in again"
    port = DoctorFinding("serial port /dev/ttyUSB7", "CH340, no permission", mend, False,
                   port="/dev/ttyUSB7")  # fmt: skip
    analyzer = DoctorFinding("analyzer DSLogic", "USB", driver="dreamsourcelab-dslogic")
    page.discovery.show((DoctorFinding("libsigrok", "0.5.2"), port, analyzer))
    assert mend in page.instruments.text
    for button in page.instruments.uses:
        button.click()
    fixture = page.picture.fixture
    assert fixture.stimulus.port == "/dev/ttyUSB7"
    assert fixture.analyzer.driver == "dreamsourcelab-dslogic"
    assert page.document.is_modified
    page.editor.undo()
    page.editor.undo()
    assert page.editor.text == find_fixture(FX2).read_text()


def test_a_host_is_offered_and_asked_on_request_only(qtbot, page):
    qtbot.waitUntil(lambda: not page.discovery.doctor.is_looking, timeout=LOOKS_MS)
    assert not page.discovery.target_probe.is_looking
    name = "rig-no-such-host.invalid"
    page.discovery.show((DoctorFinding(f"host {name}", "in ~/.ssh/config", host=name),))
    (use,) = page.instruments.uses
    use.click()
    link = page.picture.fixture.target.link
    assert isinstance(link, SshLink)
    assert link.host == name
    page.editor.undo()
    assert page.editor.text == find_fixture(FX2).read_text()
    (ask,) = [b for b in page.instruments.findChildren(QPushButton) if b.text() == "Ask"]
    ask.click()
    qtbot.waitUntil(lambda: page.instruments.answers != (), timeout=LOOKS_MS)
    (answer,) = page.instruments.answers
    assert answer.needed
    assert "the connection failed" in answer.mend
    assert answer.mend in page.instruments.text


def test_the_fixtures_target_is_asked(qtbot, page, own):
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        port = nobody.getsockname()[1]
    put(page, "192.0.2.1:7411", f"127.0.0.1:{port}")
    page.menu["ask"].trigger()
    qtbot.waitUntil(lambda: page.instruments.answers != (), timeout=LOOKS_MS)
    (answer,) = page.instruments.answers
    printed = rig("target", "probe", f"tcp:127.0.0.1:{port}")
    assert answer.mend in printed.stdout
    page.document.open("virtual")
    page.menu["ask"].trigger()
    assert "only while a run goes on" in page.message.text()


def test_levels_and_edges_of_a_real_driver(qtbot, page, tmp_path):
    """libsigrok's demo driver: every channel of its pattern changes all the time."""
    file = tmp_path / "demo.toml"
    text = find_fixture(FX2).read_text().replace('"fx2lafw"', '"demo"')
    file.write_text(text.replace('"24 MHz"', '"200 kHz"'))
    page.document.open(str(file))
    page.menu["listen"].trigger()
    assert page.live_levels.monitor.is_listening
    qtbot.waitUntil(lambda: page.picture.levels is not None, timeout=LOOKS_MS)
    levels = page.picture.levels
    assert levels.sample_rate_hz == 200_000
    assert all(0 < levels.edges_per_s(channel) < 200_000 for channel in range(5))
    assert levels.edges[5:] == (0,) * 11  # not wired
    process = psutil.Process(page.live_levels.monitor.process_id)
    family = [process, *process.children(recursive=True)]
    page.hide()  # as when a run is started elsewhere
    assert not page.live_levels.monitor.is_listening
    assert page.picture.levels is None
    assert psutil.wait_procs(family, timeout=15)[1] == []


def test_an_analyzer_that_is_not_there_is_told(qtbot, page):
    with qtbot.waitSignal(page.live_levels.monitor.failed, timeout=LOOKS_MS) as failed:
        page.menu["listen"].trigger()
    (text,) = failed.args
    assert text.startswith("fx2lafw: no device found: is it plugged in")
    assert page.message.text() == text
    assert not page.live_levels.monitor.is_listening


def test_a_guest_is_not_booted_to_show_levels(page):
    page.document.open("qemu-debian")
    page.menu["listen"].trigger()
    assert not page.live_levels.monitor.is_listening
    assert "only while a run goes on" in page.message.text()


def test_in_the_window(qtbot, settings, tmp_path):
    """From Wire to Run with a bench; no listening while a run goes on."""
    application()
    theme().begin(settings)
    settings.setValue("window/page", "wire")
    window = MainWindow(tmp_path / "runs", settings)
    qtbot.addWidget(window)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    wire = window.page("wire")
    try:
        assert wire.document.file.name == "virtual"
        wire.document.open("virtual-misbehaving")
        wire.menu["use"].trigger()
        run = window.page("run")
        assert run.isVisible()
        assert run.chooser.choice.fixture_name == "virtual-misbehaving"
        file = tmp_path / "mine.toml"
        file.write_text(find_fixture("virtual").read_text())
        wire.document.open(str(file))
        window.enter("wire")
        assert wire.document.file.name == str(file)
        wire.menu["use"].trigger()
        assert run.chooser.choice.fixture_name == str(file)
        run.uses_bench = lambda: True
        window.enter("wire")
        wire.menu["listen"].trigger()
        assert not wire.live_levels.monitor.is_listening
        assert "A run is going on" in wire.message.text()
        qtbot.waitUntil(lambda: not wire.discovery.doctor.is_looking, timeout=LOOKS_MS)
        wire.discovery.discover()  # opens no analyzer
        qtbot.waitUntil(lambda: not wire.discovery.doctor.is_looking, timeout=LOOKS_MS)
        assert list(wire.instruments.findings) == list(look(ask_drivers=False))
        assert window.minimumSizeHint().width() <= 1280
        assert window.minimumSizeHint().height() <= 720
    finally:
        wire.release()
        run.engine.close()
