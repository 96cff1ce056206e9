# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings changed with digests computed again: seen by the texts that they follow from."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rig.config.fixture import load_fixture
from rig.config.plan import load_plan
from rig.errors import InputError
from rig.record.reader import RunFile
from rig.resources import plan_names
from rig.session.settings import settings_of
from rig.session.settings_check import checked_settings, contradictions
from tests.record.test_digests import CLOCK_HZ, RATE_HZ, TICK_HZ, run_file, texts_of
from tests.resealing import resealed


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run_file(tmp_path_factory.mktemp("settings") / "run.h5")


def leaves(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    if isinstance(value, dict) and value:
        for name, below in value.items():
            yield from leaves(below, (*path, name))
    else:
        yield path


def other(value: Any) -> Any:
    """A value of the same type that is not this one, as small a change as can be."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, str):
        return {"UNIF": "PER", "POS": "NEG"}.get(value, value + "x")
    more = {float: lambda: value * 1.01, list: lambda: [*value, 7], dict: lambda: {"handler": "x"}}
    return more.get(type(value), lambda: 5)()


def message_of(path: Path) -> str:
    with RunFile(path) as file, pytest.raises(InputError) as refused:
        checked_settings(file)
    return str(refused.value)


def test_what_a_run_writes_is_accepted(finished: Path) -> None:
    with RunFile(finished) as file:
        assert checked_settings(file).sample_rate_hz == RATE_HZ


def test_every_setting_is_compared(finished: Path, tmp_path: Path) -> None:
    path = Path(shutil.copyfile(finished, tmp_path / "run.h5"))
    with RunFile(finished) as file:
        settings = file.settings
    keys = list(leaves(settings))
    assert len(keys) > 30
    for key in keys:
        changed = json.loads(json.dumps(settings))
        place = changed
        for name in key[:-1]:
            place = place[name]
        place[key[-1]] = other(place[key[-1]])
        with resealed(path) as file:
            file["settings"][()] = json.dumps(changed)
        message = message_of(path)
        assert key[-1] in message or "damaged run file, settings: " in message, key


@pytest.mark.parametrize(
    ("text", "old", "new", "said"),
    [
        ("plan", 'scenario = "idle"', 'scenario = "cpu"', "settings have scenario = 'idle', from"),
        ("plan", "seed = 1", "seed = 2", "settings have source.seed"),
        ("plan", "[plan]", "[plans]", "cannot be compared with what they follow from: its plan"),
        ("fixture", "[fixture]", "", "cannot be compared with what they follow from: its fixture"),
        ("overrides", "40", "41", "settings have source.count = 40, from its plan follows 41"),
        ("overrides", "40", '"40"', "overrides has count = '40'"),
        ("environment/analyzer", "24000000", "24000001", "sample_rate_hz = 24000001"),
        ("fixture", '"24 MHz"', '"25 MHz"', "sample_rate_hz = 24000000, its fixture 25000000"),
        ("environment/stimulus", "16000000", "16000001", "clock_hz = 16000001"),
        ("environment/target", "1000000000", "2000000000", "tick_hz = 2000000000"),
        ("environment/target", "1000000000", "null", "environment/target has tick_hz = None"),
        ("environment/target", "{", "[{", "environment/target is not a JSON object"),
    ],
)
def test_every_text_is_compared(
    finished: Path, tmp_path: Path, text: str, old: str, new: str, said: str
) -> None:
    path = Path(shutil.copyfile(finished, tmp_path / "run.h5"))
    with resealed(path) as file:
        stored = file[text].asstr()[()]
        assert old in stored
        file[text][()] = stored.replace(old, new)
    assert said in message_of(path)


def test_a_rate_that_the_fixture_does_not_ask_for_is_seen(finished: Path, tmp_path: Path) -> None:
    """Changed with the settings that follow from it: the fixture still tells the other."""
    path = Path(shutil.copyfile(finished, tmp_path / "run.h5"))
    with resealed(path) as file:
        for name in ("environment/analyzer", "settings"):
            text = file[name].asstr()[()]
            assert text.count(f'"sample_rate_hz": {RATE_HZ}') == 1
            file[name][()] = text.replace(str(RATE_HZ), str(RATE_HZ + 1))
    assert f"analyzer has sample_rate_hz = {RATE_HZ + 1}, its fixture {RATE_HZ}" in message_of(path)


@pytest.mark.parametrize(
    ("said", "seen"), [(0, False), (1, True), (-1, True), (None, False), ("1", True)]
)
def test_the_samples_that_the_analyzer_told_are_those_stored(
    finished: Path, tmp_path: Path, said: int | str | None, seen: bool
) -> None:
    """`said`: so many more than there are; None: nothing."""
    path = Path(shutil.copyfile(finished, tmp_path / "run.h5"))
    with resealed(path) as file:
        covered = int(file["edges/covered"][0])
        report = json.loads(file["report"][0])
        report["samples"] = covered + said if isinstance(said, int) else said
        file["report"][0] = json.dumps(report).encode()
    if seen:
        assert f"edges/covered {covered}: one of the two was changed" in message_of(path)
    else:
        with RunFile(path) as stored:
            checked_settings(stored)


@pytest.mark.parametrize("name", plan_names())
def test_every_built_in_plan_is_its_own(name: str) -> None:
    """With and without another count; no false alarm."""
    fixture = load_fixture("virtual")
    for count in (None, 500):
        plan = load_plan(name).with_overrides(count)
        settings = settings_of(plan, fixture, RATE_HZ, CLOCK_HZ, TICK_HZ)
        texts = {**texts_of(), "plan": plan.text, "overrides": json.dumps(dict(plan.overrides))}
        assert contradictions(texts, settings) == []
