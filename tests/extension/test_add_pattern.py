# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/how-to/add-a-stimulus-pattern.md: a pattern that no plan could ask for before."""

from __future__ import annotations

import shutil
import subprocess
import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rig.arrays import Int64Array
from rig.config.check import check
from rig.config.fixture import Fixture, load_fixture
from rig.config.plan import Plan, parse_plan
from rig.errors import InputError
from rig.measurements.stored_settings import settings_from_json, settings_to_json
from rig.resources import find_plan
from rig.session.settings import settings_of
from rig.stimulus.chip import StimulusChip, described
from rig.stimulus.train import PATTERNS, IntervalPattern, Train, Uniform
from tests.chip import CHIP, CLOCK_HZ
from tests.firmware.conftest import FIRMWARE, emulated


class Alternating(IntervalPattern):
    """A short interval, a long one, and so on."""

    name, mnemonic = "alternating", "ALT"
    parameters, order = Uniform.parameters, Uniform.order

    def shortest_ticks(self, train: Train) -> int:
        return train.interval_min_ticks

    def mean_ticks(self, train: Train) -> float:
        return (train.interval_min_ticks + train.interval_max_ticks) / 2

    def intervals(self, train: Train, first: int, stop: int) -> Int64Array:
        is_short = np.arange(first, stop, dtype=np.int64) % 2 == 0
        return np.where(is_short, train.interval_min_ticks, train.interval_max_ticks)

    def repeats_every(self, train: Train) -> int:
        return 1 if train.interval_min_ticks == train.interval_max_ticks else 2


FUNCTIONS = """
static void begin_alternating(struct train_sequence *sequence,
                              const struct train_settings *settings)
{
    sequence->base_ticks = settings->parameter[INTERVAL_MIN];
    sequence->scale = settings->parameter[INTERVAL_MAX];
}

static uint32_t next_alternating(struct train_sequence *sequence, uint32_t most, uint32_t *times)
{
    (void)most;
    *times = 1;
    sequence->counter ^= 1;
    return sequence->counter ? sequence->base_ticks : sequence->scale;
}

const struct pattern pattern_table[] FLASH = {
    {"ALTern", 640, INTERVAL_MAX_TICKS, check_uniform, interval_min, begin_alternating,
     next_alternating},
"""


@pytest.fixture(autouse=True)
def alternating(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PATTERNS, "ALT", Alternating())


@pytest.fixture(scope="module")
def firmware(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the firmware, one file of it changed, and its image."""
    folder = tmp_path_factory.mktemp("alternating") / "firmware"
    shutil.copytree(FIRMWARE, folder, ignore=shutil.ignore_patterns("build", "emulator"))
    source = folder / "core" / "patterns.c"
    text = source.read_text()
    assert text.count(FUNCTIONS.splitlines()[-3]) == 1
    begin, end = text.split(FUNCTIONS.splitlines()[-3] + "\n")
    source.write_text(begin + FUNCTIONS.lstrip() + end)
    subprocess.run(["make", "--silent", "-C", folder, "image"], check=True, timeout=100)
    return folder


@pytest.fixture
def chip(firmware: Path) -> StimulusChip:
    """What the image's manifest says of it."""
    manifest = tomllib.loads((firmware / "image/stimulus-atmega328p.toml").read_text())
    return described(manifest["description"])


def plan() -> Plan:
    text = find_plan("interrupt").read_text()
    return parse_plan(text.replace('"uniform"', '"alternating"'), "alternating.toml")


def with_chip(chip: StimulusChip) -> Fixture:
    fixture = load_fixture("virtual")
    return replace(fixture, stimulus=replace(fixture.stimulus, chip=chip))


def test_a_plan_asks_for_it(chip: StimulusChip) -> None:
    assert chip.limits.interval_ticks == CHIP.limits.interval_ticks | {"ALT": (640, 160_000_000)}
    fixture = with_chip(chip)
    check(plan(), fixture)
    train = plan().train(chip)
    assert train.intervals(0, 4).tolist() == [3200, 28_800, 3200, 28_800]
    with pytest.raises(InputError, match=r"alternating.toml:\d+: \[stimulus\] pattern: "):
        check(plan(), load_fixture("virtual"))


def test_a_run_file_holds_it(chip: StimulusChip, tmp_path: Path) -> None:
    settings = settings_of(plan(), with_chip(chip), 24_000_000, CLOCK_HZ, 10**9)
    stored = settings_to_json(settings)
    assert stored["source"]["pattern"] == "ALT"
    assert settings_from_json(tmp_path / "run.h5", stored) == settings


def test_its_pulses_leave_the_pin_as_planned(
    firmware: Path, chip: StimulusChip, tmp_path: Path
) -> None:
    subprocess.run(["make", "--silent", "-C", FIRMWARE / "emulator"], check=True, timeout=100)
    binary = FIRMWARE / "emulator/build/rig-emulator"
    train = replace(plan().train(chip), count=500)
    image = firmware / "image/stimulus-atmega328p.hex"
    with emulated(binary, image, tmp_path / "edges.txt", "fast", None, chip) as bench:
        bench.stimulus.configure(train)
        bench.stimulus.start()
        while bench.stimulus.fetch(0, 100).running:
            pass
        assert bench.stimulus.status().late == 0
        rising = bench.edges().rising
    planned = train.edges(0, 500)
    assert np.array_equal(rising - rising[0], planned - planned[0])


def test_four_files_have_changed(firmware: Path) -> None:
    """One of the host (rig/stimulus/train.py, as the class above), and these three."""
    changed = [
        path.relative_to(firmware).as_posix()
        for path in sorted(firmware.rglob("*"))
        if path.is_file()
        and "build" not in path.parts
        and path.read_bytes() != (FIRMWARE / path.relative_to(firmware)).read_bytes()
    ]
    assert changed == [
        "core/patterns.c",
        "image/stimulus-atmega328p.hex",
        "image/stimulus-atmega328p.toml",
    ]
