# SPDX-License-Identifier: GPL-3.0-or-later
"""Handler entries in the log of a real kernel decide between late answers and merged interrupts.

The oracle is a latch, worked out here from entries and edges alone: a stimulus that came before a
handler was taken is served by that one. Slow: each test boots a kernel.
"""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

from rig.analysis.model.events import EventClass
from rig.config.fixture import parse_fixture
from rig.config.plan import parse_plan
from rig.instruments import LOG_ENTRY, LOG_LEAD
from rig.record.reader import RunFile
from rig.resources import find_fixture, find_plan
from rig.session.results import store
from rig.session.run import run

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
SAMPLES_A_US, RESPONSE = 24, 1
WIRES = SAMPLES_A_US // 2
ACKNOWLEDGED = 2 * SAMPLES_A_US + SAMPLES_A_US // 4
"""From the latch's clearing to the handler's first reading, at most."""
BURSTS = {
    "burst_count = 4 ": "burst_count = 12 ",
    '"100 us"': '"20 us"',
    '"5.003 ms"': '"2.003 ms"',
}


def measured(folder: Path, fixture: str, load: str, measurement: str, agent: str) -> Path:
    """Bursts whose pulses come faster than such a kernel answers."""
    text = find_plan("interrupt-burst").read_text(encoding="utf-8")
    for there, instead in BURSTS.items():
        assert there in text
        text = text.replace(there, instead)
    text = text.replace('measurement = "interrupt"', f'measurement = "{measurement}"') + agent
    bench = find_fixture(fixture).read_text(encoding="utf-8")
    bench = bench.replace('load = "idle"', f'load = "{load}"')
    plan = parse_plan(text, "bursts").with_overrides(count=600)
    path = folder / "run.h5"
    failure = run(plan, parse_fixture(bench, fixture), path, lambda _: None, threading.Event())
    assert failure is None
    return path


@pytest.mark.parametrize(
    ("fixture", "load", "measurement", "agent"),
    [
        ("qemu-debian-rt", "memory", "interrupt", '\n[agent]\nhandler = "default"\n'),
        ("qemu-debian-arm64", "system", "interrupt_to_task", ""),
    ],
    ids=["module", "gpio"],
)
def test_each_answer_is_the_first_that_can_have_served_its_stimulus(
    fixture: str, load: str, measurement: str, agent: str, tmp_path: Path
) -> None:
    path = measured(tmp_path, fixture, load, measurement, agent)
    counts = store(path).evaluation.counts
    assert counts.late + counts.merged + counts.ambiguous > 0
    with RunFile(path) as file:
        log = file.log(0, 10_000)
        events = file.events(0, counts.n)
        blocks = [block.index[block.channel == RESPONSE] for block in file.edge_blocks()]
    edges = np.concatenate(blocks)
    assert len(edges) == len(log)
    assert (log["flags"] & LOG_ENTRY).all()
    ticks = (log["before_ticks"] - log["before_ticks"][0]).astype(float)
    slope, _ = np.polyfit(ticks, edges, 1)
    entry = edges - log[LOG_LEAD] * slope
    sure = np.isin(events["status"], (EventClass.ANSWERED, EventClass.LATE))
    stimulus, answer = events["stimulus_sample"][sure], events["response_edge"][sure]
    assert len(answer)
    assert (entry[answer] + WIRES >= stimulus).all()
    before = np.concatenate([[-np.inf], entry])[answer]
    assert (before - ACKNOWLEDGED - WIRES <= stimulus).all()
