# SPDX-License-Identifier: GPL-3.0-or-later
"""The wizard's state, its file, its way back and forth; no bench is opened."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.findings import Finding
from calibration.wizard import StageReport, Wizard
from calibration.wizard.bench import fixture_of, wires_of
from calibration.wizard.paths import WizardPaths, place_of, unfinished
from calibration.wizard.stages import KEYS, STAGES
from calibration.wizard.stages.wires import drawing, pins, warnings
from calibration.wizard.state import WizardState, parse_state, read_state, state_text
from rig.cli.main import main
from rig.config.board import load_board, load_boards
from rig.config.fixture import load_fixture
from rig.errors import InputError

LINES = st.text(st.characters(categories=("L", "N", "P", "S"), include_characters=" "), max_size=80)
STATES = st.builds(
    WizardState,
    name=st.from_regex("[a-z0-9][a-z0-9-]{0,20}", fullmatch=True),
    stage=st.sampled_from(list(STAGES)),
    answers=st.dictionaries(st.sampled_from(KEYS), LINES.filter(str.isprintable)),
    done=st.dictionaries(
        st.sampled_from(list(STAGES)), st.lists(LINES.filter(str.isprintable)).map(tuple)
    ),
    checked=st.lists(LINES.filter(str.isprintable)).map(tuple),
    fixture=st.text(),
    run=LINES,
)


@pytest.fixture
def wizard(tmp_path):
    return Wizard.begun(WizardPaths(tmp_path / "new" / "state.json"), "lab-7")


def answer(wizard, **answers):
    for question in wizard.stage.questions(wizard.state):
        if question.key.replace("-", "_") in answers:
            wizard.answer(question, answers[question.key.replace("-", "_")])


@given(STATES)
def test_a_state_is_read_as_it_was_written(state):
    assert parse_state(state_text(state), "x") == state


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_anything_else_is_told_in_one_line(data):
    with pytest.raises(InputError) as error:
        parse_state(data.decode("utf-8", "replace"), "x.json")
    assert "x.json: no state of a wizard" in str(error.value)
    assert str(error.value).isprintable()


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("format", 2), ("format", True), ("name", "../up"), ("name", 3), ("answers", []),
        ("answers", {"Board": "x"}), ("answers", {"board": "two\nlines"}),
        ("answers", {"board": 1}),
        ("done", {"board": "text"}), ("checked", "stimulus"), ("checked", [1]), ("run", None),
        ("more", ""),
    ],
)  # fmt: skip
def test_a_state_that_somebody_else_wrote_is_refused(key, value):
    fields = json.loads(state_text(WizardState("lab-7", "board")))
    with pytest.raises(InputError, match="no state of a wizard"):
        parse_state(json.dumps({**fields, key: value}), "x")


def test_every_change_is_in_the_file_at_once(wizard):
    for bench in ("virtual", "hardware"):
        answer(wizard, bench=bench)
        assert read_state(wizard.place.state) == wizard.state
    wizard.check()
    wizard.forward()
    again = Wizard.begun(wizard.place, "lab-7")
    assert again.stage.name == "wires"
    assert again.state == wizard.state
    again.back()
    assert Wizard.begun(wizard.place, "lab-7").stage.name == "board"


@pytest.mark.parametrize("board", [board.name for board in load_boards("target")])
@pytest.mark.parametrize("bench", ["hardware", "virtual"])
def test_every_board_makes_a_fixture_and_a_drawing(wizard, board, bench):
    answer(wizard, bench=bench, board=board)
    if board == "generic-gpio":
        with pytest.raises(InputError, match="does not know which line"):
            wizard.forward()
        answer(wizard, lines="stimulus=17, response=27")
    wizard.forward()
    fixture = load_fixture(str(wizard.place.fixture))
    assert fixture.name == "lab-7"
    assert fixture.is_virtual == (bench == "virtual")
    described = load_board(board)
    text = "\n".join(pins(wizard.state))
    for wire in fixture.wires:
        assert f"analyzer D{wire.channel}" in text
        line = described.line(wire.signal)
        assert line.name in text or board == "generic-gpio"
        assert not line.pin or line.pin in text
    assert [ends.signal for ends in wires_of(wizard.state)] == [w.signal for w in fixture.wires]
    assert drawing(wizard.state).startswith("<svg") or "<svg" in drawing(wizard.state)
    dangerous = described.levels.supply_mv < 5000
    assert any("destroyed" in words for words in warnings(wizard.state)) == dangerous


def test_a_wire_is_told_from_the_end_that_drives_it(wizard):
    answer(wizard, board="raspberry-pi-4")
    ends = {each.signal: each.text for each in wires_of(wizard.state)}
    assert ends["stimulus"].startswith("yellow wire, Arduino Uno D9 to Raspberry Pi 4")
    assert ends["response"].startswith("green wire, Raspberry Pi 4")


@pytest.mark.parametrize(
    ("stage", "answers", "said"),
    [
        ("board", {"bench": "no-such"}, "no-such"),
        ("board", {"bench": "dslogic"}, "no virtual bench"),
        ("board", {"board": "arduino-uno"}, "no board of a target"),
        ("board", {"stimulus": "raspberry-pi-4"}, "no board of a stimulus"),
        ("board", {"port": "COM3"}, "port"),
        ("board", {"sample_rate": "fast"}, "sample-rate"),
        ("board", {"channels": "0x8"}, "channels"),
        ("access", {"target": "telnet:x"}, "ssh:"),
        ("access", {"target": "ssh:x", "agent_arguments": "--tcp 5"}, "agent-arguments"),
        ("calibrate", {"steps": "wirring"}, "did you mean wiring"),
        ("calibrate", {"seconds": "1"}, "2 to"),
        ("measure", {"count": "0"}, "count"),
        ("measure", {"plan": "no-such"}, "no-such"),
        ("save", {"file": "fixture.txt"}, "valid"),
        ("save", {"file": "/no/folder/x.toml"}, "no folder"),
    ],
)
def test_a_wrong_answer_is_told_and_nothing_moves(wizard, stage, answers, said):
    wizard.go_to(stage)
    answer(wizard, **{k: v for k, v in answers.items() if k == "target"})
    answer(wizard, **answers)
    with pytest.raises(InputError) as error:
        wizard.forward()
    assert said in str(error.value)
    assert wizard.stage.name == stage


def test_another_bench_undoes_what_was_found_of_the_last(wizard):
    answer(wizard, bench="virtual")
    wizard.forward()
    wizard.place.calibration.write_text("was measured")
    wizard.wire_is_sound("stimulus")
    wizard.go_to("calibrate")
    wizard.record(StageReport((), (Finding("x", "a fault", "mend it"),)))
    assert wizard.state.done == {"calibrate": ("a fault",)}
    wizard.go_to("board")
    wizard.forward()
    assert wizard.state.done
    assert wizard.state.checked
    wizard.go_to("board")
    answer(wizard, board="beaglebone-black")
    wizard.forward()
    assert not wizard.state.done
    assert not wizard.state.checked
    assert not wizard.place.calibration.exists()
    assert wizard.place.outdated.read_text() == "was measured"


def test_a_target_behind_ssh_is_in_the_fixture(wizard):
    wizard.go_to("access")
    answer(wizard, target="ssh:root@board-7")
    wizard.forward()
    link = load_fixture(str(wizard.place.fixture)).target.link
    assert link.host == "root@board-7"
    assert link.arguments[:2] == ("--port", "gpio")
    assert fixture_of(wizard.state).target.link == link


def test_wizards_that_were_begun_are_found(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert unfinished() == ()
    for name in ("two", "one"):
        Wizard.begun(place_of(name), name)
    assert unfinished() == ("one", "two")
    place_of("one").clear()
    assert unfinished() == ("two",)
    assert not (tmp_path / "latency-rig/wizard/one").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--new", "Bad Name"], "no name of a bench"),
        (["--new", "x", "--answers", "none.toml"], "none.toml: cannot be read"),
        (["--new", "x", "--answers", "typo.toml"], "did you mean board?"),
        (["--new", "x", "--answers", "broken.toml"], "broken.toml: no TOML"),
        (["--new", "x", "--answers", "wrong.toml"], "no such choice"),
        (["--new", "--state", "state.json"], "state.json: no state of a wizard"),
        (["wiring", "--new", "x"], "takes no steps"),
    ],
)
def test_bad_input_is_one_line(tmp_path, monkeypatch, capsys, words, said):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for name, text in (
        ("typo", 'bord = "x"'), ("broken", "board ="), ("wrong", 'board = "x"\ndeploy = "no"')
    ):  # fmt: skip
        Path(tmp_path / f"{name}.toml").write_text(text)
    (tmp_path / "state.json").write_text("{}")
    if "wrong.toml" in words:
        (tmp_path / "wrong.toml").write_text('bench = "virtual"\nstimulus = "raspberry-pi-4"\n')
        said = "no board of a stimulus"
    monkeypatch.chdir(tmp_path)
    assert main(["calibrate", *words]) == 2
    told = capsys.readouterr().err
    assert said in told
    assert told.count("\n") == 1
