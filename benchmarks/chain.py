# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole chain on the virtual bench, and analysis against sigrok's jitter decoder."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from time import perf_counter

from benchmarks.clock import best_s
from rig.cli.main import main as rig
from rig.config.fixture import load_fixture
from rig.config.plan import load_plan
from rig.record.reader import RunFile
from rig.session.results import read
from rig.session.run import run

COUNT = 20_000


def lines(folder: Path) -> Iterator[str]:
    """Bench time against real time; analysis against the decoder on the same capture."""
    path = folder / "run.h5"
    plan = load_plan("interrupt-soak").with_overrides(COUNT, None)
    start = perf_counter()
    failure = run(plan, load_fixture("virtual"), path, lambda _live: None, threading.Event())
    took_s = perf_counter() - start
    if failure is not None:
        raise failure
    with RunFile(path) as file:
        bench_s = file.covered_samples / file.settings["sample_rate_hz"]
    yield (
        f"virtual bench    {COUNT / took_s:6.0f} stimuli/s, {bench_s:.1f} s of bench time in "
        f"{took_s:.1f} s: {bench_s / took_s:.1f} x real time"
    )
    analyze_s = best_s(lambda: read(path), 3)
    capture = folder / "run.sr"
    with redirect_stdout(StringIO()):
        rig(["export", str(path), str(capture)])
    decoder = ["sigrok-cli", "-i", str(capture), "-B", "jitter=ascii-float", "-P"]
    decode = [*decoder, "jitter:clk=P8_45:sig=P8_46:sig_polarity=both"]
    decode_s = best_s(lambda: subprocess.run(decode, capture_output=True, check=True), 1)
    yield (
        f"analysis         {COUNT / analyze_s:6.0f} stimuli/s from a run file: "
        f"{decode_s / analyze_s:.0f} x sigrok's jitter decoder on the same capture"
    )
