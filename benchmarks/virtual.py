# SPDX-License-Identifier: GPL-3.0-or-later
"""Processor time of the virtual bench, against the emulated microcontroller alone.

Alone it sends the same train, gets its answers beforehand and hands over its captures; what it is
spared are samples, target, host, run file and figures.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import psutil

from rig.resources import emulator_binary, firmware_image
from rig.stimulus.chip import chip_named
from rig.stimulus.device import SerialStimulus
from rig.stimulus.train import Pattern, Polarity, Train
from rig.virtual.emulator import ANSWERS_MAX, Emulator
from rig.virtual.wired_target import AnswersAhead

FEW, MANY = 1000, 101_000
BEFORE = "RIG_BENCH_BEFORE"
"""Variable with the folder of an older checkout, built, to measure in the same run."""
LATENCY_PS, APART_PS = 5_000_000, 20_000_000
CHIP = chip_named("atmega328p")
CLOCK_HZ = CHIP.clock_hz
BUSY_CYCLES, STRIDE_CYCLES = CLOCK_HZ // 2000, CLOCK_HZ // 10
FETCH, FETCH_MS = 64, 500


@dataclass(frozen=True)
class Measured:
    """Seconds of processor time of all processes together."""

    few_s: float
    """Of FEW interrupts, start to report."""
    each_s: float
    """Of each further one."""
    alone_s: float
    """Of the emulated microcontroller alone, for each."""
    before_s: float | None
    """Of each further one on an older checkout; None: none was named."""


def measured(folder: Path) -> Measured:
    """All of it in one run."""
    older = os.environ.get(BEFORE)
    few_s, each_s = _few_and_each_s(folder)
    before_s = None if older is None else _few_and_each_s(folder, Path(older))[1]
    return Measured(few_s, each_s, _emulator_s(MANY) / MANY, before_s)


def lines(folder: Path) -> Iterator[str]:
    """The same in words."""
    found = measured(folder)
    each_s, alone_s = found.each_s, found.alone_s
    yield (
        f"virtual bench    {found.few_s:.1f} s of processor time for {FEW} interrupts, start to "
        "report"
    )
    yield (
        f"virtual bench    {each_s * 1e6:.0f} us of processor time for each further interrupt, "
        f"{each_s / alone_s:.1f} x the emulated microcontroller alone ({alone_s * 1e6:.0f} us)"
    )
    if found.before_s is not None:
        yield (
            f"virtual bench    {found.before_s * 1e6:.0f} us before: "
            f"{found.before_s / each_s:.2f} times as much"
        )


def _few_and_each_s(folder: Path, checkout: Path | None = None) -> tuple[float, float]:
    own = folder / ("now" if checkout is None else "before")
    own.mkdir()
    few_s, many_s = (_run_s(own / f"{count}.h5", count, checkout) for count in (FEW, MANY))
    return few_s, (many_s - few_s) / (MANY - FEW)


def _run_s(path: Path, count: int, checkout: Path | None) -> float:
    """Of `rig run` and all that it starts, of this checkout or another."""
    before_s = _children_s()
    command = [sys.executable, "-c", "import sys; from rig.cli.main import main; sys.exit(main())"]
    command += ["run", "interrupt", "--fixture", "virtual"]
    command += ["--quiet", "--count", str(count), "--out", os.fspath(path)]
    environment = os.environ if checkout is None else {**os.environ, "PYTHONPATH": str(checkout)}
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=checkout, env=environment)
    return _children_s() - before_s


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _emulator_s(count: int) -> float:
    """Of the emulator, for the train of plan `interrupt`."""
    train = Train(
        Pattern.UNIFORM,
        count,
        seed=1,
        delay_ticks=160_000,
        polarity=Polarity.POSITIVE,
        width_ticks=160,
        interval_min_ticks=3_200,
        interval_max_ticks=28_800,
    )
    with Emulator.start(emulator_binary(), firmware_image(CHIP.name)) as emulator:
        host = threading.Thread(target=_converse, args=(emulator.pty, train))
        host.start()
        _advance(emulator, host)
        used = psutil.Process(emulator.pid).cpu_times()
    return float(used.user + used.system)


def _converse(port: str, train: Train) -> None:
    with SerialStimulus.open(port, CHIP) as stimulus:
        stimulus.configure(train)
        stimulus.start()
        while stimulus.fetch(FETCH, FETCH_MS).running:
            pass


def _advance(emulator: Emulator, host: threading.Thread) -> None:
    """Grant time as the virtual bench does, until the host has all captures."""
    latency_ps = np.full(ANSWERS_MAX, LATENCY_PS, np.int64)
    report, free_ps, level = emulator.run(0), 0, 1
    while host.is_alive():
        ahead = AnswersAhead(latency_ps, free_ps, APART_PS, rising=True, level=level)
        armed = report.train_armed
        report = emulator.run(
            report.cycle + (STRIDE_CYCLES if armed else BUSY_CYCLES),
            answers=ahead if armed else None,
            hold_ms=2000 if armed else 0,
            hold_after_cycles=CLOCK_HZ // 1000,
        )
        answers_ps = report.answers_ps
        if len(answers_ps):
            free_ps, level = int(answers_ps[-1]) + APART_PS, level ^ len(answers_ps) & 1
