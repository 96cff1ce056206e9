# SPDX-License-Identifier: GPL-3.0-or-later
"""The wizard offers to take the wiring as found: of swapped wires, and of nothing worse."""

from __future__ import annotations

import os
import subprocess
from itertools import combinations, permutations
from xml.etree import ElementTree

import pytest

from calibration.steps.wiring import WiresSeen
from calibration.wiring.judge import arrivals, findings
from calibration.wizard import Wizard, detected_wiring
from calibration.wizard.paths import WizardPaths, place_of
from calibration.wizard.stages.wires import drawing
from calibration.wizard.state import parse_state, read_state, state_text
from rig.config.calibration.file import load_calibration
from rig.config.fixture import load_fixture
from rig.errors import InputError
from tests.calibration.wired import observe_on_paper, wired_fixture
from tests.cli.command import RIG

SVG = "{http://www.w3.org/2000/svg}"
PLANNED = {"stimulus": 0, "response": 1, "sequence0": 2, "sequence1": 3, "sequence2": 4}


def offer(faults: str) -> dict[str, int]:
    """What is offered once every wire was looked at by itself; checked against the fixture."""
    fixture = wired_fixture(faults)
    observed = observe_on_paper(fixture)
    channels = {}
    for wire in fixture.wires:
        seen = WiresSeen(findings(fixture, observed, [wire.signal]), arrivals(observed))
        channels[wire.signal] = detected_wiring.channel_seen(wire.signal, seen)
    places = detected_wiring.complete(fixture, channels)
    return {signal: int(at[1:]) for signal, _, at in (each.partition("=") for each in places)}


@pytest.mark.parametrize(("a", "b"), list(combinations(range(6), 2)))
def test_every_two_wires_that_are_swapped_are_offered(a, b):
    there = {a: b, b: a}
    assert offer(f'swap = "D{a} D{b}"') == {s: there.get(c, c) for s, c in PLANNED.items()}


@pytest.mark.parametrize(
    "worse",
    [
        'short = "D3 D4"', 'short = "D1 D3"', 'open = "D1"', 'open = "D3"', 'stuck_low = "D4"',
        'stuck_high = "D2"', 'stuck_high = "D3"', 'invert = "D1"', 'invert = "D4"',
        'no_rising = "D3"', 'no_falling = "D1"', "capture_open = true", "interrupt_open = true",
        'analyzer_rate = "12 MHz"',
    ],
)  # fmt: skip
def test_nothing_is_offered_where_anything_else_is_wrong(worse):
    assert offer(f'swap = "D1 D2"\n{worse}') == {}


def test_nothing_is_offered_of_sound_wires_or_of_some_not_looked_at():
    assert offer("") == {}
    fixture = wired_fixture("")
    for order in permutations((1, 2, 3)):
        channels = {"stimulus": 0, **dict(zip(("response", "sequence0", "sequence1"), order,
                                              strict=True))}  # fmt: skip
        assert detected_wiring.complete(fixture, channels) == ()
    assert detected_wiring.complete(fixture, {**PLANNED, "response": 2}) == ()


@pytest.fixture
def wizard(tmp_path):
    """At the stage after the wires, of which two were swapped."""
    made = Wizard.begun(WizardPaths(tmp_path / "state.json"), "lab-7")
    made.give("bench", "virtual")
    made.forward()
    made.go_to("connect")
    for signal in ("stimulus", "sequence1", "sequence2"):
        made.wire_is_sound(signal)
    found = {**PLANNED, "response": 2, "sequence0": 1}
    detected_wiring.write(made.place.as_found, [f"{signal}=D{at}" for signal, at in found.items()])
    made.connected(("response arrives elsewhere",))
    made.forward()
    return made


def take(wizard, answer):
    (question,) = [q for q in wizard.stage.questions(wizard.state) if q.key == "wires"]
    wizard.answer(question, answer)


def channels_of(wizard):
    return {w.signal: w.channel for w in load_fixture(str(wizard.place.fixture)).wires}


def test_it_is_asked_taken_and_given_back(wizard):
    assert "take the wiring as found" in str(wizard.stage.questions(wizard.state))
    assert parse_state(state_text(wizard.state), "x") == wizard.state
    wizard.place.calibration.write_text("of the old wires")
    take(wizard, "as-found")
    wizard.check()
    assert channels_of(wizard) == {**PLANNED, "response": 2, "sequence0": 1}
    assert set(wizard.state.checked) == set(PLANNED)
    assert wizard.state.done["connect"] == ()
    assert not wizard.place.calibration.exists()
    again = Wizard.begun(wizard.place, "lab-7")
    again.check()
    assert again.state == wizard.state
    take(wizard, "mend")
    wizard.check()
    assert channels_of(wizard) == PLANNED
    assert wizard.state.checked == ()
    assert wizard.state.done["connect"]


def test_what_was_calibrated_with_other_wires_is_not_gone_on_with(wizard):
    take(wizard, "mend")
    wizard.check()
    wizard.state = wizard.state.with_done("calibrate", ())
    take(wizard, "as-found")
    with pytest.raises(InputError, match="do it again"):
        wizard.forward()
    assert wizard.stage.name == "calibrate"


def test_another_board_has_wires_of_its_own(wizard):
    take(wizard, "as-found")
    wizard.check()
    wizard.go_to("board")
    wizard.forward()
    assert channels_of(wizard)["response"] == 2
    wizard.go_to("board")
    wizard.give("board", "beaglebone-black")
    wizard.forward()
    assert channels_of(wizard)["response"] == 1
    assert wizard.state.as_found == ()


def test_wires_that_were_mended_are_not_asked_about(wizard):
    wizard.go_to("connect")
    detected_wiring.write(wizard.place.as_found, ())
    wizard.connected()
    wizard.forward()
    assert "wires" not in {q.key for q in wizard.stage.questions(wizard.state)}


@pytest.mark.parametrize("text", ["response=D1\nrm -rf", "x" * 5000, "\xff", "response=Dx"])
def test_a_file_that_somebody_else_wrote_is_nothing(tmp_path, text):
    (tmp_path / "x").write_text(text, encoding="latin-1")
    assert detected_wiring.read(tmp_path / "x") == ()


def test_a_state_of_an_older_version_is_read(wizard):
    text = state_text(detected_wiring.without(wizard.state)).replace(',\n  "as_found": []', "")
    assert "as_found" not in text
    assert parse_state(text, "x").as_found == ()


@pytest.mark.slow
def test_swapped_clips_stay_and_the_fixture_follows_them(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    bench = tmp_path / "swapped.toml"
    bench.write_text(wired_fixture('swap = "D1 D2"').text)
    place = place_of("lab")
    wizard = Wizard.begun(place, "lab")
    wizard.give("bench", str(bench))
    wizard.forward()
    wizard.go_to("connect")
    # Two wires are left as they are; then they are taken as found, and calibrated.
    done = subprocess.run(
        [*RIG, "calibrate", "--new", "lab"], input="\n\ng\n\ng\n\n\nas-found\nwiring\n2\n\n\nq\n",
        env=dict(os.environ), capture_output=True, text=True, cwd=tmp_path, timeout=110,
        check=False,
    )  # fmt: skip
    words = " ".join(done.stdout.split())
    assert "the next stage offers to take the wiring as found" in words, done.stderr
    assert "--write-fixture" not in words
    assert "response on D2, sequence0 on D1" in words
    assert "Left at: Channel skew" in words
    fixture = load_fixture(str(place.fixture))
    channels = {wire.signal: wire.channel for wire in fixture.wires}
    assert channels == {**PLANNED, "response": 2, "sequence0": 1}
    (record,) = load_calibration(place.calibration).records
    assert (record.step, record.findings) == ("wiring", ())
    assert not any(read_state(place.state).done.values())


@pytest.mark.parametrize("wires", ["", "mend"])
def test_where_nobody_is_there_the_fixture_follows_at_once_or_it_ends(monkeypatch, tmp_path, wires):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    bench = tmp_path / "swapped.toml"
    bench.write_text(wired_fixture('swap = "D1 D2"').text)
    place = place_of("lab")
    wizard = Wizard.begun(place, "lab")
    wizard.give("bench", str(bench))
    wizard.forward()
    for signal in ("stimulus", "sequence1", "sequence2"):
        wizard.wire_is_sound(signal)
    wizard.go_to("connect")
    answers = tmp_path / "answers.toml"
    answers.write_text('steps = "wiring"\ncount = 200\nplan = "none"\n')
    if wires:
        answers.write_text(f'{answers.read_text()}wires = "{wires}"\n')
    done = subprocess.run(
        [*RIG, "calibrate", "--new", "lab", "--answers", str(answers)], env=dict(os.environ),
        capture_output=True, text=True, cwd=tmp_path, timeout=110, check=False,
    )  # fmt: skip
    state = read_state(place.state)
    if wires:
        assert done.returncode == 1
        assert "Left at: Connect wire by wire" in done.stdout, done.stderr
        return
    # The wires were taken and calibrated; a plan that is none ends it.
    assert "Wires on other channels: as-found" in done.stdout, done.stderr
    channels = {wire.signal: wire.channel for wire in load_fixture(str(place.fixture)).wires}
    assert channels == {**PLANNED, "response": 2, "sequence0": 1}
    assert load_calibration(place.calibration).steps == ("wiring",)
    assert (done.returncode, state.stage) == (2, "measure")


def test_the_drawing_shows_the_channels_as_found(wizard):
    take(wizard, "mend")
    assert drawn_at(drawing(wizard.state), "response") == "D1"
    take(wizard, "as-found")
    picture = drawing(wizard.state)
    found = {signal: drawn_at(picture, signal) for signal in PLANNED}
    wanted = {**PLANNED, "response": 2, "sequence0": 1}
    assert found == {signal: f"D{channel}" for signal, channel in wanted.items()}


def drawn_at(svg: str, signal: str) -> str:
    """Name of the channel that a signal's lane leads down to."""
    picture = ElementTree.fromstring(svg)  # noqa: S314 -- our own text
    (wire,) = [g for g in picture.iter(f"{SVG}g") if g.get("data-signal") == signal]
    lane = wire.find(f"{SVG}polyline").attrib["points"].split(",")[0]
    names = [t for t in picture.iter(f"{SVG}text") if t.get("text-anchor") == "middle"
             and t.get("font-weight") == "bold" and t.attrib["x"] == lane]  # fmt: skip
    (name,) = names
    return name.text


def test_the_state_is_read_strictly(wizard):
    assert read_state(wizard.place.state).as_found[1] == "response=D2"
