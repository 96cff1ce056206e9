# SPDX-License-Identifier: GPL-3.0-or-later
"""Sound files to begin with: run files of every measurement, captures, plans, campaigns."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from rig.campaign.index import Entry, Index, RunState, store_index
from rig.config.fixture import load_fixture
from rig.config.plan import load_plan
from rig.errors import RigError
from rig.measurements.stored_settings import settings_to_json
from rig.record.writer import RunWriter
from rig.resources import find_fixture
from rig.session.results import store
from rig.session.settings import settings_of
from tests.chip import CLOCK_HZ
from tests.fuzz.names import CORPUS
from tests.fuzz.run_files import _EVENTS, ENVIRONMENT, SAMPLE_RATE_HZ, TICK_HZ, _fill, originals

PLANS = (
    "interrupt", "period", "interrupt-dispatch", "interrupt-self", "interrupt-to-task",
    "saturation", "clock-resolution", "smi", "wakeup", "start-finish", "task-switch",
    "preemption", "timer", "interrupt-burst", "services", "periodic-tasks", "priority-inversion",
    "preemption-timer", "period-search",
)  # fmt: skip


@dataclass(frozen=True)
class Sound:
    """Sound files as bytes and texts."""

    runs: list[bytes]
    captures: dict[str, list[bytes]]
    """By suffix."""
    plans: list[str]
    fixtures: list[str]
    calibrations: list[str]
    campaign: str
    """Text of an index."""


@cache
def sound() -> Sound:
    """All of them, made once."""
    runs = [original.data for original in originals()]
    with tempfile.TemporaryDirectory(prefix="rig-fuzz-") as folder:
        for name in PLANS:
            runs += _run(Path(folder) / f"{name}.h5", name)
        store_index(Path(folder), _index())
        campaign = (Path(folder) / "campaign.json").read_text(encoding="utf-8")
    calibrations = [path.read_text(encoding="utf-8", errors="replace")
                    for path in sorted((CORPUS / "calibration").iterdir())]  # fmt: skip
    return Sound(
        runs=runs,
        captures={
            suffix: [path.read_bytes() for path in sorted((CORPUS / suffix).iterdir())]
            for suffix in ("sr", "vcd")
        },
        plans=[load_plan(name).text for name in PLANS],
        fixtures=[
            find_fixture(name).read_text(encoding="utf-8")
            for name in ("virtual", "virtual-misbehaving", "dslogic", "qemu-debian")
        ],
        calibrations=calibrations,
        campaign=campaign,
    )


def _run(path: Path, name: str) -> list[bytes]:
    """A run of this plan without figures, and with them if these edges give any."""
    plan, fixture = load_plan(name), load_fixture("virtual")
    settings = settings_to_json(settings_of(plan, fixture, SAMPLE_RATE_HZ, CLOCK_HZ, TICK_HZ))
    texts = {
        "plan": plan.text,
        "fixture": fixture.text,
        "calibration": "",
        **ENVIRONMENT,
    }
    with RunWriter(path, texts, settings, attributes={"created": "2026-01-01"}) as writer:
        _fill(writer)
        writer.finish("complete", {"sent": _EVENTS, "handled": _EVENTS})
    found = [path.read_bytes()]
    try:
        store(path)
    except RigError:
        return found
    return [*found, path.read_bytes()]


def _index() -> Index:
    states = (
        RunState.DONE,
        RunState.FAILED,
        RunState.SKIPPED,
        RunState.PLANNED,
        RunState.RUNNING,
        RunState.DONE,
    )
    entries = tuple(
        Entry(
            f"interrupt-{number}", "interrupt", "idle", "f" * 64, state,
            f"run-{number}.h5" if state is RunState.DONE else "", "pass", 0, "because",
        )
        for number, state in enumerate(states)
    )  # fmt: skip
    return Index("small", "A small one", "virtual", "f" * 64, "[campaign]", entries)
