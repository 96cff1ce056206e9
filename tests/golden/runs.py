# SPDX-License-Identifier: GPL-3.0-or-later
"""The runs whose results are stored: a seeded one of every measurement, of format 3.

The run files are stored as well, so that what is compared does not depend on how a run ends.
"""

from __future__ import annotations

import lzma
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
PLANS = FOLDER / "plans"
MISBEHAVING = "virtual-misbehaving"


@dataclass(frozen=True)
class GoldenRun:
    """How a run of these was made, with `rig run`."""

    plan: str
    count: int = 200
    fixture: str = "virtual"
    seed: int | None = None
    """Of the train; None: the plan has none."""
    period: str | None = None
    calibrated: bool = False
    """With a calibration made before by `rig calibrate`."""

    def words(self, calibration: Path) -> list[str]:
        """What follows `rig run`."""
        own = PLANS / f"{self.plan}.toml"
        words = [str(own) if own.exists() else self.plan, "--fixture", self.fixture, "--quiet"]
        if self.count:
            words += ["--count", str(self.count)]
        if self.seed is not None:
            words += ["--seed", str(self.seed)]
        if self.period is not None:
            words += ["--period", self.period]
        return [*words, "--calibration", str(calibration) if self.calibrated else "none"]


RUNS = {
    "interrupt": GoldenRun("interrupt", 600, seed=7),
    "interrupt-calibrated": GoldenRun("interrupt", seed=8, calibrated=True),
    "interrupt-misbehaving": GoldenRun("interrupt", 600, MISBEHAVING, seed=9),
    "every-limit": GoldenRun("every-limit", 0, MISBEHAVING, seed=11),
    "interrupt-burst": GoldenRun("interrupt-burst", seed=12),
    "interrupt-periodic": GoldenRun("interrupt-periodic", seed=13),
    "interrupt-poisson": GoldenRun("interrupt-poisson", seed=14),
    "interrupt-ramp": GoldenRun("interrupt-ramp", seed=15),
    "interrupt-self": GoldenRun("interrupt-self", fixture="qemu-debian"),
    "interrupt-to-task": GoldenRun("interrupt-to-task", seed=16),
    "interrupt-dispatch": GoldenRun("interrupt-dispatch", fixture="qemu-debian", seed=17),
    "saturation": GoldenRun("saturation", 100),
    "period": GoldenRun("period", 500, period="1 ms"),
    "period-misbehaving": GoldenRun("period", 500, MISBEHAVING, period="1 ms"),
    "wakeup": GoldenRun("wakeup"),
    "clock-resolution": GoldenRun("clock-resolution"),
    "preemption": GoldenRun("preemption"),
    "services": GoldenRun("services"),
    "priority-inversion": GoldenRun("priority-inversion"),
    "semaphore-shuffle": GoldenRun("semaphore-shuffle"),
    "smi": GoldenRun("smi", 20_000),
    "start-finish": GoldenRun("start-finish"),
    "periodic-tasks": GoldenRun("periodic-tasks", 100),
    "interrupt-with-tasks": GoldenRun("interrupt-with-tasks", 60, seed=18),
    "interrupt-to-task-with-tasks": GoldenRun("interrupt-to-task-with-tasks", 60, seed=19),
    "period-search": GoldenRun("period-search", 100),
    "task-creation": GoldenRun("task-creation"),
    "task-preemption": GoldenRun("task-preemption"),
    "task-switch": GoldenRun("task-switch"),
    "timer": GoldenRun("timer"),
}
TABLES = {
    **{f"shape-{shape}": ("--shape", shape, "--format", "csv")
       for shape in ("scenarios", "comparison", "slides", "thesis", "golem")},
    **{f"reference-{name}": ("--reference", name, "--format", "csv")
       for name in ("radder", "slides", "thesis")},
}  # fmt: skip
"""What follows `rig table`, of all these runs."""


def stored_run(name: str) -> Path:
    """Where its run file is, compressed."""
    return FOLDER / "runs" / f"{name}.h5.xz"


def stored_figures(name: str) -> Path:
    """Where its `rig show --json` is."""
    return FOLDER / "figures" / f"{name}.json"


def stored_table(name: str) -> Path:
    """Where it is, as `rig table` wrote it."""
    return FOLDER / "tables" / f"{name}.csv"


def unpacked(name: str, folder: Path) -> Path:
    """Its run file, in that folder."""
    path = folder / f"{name}.h5"
    path.write_bytes(lzma.decompress(stored_run(name).read_bytes()))
    return path
