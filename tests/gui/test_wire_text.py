# SPDX-License-Identifier: GPL-3.0-or-later
"""What the Wire page does without widgets: checking, changing and storing a fixture's text."""

from __future__ import annotations

import stat
import tomllib
from dataclasses import asdict
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui.pages.wire.bench_file import open_bench_file, save_bench_file
from gui.pages.wire.checking import check_text
from gui.pages.wire.editing import set_text
from gui.pages.wire.geometry import arrange
from gui.pages.wire.labels import short_rate, wire_words
from gui.pages.wire.levels import CHANNELS_MAX, KIND, ChannelLevels, levels_of
from gui.pages.wire.levels_process import levels_after
from gui.pages.wire.probe_process import ProbeResult
from gui.processes.messages import Message, Unpacker, packed
from rig.config.fixture import load_fixture
from rig.errors import InputError
from rig.instruments import EdgeBlock
from rig.resources import find_fixture, fixture_names
from rig.services.finding import DoctorFinding
from rig.untrusted.decode import decoded
from tests.cli.command import rig

FX2 = find_fixture("parallel-port-fx2").read_text()


@pytest.mark.parametrize("name", fixture_names())
def test_every_built_in_fixture_is_checked_and_its_wires_are_found(name):
    text = find_fixture(name).read_text()
    checked = check_text(text, name)
    assert (checked.message, checked.line) == ("", None)
    lines = text.split("\n")
    for at, (line, wire) in enumerate(zip(checked.wire_lines, checked.fixture.wires, strict=True)):
        assert lines[line - 1] == "[[wire]]"
        assert lines[line].startswith(f'signal = "{wire.signal}"')
        assert checked.wire_at(line) == at
        assert checked.wire_at(line + 2) == at
    assert checked.wire_at(1) is None


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ('channel = "D9"', 'channel = "D1"'),
        ('chanel = "D1"', 'channel = "D1"'),
        ('signal = "sequence0"', 'signal = "sequence1"'),
        ("channels =", "channels = 8"),
        ('link = "tcp:192.0.2.1:0"', 'link = "tcp:192.0.2.1:7411"'),
    ],
)
def test_a_wrong_line_is_named_in_the_words_of_the_command_line(tmp_path, wrong, right):
    text = FX2.replace(right, wrong, 1)
    file = tmp_path / "bench.toml"
    file.write_text(text)
    printed = rig("run", "interrupt", "--fixture", file)
    checked = check_text(text, str(file))
    assert checked.fixture is None
    assert printed.stderr.strip() == f"rig: {checked.message}"
    assert text.split("\n")[checked.line - 1].strip().startswith(wrong)


def test_an_error_of_the_whole_file_marks_no_line():
    checked = check_text("", "odd\n:7: name.toml")
    assert "[fixture]" in checked.message
    assert checked.line is None


VALUES = st.text(st.characters(blacklist_categories=("Cs",)), max_size=40)


@given(VALUES, st.sampled_from([("stimulus", "port"), ("analyzer", "driver"),
                                ("analyzer", "connection"), ("fixture", "title")]))  # fmt: skip
def test_one_value_is_set_and_nothing_else_changes(value, place):
    table, key = place
    try:
        changed = set_text(FX2, table, key, value)
    except ValueError:
        assert not value.isprintable()  # what JSON writes in a way that TOML does not read
        return
    before, after = tomllib.loads(FX2), tomllib.loads(changed)
    assert after[table].pop(key) == value
    before[table].pop(key, None)
    assert after == before
    old, new = FX2.split("\n"), changed.split("\n")
    if len(new) > len(old):
        assert [line for line in new if not line.startswith(f"{key} =")] == old
    for before_line, line in zip(old, new, strict=False):
        if line != before_line and len(new) == len(old):
            assert line.endswith(before_line.partition("#")[2])


@pytest.mark.parametrize(
    "text", ["", "[stimulus]\nport = 7", '[stimulus]\nport = """\n/dev/a"""', "[stimulus"]
)
def test_what_cannot_be_set_is_refused(text):
    with pytest.raises(ValueError, match=r".+"):
        set_text(text, "stimulus", "port", "/dev/ttyUSB0")


def test_a_built_in_fixture_is_never_written(tmp_path):
    place = find_fixture("virtual")
    before = place.read_bytes()
    link = tmp_path / "link.toml"
    link.symlink_to(place)
    for path in (place, link, place.with_name("new.toml")):
        with pytest.raises(InputError, match="built-in fixtures, which stay"):
            save_bench_file(path, "x")
    assert place.read_bytes() == before
    assert not place.with_name("new.toml").exists()


def test_a_file_is_stored_whole_with_its_ends_of_lines_and_rights(tmp_path):
    file = tmp_path / "bench.toml"
    file.write_bytes(FX2.replace("\n", "\r\n").encode())
    file.chmod(0o640)
    opened = open_bench_file(str(file))
    assert opened.text == FX2
    stored = save_bench_file(file, opened.text + "# more\n", opened.newline)
    assert file.read_bytes() == (FX2 + "# more\n").replace("\n", "\r\n").encode()
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert not stored.is_changed_on_disk()
    file.write_text("other")
    assert stored.is_changed_on_disk()
    assert [path.name for path in tmp_path.iterdir()] == ["bench.toml"]


def test_a_place_that_cannot_be_written_is_told(tmp_path):
    with pytest.raises(InputError, match=r"cannot be written .* another folder"):
        save_bench_file(tmp_path / "nowhere" / "bench.toml", FX2)


@pytest.mark.parametrize("name", fixture_names())
def test_the_picture_has_no_two_things_in_one_place(name):
    fixture = load_fixture(name)
    scene = arrange(fixture, 640, 390)
    levels = [path.y for path in scene.paths]
    taps = sorted(path.tap for path in scene.paths)
    assert levels == sorted(levels)
    assert all(b - a >= 16 for a, b in pairwise(levels))
    assert all(b - a >= 20 for a, b in pairwise(taps))
    assert scene.analyzer.bottom <= 390
    for at, path in enumerate(scene.paths):
        assert scene.stimulus.right <= path.left <= path.tap < path.right == scene.target.x
        assert scene.analyzer.x < path.tap < scene.analyzer.right
        assert scene.wire_at(path.right - 3, path.y) == at
        assert scene.wire_at(path.tap, path.bottom) == at
        crossed = [
            other.wire.signal
            for other in scene.paths
            if other.y > path.y and other.left < path.tap < other.right
        ]
        assert crossed == (["response"] if path.wire.signal == "stimulus" else [])


def test_a_wire_in_words():
    stimulus, response, first, *_ = load_fixture("parallel-port-fx2").wires
    assert wire_words(stimulus) == (
        "stimulus, yellow: analyzer D0, microcontroller D9 (OC1A), target nACK (10)"
    )
    assert "microcontroller D8 (ICP1)" in wire_words(response)
    assert "microcontroller" not in wire_words(first)


EDGES = st.lists(st.tuples(st.integers(0, 15), st.booleans()), max_size=60)


@given(st.integers(0, 2**16 - 1), EDGES)
def test_levels_after_a_block_are_those_of_its_edges_one_by_one(mask, edges):
    expected = mask
    for channel, level in edges:
        expected = expected & ~(1 << channel) | level << channel
    block = EdgeBlock(
        0,
        100,
        np.arange(len(edges), dtype=np.int64),
        np.array([channel for channel, _ in edges], np.uint8),
        np.array([level for _, level in edges], np.uint8),
        mask,
    )
    assert levels_after(block) == expected


def through_pipe(message):
    (arrived,) = Unpacker().feed(packed(message))
    return arrived


def test_levels_pass_the_pipe_and_rubbish_does_not():
    levels = ChannelLevels(0b101, (*range(15), 7), 2_000, 1_000)
    assert levels_of(through_pipe(levels.message())) == levels
    assert levels.is_high(2)
    assert not levels.is_high(1)
    assert levels.edges_per_s(4) == 2.0
    good = levels.message().fields
    edges = list(good["edges"])
    for wrong in ({"samples": 0}, {"edges": edges[1:]}, {"edges": [True, *edges[1:]]},
                  {"mask": -1}, {"mask": 65536}, {"edges": None}):  # fmt: skip
        with pytest.raises(ValueError, match=r".+"):
            levels_of(through_pipe(Message(KIND, good | wrong)))
    with pytest.raises(ValueError, match=r".+"):
        levels_of(Message(KIND))
    assert len(levels.edges) == CHANNELS_MAX


A_FINDING = DoctorFinding("fx2lafw", "found", driver="fx2lafw")


@pytest.mark.parametrize("found", [None, {}, [1], [{"what": "x"}], [asdict(A_FINDING)] * 1001])
def test_findings_that_are_none_are_refused(found):
    assert decoded(ProbeResult, {"findings": [asdict(A_FINDING)]}).findings == (A_FINDING,)
    with pytest.raises(ValueError, match=r".+"):
        decoded(ProbeResult, {"findings": found})


def test_rates_are_short():
    rates = (0, 12, 950, 1_234, 9_990, 25_000, 3_100_000)
    assert [short_rate(rate) for rate in rates] == ["0", "12", "950", "1.2k", "10k", "25k", "3.1M"]
