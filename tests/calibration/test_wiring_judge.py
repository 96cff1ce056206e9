# SPDX-License-Identifier: GPL-3.0-or-later
"""What the wiring check says of wires whose faults are known, on paper: every fault, every pair."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.findings import Finding
from calibration.wiring.drawing import drawing
from calibration.wiring.judge import findings
from calibration.wiring.observed import EdgeBurst
from calibration.wiring.rewritten import rewritten
from rig.config.fixture import Fixture, parse_fixture
from rig.errors import InputError
from tests.calibration.wired import judged_on_paper, observe_on_paper, wired_fixture

WIRED = {0: "stimulus", 1: "response", 2: "sequence0", 3: "sequence1", 4: "sequence2"}
UNUSED = (5, 6, 7)
ONE_CHANNEL = {
    "open": "open",
    "stuck_low": "open",
    "stuck_high": "stuck high",
    "invert": "inverted",
    "no_rising": "one way",
    "no_falling": "one way",
}
"""Name of the finding by key of the fault."""


def faults_of(found: tuple[Finding, ...]) -> list[tuple[str, set[str]]]:
    return [(each.kind, set(each.signals)) for each in found if each.fault]


@pytest.mark.parametrize("seed", range(200))
def test_healthy_wires_raise_no_alarm(seed):
    assert judged_on_paper("", seed) == ()


@pytest.mark.parametrize(("a", "b"), list(combinations(WIRED, 2)))
def test_every_swapped_pair_is_named(a, b):
    found = judged_on_paper(f'swap = "D{a} D{b}"')
    assert faults_of(found) == [("swapped", {WIRED[a], WIRED[b]})]
    assert f"D{a}" in found[0].text
    assert f"D{b}" in found[0].text


@pytest.mark.parametrize(("a", "b"), [(a, b) for a in WIRED for b in UNUSED])
def test_every_wire_on_another_channel_is_named(a, b):
    assert faults_of(judged_on_paper(f'swap = "D{a} D{b}"')) == [("moved", {WIRED[a]})]


@pytest.mark.parametrize(("a", "b"), list(combinations(WIRED, 2)))
def test_every_pair_that_touches_is_named(a, b):
    found = faults_of(judged_on_paper(f'short = "D{a} D{b}"'))
    assert found == [("shorted", {WIRED[a], WIRED[b]})]


@pytest.mark.parametrize("channel", list(WIRED))
@pytest.mark.parametrize("key", list(ONE_CHANNEL))
def test_every_fault_of_one_wire_is_named(key, channel):
    found = judged_on_paper(f'{key} = "D{channel}"')
    assert faults_of(found) == [(ONE_CHANNEL[key], {WIRED[channel]})]
    assert all(each.remedy for each in found)


@pytest.mark.parametrize(
    ("key", "kind", "signal"),
    [
        ("interrupt_open", "interrupt open", "stimulus"),
        ("capture_open", "capture open", "response"),
    ],
)
def test_wires_that_do_not_reach_the_other_ends_are_named(key, kind, signal):
    assert faults_of(judged_on_paper(f"{key} = true")) == [(kind, {signal})]


@pytest.mark.parametrize(
    "rate", ["50 kHz", "1 MHz", "10 MHz", "12 MHz", "23.5 MHz", "25 MHz", "48 MHz", "100 MHz"]
)
def test_another_rate_is_named_and_misleads_about_no_wire(rate):
    found = judged_on_paper(f'analyzer_rate = "{rate}"')
    assert [each.kind for each in found] == ["wrong rate"]
    told_mhz = float(found[0].text.split(" at ")[1].split(" MHz")[0])
    wanted_mhz = float(rate.split()[0]) * {"kHz": 1e-3, "MHz": 1}[rate.split()[1]]
    assert told_mhz == pytest.approx(wanted_mhz, rel=1e-2)


@pytest.mark.parametrize("key", ["open", "stuck_low"])
@pytest.mark.parametrize(
    ("channel", "deaf", "listener"),
    [(0, "interrupt_open", "the target"), (1, "capture_open", "the microcontroller")],
)
def test_a_second_listener_tells_an_open_clip_from_a_short(key, channel, deaf, listener):
    """A wire that the other end hears is not shorted; one that nobody hears may be anything."""
    fault = f'{key} = "D{channel}"'
    (alone,) = judged_on_paper(fault)
    assert f"though {listener} sees them" in alone.text
    assert "not shorted" in alone.text
    found = judged_on_paper(f"{fault}\n{deaf} = true")[0]
    assert f"nor does {listener} see any" in found.text
    for each in ("open", "shorted to ground", "another output", "level too low"):
        assert each in found.text
    assert "with a meter" in found.remedy


def test_a_wire_with_one_listener_names_all_candidates():
    (found,) = judged_on_paper('open = "D3"')
    assert "nor does" not in found.text
    assert "shorted to ground" in found.text
    assert "with a meter" in found.remedy


def test_an_unused_channel_that_hears_a_wire_is_no_fault():
    found = judged_on_paper('short = "D2 D6"')
    assert [(each.kind, each.fault) for each in found] == [("bridged", False)]


@pytest.mark.parametrize(("edges", "level"), [(1, 1), (2, 1), (8, 1), (13, 0)])
def test_edges_that_nobody_drove_are_told(edges, level):
    fixture = wired_fixture()
    seen = observe_on_paper(fixture)
    late = max(burst.last for burst in seen.bursts[4]) + 10**7
    noise = EdgeBurst(late, late + 50 * edges, edges, level)
    noisy = replace(seen, bursts={**seen.bursts, 2: (*seen.bursts[2], noise)})
    assert faults_of(findings(fixture, noisy)) == [("noisy", {"sequence0"})]
    garbled = replace(seen, bursts={**seen.bursts, 2: (noise, noise)})
    kind = "one way" if edges == 1 else "garbled"
    assert faults_of(findings(fixture, garbled)) == [(kind, {"sequence0"})]


@given(st.lists(st.sampled_from(sorted(WIRED)), min_size=2, max_size=5, unique=True), st.data())
def test_several_faults_at_once_are_each_named(channels, data):
    keys = {c: data.draw(st.sampled_from(sorted(ONE_CHANNEL))) for c in channels}
    lines = "\n".join(
        f'{key} = "{" ".join(f"D{c}" for c in channels if keys[c] == key)}"'
        for key in sorted(set(keys.values()))
    )
    expected = {WIRED[c]: ONE_CHANNEL[key] for c, key in keys.items()}
    found = judged_on_paper(lines)
    assert {each.signals[0]: each.kind for each in found if each.fault} == expected


# --- the fixture as found ----------------------------------------------------------------------


def channels_of(fixture: Fixture) -> dict[str, int]:
    return {wire.signal: wire.channel for wire in fixture.wires}


@pytest.mark.parametrize(("a", "b"), list(permutations(range(8), 2))[::3])
def test_the_fixture_as_found_has_no_fault_left(a, b):
    fixture = wired_fixture(f'swap = "D{a} D{b}"')
    text = rewritten(fixture, observe_on_paper(fixture))
    found = parse_fixture(text, "found")
    there = {a: b, b: a}
    assert channels_of(found) == {s: there.get(c, c) for c, s in WIRED.items()}
    # Now that what is driven is what it says, only the comments and channels differ.
    before, after = fixture.text.splitlines(), text.splitlines()
    changed = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    assert all(old.startswith(("channel = ", "swap = ")) for old, _ in changed)
    assert findings(found, observe_on_paper(found)) == ()


@pytest.mark.parametrize("faults", ['open = "D1"', 'short = "D0 D1"', 'invert = "D2"'])
def test_no_fixture_is_made_of_wires_that_are_broken(faults):
    fixture = wired_fixture(faults)
    assert rewritten(fixture, observe_on_paper(fixture)) == ""


def test_the_drawing_shows_both_sides():
    fixture = wired_fixture('swap = "D0 D1"\ninvert = "D3"\nopen = "D4"')
    seen = observe_on_paper(fixture)
    lines = drawing(fixture, seen, findings(fixture, seen)).splitlines()
    assert [line.split() for line in lines[1:]] == [
        ["stimulus", "microcontroller", "D9", "---", "D0", "---", "D1", "swapped"],
        ["response", "target", "D0", "(2)", "---", "D1", "---", "D0", "swapped"],
        ["sequence0", "target", "D1", "(3)", "---", "D2", "---", "D2", "ok"],
        ["sequence1", *["target", "D2", "(4)", "---", "D3", "---", "D3", "inverted", "inverted"]],
        ["sequence2", "target", "D3", "(5)", "---", "D4", "-/-", "open"],
    ]


# --- the keys ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ('swap = "D0"', "swap"),
        ('swap = "D0 D0"', "swap"),
        ('swap = "D0 D1 D2"', "swap"),
        ('open = "1"', "open"),
        ('open = "D14"', "D14"),
        ('analyzer_rate = "1 GHz"', "analyzer_rate"),
        ('loose = "D1"', "loose"),
        ("interrupt_open = 1", "interrupt_open"),
    ],
)
def test_a_key_that_makes_no_sense_is_refused_in_one_line(line, word):
    with pytest.raises(InputError) as refusal:
        wired_fixture(line)
    text = str(refusal.value)
    assert word in text
    assert "valid" in text
    assert "\n" not in text
