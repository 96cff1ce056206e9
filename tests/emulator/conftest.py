# SPDX-License-Identifier: GPL-3.0-or-later
"""The emulator and the little firmwares of its tests, built once a session."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rig.virtual.emulator import Emulator
from tests.made import make

SOURCE = Path(__file__).parents[2] / "firmware" / "emulator"


@pytest.fixture(scope="session")
def build() -> Path:
    """The folder that holds `rig-emulator` and the test firmwares."""
    make(SOURCE, "tests")
    return SOURCE / "build"


@pytest.fixture
def start(build: Path) -> Iterator[Callable[..., Emulator]]:
    """Start an emulator in lockstep with a test firmware by name; ended after the test."""
    running: list[Emulator] = []

    def begin(firmware: str, response_delay_cycles: int = 0) -> Emulator:
        running.append(
            Emulator.start(
                build / "rig-emulator",
                build / f"{firmware}.hex",
                response_delay_cycles=response_delay_cycles,
            )
        )
        return running[-1]

    yield begin
    for emulator in running:
        emulator.close()
