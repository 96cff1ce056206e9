# SPDX-License-Identifier: GPL-3.0-or-later
"""cyclictest and rtla timerlat on real kernels, beside the pin: all on one virtual time line."""

from __future__ import annotations

import threading
from html import unescape
from pathlib import Path

import pytest

from rig.analysis.measurements.verdict import Verdict
from rig.config.fixture import load_fixture, parse_fixture
from rig.config.plan import load_plan, parse_plan
from rig.report.page import page
from rig.resources import find_fixture, find_plan
from rig.session.results import Result, store
from rig.session.run import run
from rig.tools.readers import tool_figures

pytestmark = [pytest.mark.timeout(300), pytest.mark.guest, pytest.mark.slow]

COUNT = 2000


def measured(fixture: str, out: Path) -> Result:
    plan = load_plan("wakeup").with_overrides(count=COUNT)
    failure = run(plan, load_fixture(fixture), out, lambda _live: None, threading.Event())
    assert failure is None, failure
    return store(out)


@pytest.mark.parametrize("fixture", ["qemu-debian", "qemu-debian-rt"])
def test_their_figures_stand_beside_the_pins(fixture, tmp_path):
    found = measured(fixture, tmp_path / "run.h5")
    assert found.exit_code == 0, found.evaluation.reasons
    cyclictest, timerlat = found.tools
    assert cyclictest.words == "duration_s=2 period_us=1000 priority=80 cpu=0"
    (task,) = tool_figures(cyclictest)
    assert abs(task.n - COUNT) <= 2
    # A task runs some thousand instructions after its time, of 4 ns each, and on an idle guest
    # never as late as a period.
    assert 1_000 < task.min_ns <= task.average_ns <= task.max_ns < 1_000_000
    pin = found.evaluation.details.pins.latency
    assert pin.n == COUNT
    assert 0 <= pin.gap_ns < 1_000_000
    if fixture == "qemu-debian":
        assert "no tracer timerlat" in timerlat.reason
    else:
        interrupt, thread = tool_figures(timerlat)
        assert abs(thread.n - COUNT) <= 2
        # The interrupt wakes the thread: each is later than what causes it.
        assert interrupt.min_ns < thread.min_ns
        assert interrupt.average_ns < thread.average_ns
        # The thread of a kernel and a task wait for the same timers.
        assert thread.average_ns == pytest.approx(task.average_ns, rel=1.0)
    told = unescape(page(found))
    assert "cyclictest" in told
    assert "to the pin's edge" in told


def test_time_that_is_taken_shows_in_the_histograms_of_tool_and_pin_alike(tmp_path):
    """0.3 ms is taken each 2.1 ms: as many wake-ups are late by the tool as by the pin."""
    stalled = (
        find_fixture("qemu-debian-rt")
        .read_text()
        .replace('load = "idle"', 'stall_every = "2.1 ms"\nstall = "300 us"')
    )
    tools = '["cyclictest", "signaltest", "ptsematest", "wakeup_rt", "irqsoff"]'
    text = (
        find_plan("wakeup")
        .read_text()
        .replace('["cyclictest", "timerlat"]', f'{tools}\nhistogram = "1 ms"')
    )
    # Wake-ups slide past the slices of 0.5 ms at whose begin time is taken.
    text = text.replace('period = "1 ms"', 'period = "999 us"').replace("= 10000", "= 1000")
    out = tmp_path / "run.h5"
    inputs = parse_plan(text, "plan.toml"), parse_fixture(stalled, "fixture.toml")
    failure = run(*inputs, out, lambda _live: None, threading.Event())
    assert failure is None, failure
    found = store(out)
    assert found.evaluation.verdict is Verdict.PASS
    cyclictest, *others, irqsoff = found.tools
    (task,) = tool_figures(cyclictest)
    kept = task.histogram
    assert sum(kept.counts) + kept.beyond == task.n == pytest.approx(1000, abs=3)
    assert 200_000 < task.max_ns < 350_000
    late = sum(n for first_ns, n in zip(kept.first_ns, kept.counts, strict=True) if first_ns > 5e4)
    pin = found.evaluation.histogram
    by_pin = int(pin.counts[pin.values * (1e9 / found.unit_hz) > 5e4].sum())
    assert 50 < late < 200
    assert late == pytest.approx(by_pin, rel=0.4)
    for each in others:
        (line,) = tool_figures(each)
        assert line.n is None or line.n > 10
    assert "CONFIG_IRQSOFF_TRACER" in irqsoff.reason
    assert "2 histograms" in page(found)
