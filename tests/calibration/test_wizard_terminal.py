# SPDX-License-Identifier: GPL-3.0-or-later
"""`rig calibrate --new` as a user drives it: a child process on the virtual bench."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from calibration.wizard import Wizard
from calibration.wizard.paths import place_of, unfinished
from calibration.wizard.state import read_state
from rig.config.calibration.file import load_calibration
from rig.config.calibration.paths import calibration_path
from rig.config.fixture import load_fixture
from rig.session.results import read
from tests.cli.command import RIG

ENOUGH = 'steps = "wiring toggle"\nseconds = 2\ncount = 200\n'
"""Steps that take seconds, not a minute."""


@pytest.fixture
def home(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path


def new(home, *words, typed=""):
    return subprocess.run(
        [*RIG, "calibrate", "--new", *map(str, words)],
        input=typed, capture_output=True, text=True, cwd=home, timeout=110, check=False,
    )  # fmt: skip


def begun_at(stage: str, name: str, bench: str = "virtual", sound: tuple[str, ...] = ()) -> None:
    """A wizard that was left at this stage; what comes before it, others of these tests walk."""
    wizard = Wizard.begun(place_of(name), name)
    wizard.give("bench", bench)
    wizard.forward()
    for signal in sound:
        wizard.wire_is_sound(signal)
    wizard.go_to(stage)


def check_saved(home: Path, name: str, file: str = "") -> None:
    """A fixture with its calibration, and a first result that used it; nothing is left over."""
    fixture = load_fixture(str(home / (file or f"{name}.toml")))
    assert fixture.name == name
    found = load_calibration(calibration_path(fixture))
    assert found.fixture == name
    assert {"wiring", "toggle"} <= set(found.steps)
    (left,) = found.history("left-out")
    assert [text.partition(":")[0] for text in left.findings] == [
        "Channel skew (channel-skew)", "Loopback (loopback)", "Line delay (line-delay)",
    ]  # fmt: skip
    (run,) = home.glob("runs/*.h5")
    result = read(run)
    assert result.evaluation.counts.answered == 200
    used = {each.step for each in result.calibration.judged if each.validity == "valid"}
    assert {"wiring", "toggle"} <= used
    assert unfinished() == ()


def test_from_nothing_to_a_calibrated_fixture_and_a_first_result(home):
    answers = home / "answers.toml"
    answers.write_text(f'bench = "virtual"\nboard = "raspberry-pi-5"\n{ENOUGH}')
    done = new(home, "pi", "--answers", answers)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "put a level shifter between them" in " ".join(done.stdout.split())
    assert done.stdout.count("    sound\n") == 5
    assert "PASS  all limits of the plan kept" in done.stdout
    assert "agent's pin write of" in done.stdout
    check_saved(home, "pi")


STOPS = {
    "board": "virtual\nbeaglebone-black\n\n",
    "wires": "\n",
    "two wires": "\n\n",
    "last wires": "\n\n\n",
    "calibrate": "wiring toggle\n2\n\n\n",
    "wires of their own": "skip\nskip\n\n",
    "measure": "\n200\n\n",
    "save": "\na\n./mine.toml\n",
}
"""What is typed each time, from where it was left; then the input ends."""


@pytest.mark.slow  # the window's walk through the same stages is not
@pytest.mark.timeout(300)
def test_left_at_each_question_and_taken_up_again(home):
    """The file that the fixture shall go to is there already, and stays as it is."""
    (home / "black.toml").write_text("somebody's")
    state = place_of("black").state
    for stage, typed in STOPS.items():
        done = new(home, *(() if state.exists() else ("black",)), typed=typed)
        if stage != "save":
            assert done.returncode == 1, done.stdout + done.stderr
            assert "To go on: rig calibrate --new black" in done.stdout
        if stage == "two wires":
            assert read_state(state).checked == ("stimulus", "response")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "black.toml: is there already, with something else" in done.stdout
    assert (home / "black.toml").read_text() == "somebody's"
    check_saved(home, "black", "mine.toml")


def test_b_goes_back_q_leaves_and_answers_stay(home):
    done = new(home, "lab", typed="virtual\nraspberry-pi-5\n\nb\n\n\n\nb\nq\n")
    assert done.returncode == 1
    assert done.stdout.count("1/12  Choose the boards") == 3
    assert done.stdout.count("2/12  See the wiring") == 2
    assert done.stdout.count("[raspberry-pi-5]") == 1
    state = read_state(place_of("lab").state)
    assert (state.stage, state.answer("board")) == ("board", "raspberry-pi-5")
    left = new(home, typed="q\n")
    assert "To go on: rig calibrate --new lab" in left.stdout
    assert read_state(place_of("lab").state) == state


def test_a_fault_is_explained_and_mended_or_left(home):
    bench = home / "faulty.toml"
    bench.write_text(f'{load_fixture("virtual").text}\n[virtual.wiring]\nopen = "D3"\n')
    answers = home / "answers.toml"
    answers.write_text(f'bench = "{bench}"\n{ENOUGH}')
    begun_at("connect", "faulty", str(bench), ("stimulus", "response", "sequence0"))
    done = new(home, "faulty", "--answers", answers)
    assert done.returncode == 1
    assert "FAULT  sequence1: no pulse arrives on D3" in done.stdout
    assert "Tell them apart with a meter." in " ".join(done.stdout.split())
    assert "Left at: Connect wire by wire" in done.stdout
    state = read_state(place_of("faulty").state)
    sound = ("stimulus", "response", "sequence0", "sequence2")
    assert (state.stage, state.checked) == ("connect", sound)
    again = new(home, "faulty", typed="\na\ng\n\nq\n")
    assert again.stdout.count("FAULT  sequence1") == 2
    state = read_state(place_of("faulty").state)
    assert state.stage == "calibrate"
    assert state.done["connect"][0].startswith("sequence1: no pulse arrives on D3")


@pytest.mark.timeout(300)
@pytest.mark.slow
def test_killed_in_the_middle_of_a_calibration_it_goes_on(home):
    answers = home / "answers.toml"
    answers.write_text(f'bench = "virtual"\n{ENOUGH}')
    place = place_of("killed")
    begun_at("calibrate", "killed")
    with subprocess.Popen(
        [*RIG, "calibrate", "--new", "killed", "--answers", str(answers)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=home, env=dict(os.environ),
    ) as process:  # fmt: skip
        end_s = time.monotonic() + 60
        while not place.calibration.exists() and time.monotonic() < end_s:
            time.sleep(0.02)
        process.kill()
    assert read_state(place.state).stage == "calibrate"
    assert load_calibration(place.calibration).steps == ("wiring",)
    done = new(home, "--answers", answers)
    assert done.returncode == 0, done.stdout + done.stderr
    check_saved(home, "killed")
    found = load_calibration(home / "killed.calibration.toml")
    assert len(found.history("wiring")) == 2
