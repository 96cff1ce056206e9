# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs that have little in common: ten, three that the target measures by itself, a search for the
highest rate, and two with the target's own tools. The window's engine measures all but one, which
is made from edges."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from gui.engine.job import measure
from gui.engine.outcome import RunResult, done, outcome_of
from gui.engine.publisher import Publisher
from gui.engine.request import RunRequest
from gui.processes.messages import Unpacker, packed
from rig.analysis.model.sources import SelfTriggers
from rig.instruments import Loss, LossKind
from rig.measurements.stored_settings import settings_to_json
from rig.record.writer import RunWriter
from rig.report.page import write_page
from rig.resources import find_fixture, find_plan
from rig.session.results import store
from tests.analysis.raw_runs import settings_of
from tests.analysis.test_self_trigger import PERIOD_NS, Target

SELF_TRIGGERED = "self-triggered"
AT_ONCE = 2
_GAMMA = 'model = "gamma"', 'minimum = "3 us"', 'scale = "0.5 us"', "shape = 3.0"
_NORMAL = ('mean = "5 us"', 'deviation = "0.5 us"', 'minimum = "3 us"')
MODELS = {
    "constant": ('latency = "5 us"',),
    "constant/served": ('latency = "5 us"', 'service_time = "100 us"'),
    "normal": _NORMAL,
    "load": (*_NORMAL, "load_gain = 0.2", 'load_window = "1 ms"'),
    "mixture": (*_NORMAL, "outlier_probability = 0.02", 'outlier_latency = "80 us"'),
    "reference": ('row = "6.22/Linux 3.4.104/interrupt/ISR/io"',),
}
RUNS = (
    # plan, limit of the maximum, fixture or model, further fixture text, events
    ("interrupt", "", "virtual", "", 2100),
    ("interrupt", "", "virtual-misbehaving", "", 600),
    ("interrupt", "", "virtual", '[virtual.misbehave]\ndrop = 0.02\ndrop_length = "3 ms"', 300),
    ("interrupt-burst", "", "load", "", 400),
    ("interrupt-ramp", "", "constant", "", 200),
    ("interrupt-periodic", "", "normal", "", 400),
    ("interrupt-poisson", "20 us", "mixture", "", 400),
    ("interrupt-to-task", "10 s", "reference", "", 300),
    ("period", "", "virtual", "", 60),
    ("task-switch", "5 us", "virtual", "", 60),
    ("start-finish", "", "virtual", "", 60),
    ("services", "", "virtual", "", 70),
    ("saturation", "", "constant/served", "", 60),
    ("smi", "", "virtual", "", 400),
    ("wakeup", "", "virtual", "", 50),
)
INSIDE = ("task-switch", "start-finish", "services")
"""The target measures these by itself."""
WITHOUT_PINS = "services"


def measure_ten(folder: Path) -> dict[str, RunResult]:
    """The runs by the names of their files."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        outcomes = list(pool.map(lambda n: measure_one(folder, n), range(len(RUNS))))
    outcomes.append(_self_triggered(folder / f"{SELF_TRIGGERED}.h5"))
    return {outcome.path.stem: outcome for outcome in outcomes}


def measure_one(folder: Path, number: int) -> RunResult:
    """One of RUNS; what the window heard is in messages-NUMBER."""
    plan, limit, bench, more, count = RUNS[number]
    job = RunRequest(
        str(_plan(folder / f"plan-{number}.toml", plan, limit, number)),
        str(bench_file(folder / f"fixture-{number}.toml", bench, more)),
        str(folder),
        count,
    )
    with _published(folder / f"messages-{number}") as publisher:
        measure(job, publisher, threading.Event())
    *_, last = Unpacker().feed((folder / f"messages-{number}").read_bytes())
    return outcome_of(last)


@contextmanager
def _published(path: Path) -> Iterator[Publisher]:
    """What the window would hear goes to a file."""
    with (
        path.open("xb") as file,
        Publisher(lambda message: file.write(packed(message))) as publisher,
    ):
        yield publisher


def _plan(path: Path, name: str, limit: str, number: int) -> Path:
    text = find_plan(name).read_text().replace(f'name = "{name}"', f'name = "run-{number}-{name}"')
    if name == WITHOUT_PINS:
        assert text.count("pin = true") == 1
        text = text.replace("pin = true", "pin = false")
    if limit:
        text = text.replace("[limits]", f'[limits]\nmax_latency = "{limit}"')
    path.write_text(text)
    return path


def bench_file(path: Path, bench: str, more: str) -> Path:
    text = find_fixture("virtual" if bench in MODELS else bench).read_text()
    if bench in MODELS:
        lines = [line for line in text.splitlines() if not line.startswith(_GAMMA)]
        at = lines.index("[virtual.target]") + 1
        model = f'model = "{bench.partition("/")[0]}"'
        text = "\n".join([*lines[:at], model, *MODELS[bench], *lines[at:]])
    path.write_text(f"{text}\n{more}\n")
    return path


def _self_triggered(path: Path) -> RunResult:
    """Interrupts that the target makes itself need a real kernel; here their edges are made."""
    latency_ns: list[int | None] = [4_000 + 137 * (n % 23) for n in range(100)]
    latency_ns[40] = None
    target = Target(latency_ns)
    settings = replace(settings_of("interrupt"), source=SelfTriggers(PERIOD_NS, len(latency_ns)))
    recorded = target.run(block=100_000)
    analyzer = json.dumps({"channels": [f"D{channel}" for channel in range(8)]})
    texts = {"plan": "", "fixture": "", "calibration": "", "environment/analyzer": analyzer}
    with RunWriter(path, texts, settings_to_json(settings)) as writer:
        for block in recorded.edge_blocks():
            writer.edges(block)
        writer.loss(Loss(LossKind.STALL, recorded.end // 2, "no samples for 6 s"))
        writer.log(recorded.records)
        writer.finish("imported", {"handled": 99, "triggers": 100, "samples": recorded.end})
    result, page = store(path), path.with_suffix(".html")
    write_page(page, result)
    return outcome_of(done(result, page, None))
