# SPDX-License-Identifier: GPL-3.0-or-later
"""The product's firmware in the emulator, on a serial port of its own."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from rig.arrays import Int64Array
from rig.stimulus.chip import StimulusChip
from rig.stimulus.device import SerialStimulus
from tests.chip import CHIP
from tests.made import make

FIRMWARE = Path(__file__).parents[2] / "firmware"
IMAGE = FIRMWARE / "image" / "stimulus-atmega328p.hex"


UNLIMITED_TICKS = 60
UNLIMITED = replace(
    CHIP,
    limits=replace(
        CHIP.limits,
        width_ticks=(UNLIMITED_TICKS, CHIP.limits.width_ticks[1]),
        rest_ticks=UNLIMITED_TICKS,
        interval_ticks={
            name: (UNLIMITED_TICKS, most) for name, (_, most) in CHIP.limits.interval_ticks.items()
        },
    ),
)
"""What `unlimited_image` says of itself."""


@dataclass(frozen=True)
class Edges:
    """Level changes of the stimulus pin, in cycles of the chip."""

    rising: Int64Array
    falling: Int64Array


@dataclass
class Bench:
    """An emulator that runs freely, and the host's end of its serial port."""

    stimulus: SerialStimulus
    process: subprocess.Popen[str]
    log: Path

    def edges(self) -> Edges:
        """End the emulator and read what left the pin."""
        self.stimulus.close()
        self.process.terminate()
        self.process.wait(timeout=20)
        rows = [line.split() for line in self.log.read_text().splitlines()]
        cycles = {
            level: [int(c) for c, line, at in rows if (line, at) == ("S", level)] for level in "01"
        }
        return Edges(np.array(cycles["1"], dtype=np.int64), np.array(cycles["0"], dtype=np.int64))


@contextmanager
def emulated(
    binary: Path,
    image: Path,
    log: Path,
    mode: str,
    echo_cycles: int | None,
    chip: StimulusChip = CHIP,
) -> Iterator[Bench]:
    """Start the emulator, reap it in any case."""
    command = [binary, "--firmware", image, "--mode", mode, "--edge-log", log]
    if echo_cycles is not None:
        command += ["--echo-cycles", str(echo_cycles)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            word, port = process.stdout.readline().split()
            assert word == "PTY"
            with SerialStimulus.open(port, chip) as stimulus:
                yield Bench(stimulus, process, log)
        finally:
            process.terminate()
            process.wait(timeout=20)


@pytest.fixture(scope="session")
def emulator_binary() -> Path:
    """Built once a session."""
    make(FIRMWARE / "emulator")
    return FIRMWARE / "emulator" / "build" / "rig-emulator"


@pytest.fixture
def start(emulator_binary: Path, tmp_path: Path) -> Iterator[Callable[..., Bench]]:
    """Start a firmware; `echo_cycles` after each edge of the stimulus the response pin follows.

    In mode "fast" the chip does not wait for the host, which may then fetch too late.
    """
    with ExitStack() as stack:

        def begin(image: Path = IMAGE, mode: str = "fast", echo_cycles: int | None = None) -> Bench:
            log = tmp_path / "edges.txt"
            chip = CHIP if image == IMAGE else UNLIMITED
            bench = emulated(emulator_binary, image, log, mode, echo_cycles, chip)
            return stack.enter_context(bench)

        yield begin


@pytest.fixture(scope="session")
def unlimited_image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The firmware without its lower limits, to see what it does beyond them."""
    folder = tmp_path_factory.mktemp("unlimited")
    for name in ("core", "avr"):
        shutil.copytree(FIRMWARE / name, folder / name)
    shutil.copyfile(FIRMWARE / "Makefile", folder / "Makefile")
    chip = folder / "avr/atmega328p/chip.h"
    limits = chip.read_text().splitlines()
    lowers = re.compile("(?<!DELAY)_MIN_TICKS")
    lowered = [
        f"#define {line.split()[1]} {UNLIMITED_TICKS}UL" if lowers.search(line) else line
        for line in limits
    ]
    chip.write_text("\n".join(lowered) + "\n")
    subprocess.run(["make", "--silent", "-C", folder], check=True, timeout=100)
    return folder / "build" / IMAGE.name
