# SPDX-License-Identifier: GPL-3.0-or-later
"""Wires of a step's own: what is drawn is what is looked for, and each wrong clip is named."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

from calibration.diagram import rewired_svg, rewired_text
from calibration.diagram.geometry import TARGET_X
from calibration.findings import Finding
from calibration.rewired.check import findings
from calibration.rewired.rewired import Rewired, free_channels, rewired_for
from calibration.rewired.virtual_jumpers import bench_with_pps, rewired_bench
from calibration.settings import CalibrationSettings
from calibration.wiring.observed import (
    CODE_FIRST,
    CODE_STEP,
    Driven,
    InterruptCount,
    Observed,
    Turns,
    observed,
)
from calibration.wizard.bench import wants_lines
from rig.config.board import load_board, load_boards
from rig.config.board_fixture import fixture_text
from rig.config.fixture import RESPONSE, STIMULUS, Fixture, load_fixture, parse_fixture
from rig.errors import InputError
from rig.virtual.jumpers import JumperWires
from tests.calibration.wired import driven_edges, heard_through, wired_fixture

SVG = "{http://www.w3.org/2000/svg}"
STEPS = {
    "channel-skew": ("channel-skew", CalibrationSettings()),
    "channel-skew and more": ("channel-skew", CalibrationSettings(far_channel=7)),
    "loopback": ("loopback", CalibrationSettings()),
    "line-delay response": ("line-delay", CalibrationSettings(far_channel=6)),
    "line-delay stimulus": ("line-delay", CalibrationSettings(far_channel=5, signal="stimulus")),
}
CHANNELS = {
    "channel-skew": {0, 1, 2, 3, 4},
    "channel-skew and more": {0, 1, 2, 3, 4, 7},
    "loopback": {0, 1},
    "line-delay response": {0, 1, 6},
    "line-delay stimulus": {0, 5},
}
OFF = {
    "channel-skew": {"response", "sequence0", "sequence1", "sequence2"},
    "channel-skew and more": {"response", "sequence0", "sequence1", "sequence2"},
    "loopback": {"response"},
    "line-delay response": {"response"},
    "line-delay stimulus": set(),
}
steps = pytest.mark.parametrize("which", STEPS)


def wires_of(which: str, fixture: Fixture) -> Rewired:
    name, settings = STEPS[which]
    return rewired_for(name, fixture, settings)


def seen(bench: Fixture, seed: int = 1) -> Observed:
    """What the check hears of this bench, worked out on paper."""
    assert bench.virtual is not None
    faults, jumpers = bench.virtual.wiring, bench.virtual.jumpers
    stimulus, response = (bench.channel_of(signal) for signal in (STIMULUS, RESPONSE))
    edges, end_ps = driven_edges(bench, np.random.default_rng(seed))
    through = JumperWires(jumpers, stimulus, response).through(edges, end_ps)
    rate_hz = bench.analyzer.sample_rate_hz
    heard = heard_through(faults, through, end_ps, rate_hz)
    source = STIMULUS if jumpers.loopback else RESPONSE
    driven = []
    for number, wire in enumerate(bench.wires):
        pulses = CODE_FIRST + CODE_STEP * number
        captured = wire.signal == source and not faults.capture_open
        driven.append(Driven(wire.signal, pulses, 2 * pulses if captured else 0))
    return observed(
        heard, Turns(tuple(driven), {}, float(rate_hz)), InterruptCount(0, None), rate_hz
    )


def judged(which: str, faults: str = "", seed: int = 1) -> tuple[Finding, ...]:
    fixture = wired_fixture(faults)
    rewired = wires_of(which, fixture)
    return findings(fixture, rewired, seen(rewired_bench(fixture, rewired), seed))


@steps
def test_the_right_wires_are_silent(which):
    assert wires_of(which, wired_fixture()).channels.keys() == CHANNELS[which]
    for seed in range(50):
        assert judged(which, seed=seed) == ()


@steps
@pytest.mark.parametrize("channel", range(8))
def test_a_clip_that_is_open_is_named_and_no_other(which, channel):
    found = judged(which, f'open = "D{channel}"')
    if channel not in CHANNELS[which]:
        assert found == ()
        return
    assert [each.kind for each in found] == ["not connected"]
    assert found[0].text.startswith(f"D{channel} ")
    assert f"Clip D{channel} to D9" in found[0].remedy


@steps
@pytest.mark.parametrize("fault", ["invert", "stuck_high", "no_falling"])
def test_other_faults_of_a_clip_are_named_too(which, fault):
    for channel in CHANNELS[which]:
        found = judged(which, f'{fault} = "D{channel}"')
        assert [each.text.partition(" ")[0] for each in found] == [f"D{channel}"]
        assert (found[0].kind == "inverted") == (fault == "invert")


@steps
def test_wires_of_a_measurement_are_not_taken_for_them(which):
    fixture = wired_fixture()
    rewired = wires_of(which, fixture)
    found = findings(fixture, rewired, seen(fixture))
    missing = {each.text.partition(" ")[0] for each in found if each.kind == "not connected"}
    assert missing == {f"D{channel}" for channel in CHANNELS[which] - {0}}
    off = {signal for each in found if each.kind == "target not off" for signal in each.signals}
    assert off == OFF[which]


def test_the_capture_pin_is_looked_at():
    assert [each.kind for each in judged("loopback", "capture_open = true")] == ["capture open"]
    fixture = wired_fixture()
    found = findings(fixture, wires_of("loopback", fixture), seen(fixture))
    assert "the target's answering pin is still on the capture pin D8" in str(found)


@pytest.mark.parametrize(
    ("channel", "told"), [(1, "D1 is no free channel"), (8, "valid: D5, D6, D7$")]
)
def test_a_far_channel_that_is_none_is_refused(channel, told):
    with pytest.raises(InputError, match=told):
        rewired_for("line-delay", load_fixture("virtual"), CalibrationSettings(far_channel=channel))
    with pytest.raises(InputError, match="without a far channel"):
        rewired_for("line-delay", load_fixture("virtual"), CalibrationSettings())


def test_free_channels_are_those_without_a_wire():
    assert free_channels(load_fixture("virtual")) == (5, 6, 7)


@steps
def test_hands_are_only_lent_to_a_virtual_bench_that_has_none(which):
    fixture = wired_fixture()
    rewired = wires_of(which, fixture)
    bench = rewired_bench(fixture, rewired)
    assert bench.source == fixture.source
    assert rewired_bench(bench, rewired) is bench
    assert bench_with_pps(bench, CalibrationSettings(pps_channel=7)) is bench
    target, stimulus = load_board("raspberry-pi-5"), load_board("arduino-uno")
    real = parse_fixture(fixture_text(target, stimulus, name="real"), "real.toml")
    assert rewired_bench(real, wires_of(which, real)) is real
    pps = bench_with_pps(fixture, CalibrationSettings(pps_channel=7))
    assert pps.virtual is not None
    assert pps.virtual.jumpers.pps == 7
    assert bench_with_pps(fixture, CalibrationSettings()) is fixture


# --- drawings ----------------------------------------------------------------------------------


def pictures():
    """Of every pair of boards: step, fixture, wires, drawing, text."""
    for target in load_boards("target"):
        if wants_lines(target):
            target = target.with_offsets({"stimulus": 3, "response": 9, "sequence0": 5})
        for stimulus in load_boards("stimulus"):
            fixture = parse_fixture(fixture_text(target, stimulus, name="x"), "x")
            for which in STEPS:
                rewired = wires_of(which, fixture)
                args = (target, stimulus, fixture, rewired)
                yield which, fixture, rewired, rewired_svg(*args, which), rewired_text(*args)


def test_every_channel_has_its_line_in_the_drawing_and_in_the_text():
    count = 0
    for which, fixture, rewired, svg, text in pictures():
        count += 1
        picture = ElementTree.fromstring(svg)  # noqa: S314 -- our own text
        names = {
            float(each.attrib["y"]) - 4: each.text
            for each in picture.iter(f"{SVG}text")
            if (each.text or "").startswith("D") and each.get("font-weight") == "bold"
            and float(each.attrib["x"]) > TARGET_X
        }  # fmt: skip
        (fan,) = [g for g in picture.iter(f"{SVG}g") if g.get("data-signal") == STIMULUS]
        reached = set()
        for line in fan.iter(f"{SVG}polyline"):
            x, y = map(float, line.attrib["points"].split()[-1].split(","))
            if x == TARGET_X:
                reached.add(names[y])
        expected = {f"D{channel}" for channel in rewired.channels}
        assert reached == set(names.values()) == expected, which
        shown = {line.split(" D")[1].split()[0] for line in text[1:] if "+-" in line}
        capture = {wire.stimulus_pin for wire in fixture.wires if wire.signal == RESPONSE}
        wanted = {name[1:] for name in expected | (capture if rewired.capture else set())}
        assert shown == wanted
        assert text[1].startswith(fixture.wires[0].stimulus_pin)
        assert sum("Off for this step" in line for line in text) == svg.count("off for this step")
        assert max(map(len, text)) <= 100
    assert count >= len(STEPS) * len(load_boards("target"))
