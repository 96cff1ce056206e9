# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/how-to/add-an-analyzer.md: an analyzer of a package that the rig knows nothing of."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from rig.resources import find_fixture

ROOT = Path(__file__).parents[2]
MODULE = """
import numpy as np
from rig.capture.analyzers import FoundAnalyzer
from rig.closing import Closing
from rig.errors import BenchError
from rig.instruments import AnalyzerIdentity, Backlog, CaptureEnd, Datasheet, EdgeBlock


class CounterBoard(Closing):
    backlog = Backlog()

    def __init__(self, settings, channel_mask):
        channels = tuple(f"D{bit}" for bit in range(settings.channels))
        rate_hz = settings.sample_rate_hz
        self.identity = AnalyzerIdentity(settings.driver, "ACME", "C1", "1.0", rate_hz, channels)
        self._items = []

    def start(self):
        index = np.array([100, 148], np.int64)
        channel, level = np.array([0, 1], np.uint8), np.array([1, 1], np.uint8)
        self._items = [EdgeBlock(0, 1000, index, channel, level, 0), CaptureEnd(1000, True)]

    def read(self, timeout_s):
        return self._items.pop(0) if self._items else None

    def stop(self):
        pass

    def close(self):
        pass


class Kind:
    datasheet = Datasheet(2.5, 0.5, "ACME C1, data sheet")

    def open(self, settings, *, channel_mask, waits_for_host):
        if settings.connection == "absent":
            raise BenchError("counter-board: no board at absent; plug it in")
        return CounterBoard(settings, channel_mask)

    def found(self):
        return [FoundAnalyzer("ACME C1", "at bus 3"), FoundAnalyzer("ACME C1", "busy", "end it")]


KIND = Kind()
"""
SCRIPT = """
import json, sys
from rig.bench.open import open_analyzer
from rig.config.fixture import parse_fixture
from rig.errors import BenchError
from rig.services.doctor import look
from rig.session.run_error_model import bench_of

fixture = parse_fixture(open(sys.argv[1]).read(), "counter.toml")
with open_analyzer(fixture, fixture.analyzer.connection) as analyzer:
    analyzer.start()
    block, end = analyzer.read(1), analyzer.read(1)
try:
    open_analyzer(fixture, "absent")
except BenchError as error:
    refusal = str(error)
found = [f for f in look(ask_drivers=False) if f.driver == "counter-board"]
bench = bench_of(fixture, "counter-board", 24_000_000)
print(json.dumps({
    "model": analyzer.identity.model,
    "edges": block.index.tolist(),
    "samples": end.samples,
    "refusal": refusal,
    "found": [(f.what, f.state, f.mend) for f in found],
    "skew_ns": bench.skew_ns.standard_uncertainty,
    "clock_ppm": bench.clocks.analyzer.high_ppm,
}))
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A folder as an installed package: one module, and its entry point."""
    (tmp_path / "counter_board.py").write_text(MODULE)
    about = tmp_path / "counter_board-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: counter-board\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[latency_rig.analyzers]\ncounter-board = counter_board:KIND\n"
    )
    return tmp_path


def run(script: str, package: Path | None, *words: str | Path) -> subprocess.CompletedProcess[str]:
    path = [str(ROOT), *([str(package)] if package else [])]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path)}
    command = [sys.executable, "-c", script, *map(str, words)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)


def fixture_of(package: Path) -> Path:
    text = find_fixture("saleae-logic16").read_text()
    path = package / "counter.toml"
    path.write_text(text.replace('driver = "saleae-logic16"', 'driver = "counter-board"'))
    return path


def test_an_analyzer_of_another_package_is_read_found_and_has_its_data_sheet(
    package: Path,
) -> None:
    made = run(SCRIPT, package, fixture_of(package))
    assert made.stderr == ""
    seen = json.loads(made.stdout)
    assert (seen["model"], seen["edges"], seen["samples"]) == ("C1", [100, 148], 1000)
    assert seen["refusal"] == "counter-board: no board at absent; plug it in"
    assert seen["found"] == [
        ["analyzer ACME C1", "at bus 3", ""],
        ["analyzer ACME C1", "busy", "end it"],
    ]
    assert seen["skew_ns"] == pytest.approx(0.5 * 1000 / 24 / 3**0.5)
    assert seen["clock_ppm"] == 2.5


def test_one_of_this_package_is_a_module_and_a_line(package: Path) -> None:
    """Two files: that of the kind, and the registry."""
    for path in (package / "counter_board-1.0.dist-info").iterdir():
        path.unlink()
    line = 'from rig.capture.analyzers import ANALYZERS as A\nA["counter-board"] = "{}"\n'
    made = run(line.format("counter_board:KIND") + SCRIPT, package, fixture_of(package))
    assert json.loads(made.stdout)["edges"] == [100, 148]
    broken = run(line.format("counter_bored:KIND") + SCRIPT, package, fixture_of(package))
    assert "counter-board: counter_bored:KIND, which reads such analyzers, cannot" in broken.stderr
