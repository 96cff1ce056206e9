# SPDX-License-Identifier: GPL-3.0-or-later
"""`rig sample-size` as a user types it."""

from __future__ import annotations

import json

import pytest

from rig.cli.main import main
from tests.cli.command import rig

WORDS = ["--limit", "100us", "--probability", "1e-6", "--confidence", "0.95", "--rate", "1kHz"]


def changed(option, value):
    words = list(WORDS)
    words[words.index(option) + 1] = value
    return words


def test_how_long_in_words():
    ended = rig("sample-size", *WORDS)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith("2,995,731 events: 49 min 56 s at 1 kHz\n")
    assert "longer than 100 us" in ended.stdout


@pytest.mark.parametrize(
    ("option", "value", "duration"),
    [
        ("--probability", "1e-9", "34 d 16 h"),
        ("--probability", "0.9", "1 s"),
        ("--confidence", "0.99", "1 h 16 min"),
        ("--rate", "2995731 Hz", "1 s"),
    ],
)
def test_durations_read_well(option, value, duration, capsys):
    assert main(["sample-size", *changed(option, value)]) == 0
    assert f"events: {duration} at " in capsys.readouterr().out


def test_the_former_name_is_understood(capsys):
    assert main(["length", *WORDS]) == 0
    former = capsys.readouterr().out
    assert main(["sample-size", *WORDS]) == 0
    assert capsys.readouterr().out == former


def test_json(capsys):
    assert main(["sample-size", *WORDS, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["events"] == 2_995_731
    assert document["limit_ps"] == 100_000_000
    assert document["bound"] <= 1e-6


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--limit", "100", 'rig: --limit: "100" is not a number and a unit; valid: such as'),
        ("--limit", "0 us", 'rig: --limit: "0 us" is zero'),
        ("--rate", "1 ms", 'rig: --rate: "ms" is not a unit of rate'),
        ("--probability", "0", 'rig: --probability: "0"; valid: above 0 and below 1'),
        ("--probability", "nan", 'rig: --probability: "nan"; valid'),
        ("--probability", "1e-300", "ask for a larger one"),
        ("--confidence", "95", 'rig: --confidence: "95"; valid: above 0 and below 1, such as 0.95'),
    ],
)
def test_bad_input_gets_one_line(option, value, words, capsys):
    assert main(["sample-size", *changed(option, value)]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    (line,) = told.err.splitlines()
    assert words in line
