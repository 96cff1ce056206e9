# SPDX-License-Identifier: GPL-3.0-or-later
"""Host and firmware compute the same train: numpy against the firmware's own C."""

from __future__ import annotations

import ctypes
import subprocess
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings

from rig.arrays import Int64Array
from rig.stimulus.chip import described
from rig.stimulus.train import PATTERNS, Pattern, Polarity, Train
from tests.chip import CHIP
from tests.stimulus.train_strategies import trains

FIRMWARE = Path(__file__).parents[2] / "firmware"


class Settings(ctypes.Structure):
    """struct train_settings."""

    _fields_ = [
        *((field.name, ctypes.c_uint32) for field in fields(Train)),
        ("room", ctypes.c_uint32 * 4),
    ]


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    build = tmp_path_factory.mktemp("core")
    subprocess.run(
        ["make", "-s", "-C", FIRMWARE, f"BUILD={build}", "host-lib"], check=True, timeout=100
    )
    return ctypes.CDLL(str(build / f"host-{CHIP.name}/libstimulus-core.so"))


def settings_of(train: Train) -> Settings:
    values = {name: getattr(train, name) for name, _ in Settings._fields_[:-1]}
    values["pattern"] = list(PATTERNS).index(train.pattern)
    values["polarity"] = list(Polarity).index(train.polarity)
    return Settings(**values)


def core_edges(core: ctypes.CDLL, train: Train) -> Int64Array:
    """Planned leading edges as the firmware's interrupt makes them from its words."""
    steps = ctypes.create_string_buffer(256)  # struct steps
    ring = (ctypes.c_uint16 * 128)()
    settings_c = settings_of(train)
    core.steps_fill.restype = ctypes.c_uint8
    core.steps_begin(steps, ctypes.byref(settings_c))
    words: list[int] = []
    while made := core.steps_fill(steps, ring, 0, 128):
        words += ring[:made]
    assert words[-1] == 0x8000
    waits = np.array(words[:-1], dtype=np.int64)
    leading = waits < 0x8000
    lead_ticks = 400
    arrived = lead_ticks + np.cumsum(waits & 0x7FFF)
    widths = (np.cumsum(leading) - leading) * train.width_ticks  # trailing edges before each
    return (arrived + widths)[leading]


@given(trains())
@example(
    Train(
        Pattern.POISSON,
        3000,
        1,
        1600,
        160,
        Polarity.POSITIVE,
        interval_min_ticks=1600,
        interval_mean_ticks=1600,
    )
)
@example(
    Train(
        Pattern.RAMP,
        3,
        1,
        1600,
        160,
        Polarity.POSITIVE,
        ramp_start_ticks=1600,
        ramp_stop_ticks=16_000_000,
    )
)
@example(
    Train(
        Pattern.BURST,
        3000,
        1,
        1600,
        160,
        Polarity.POSITIVE,
        period_ticks=320,
        burst_count=1,
        burst_spacing_ticks=320,
    )
)
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_edges_are_the_firmware_s(core: ctypes.CDLL, train: Train) -> None:
    edges = core_edges(core, train)
    assert np.array_equal(edges, train.edges(0, train.count))


@given(trains())
@settings(max_examples=100)
def test_firmware_accepts_what_the_host_accepts(core: ctypes.CDLL, train: Train) -> None:
    settings_c = settings_of(train)
    assert core.train_check(ctypes.byref(settings_c)) == 0
    core.train_shortest_ticks.restype = ctypes.c_uint32
    assert core.train_shortest_ticks(ctypes.byref(settings_c)) == train.shortest_interval_ticks


def test_the_description_is_the_firmware_s(core: ctypes.CDLL) -> None:
    """What is stored beside the image is what these sources say."""
    for byte in b"SYST:CHIP?\n":
        core.scpi_input(byte)
    said = ctypes.string_at(ctypes.addressof(ctypes.c_char.in_dll(core, "fake_port"))).decode()
    assert described(said.strip()) == CHIP
    assert sorted(CHIP.limits.interval_ticks) == sorted(PATTERNS)
