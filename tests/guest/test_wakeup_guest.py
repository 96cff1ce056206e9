# SPDX-License-Identifier: GPL-3.0-or-later
"""cyclictest and rtla timerlat on real kernels, beside the pin: all on one virtual time line."""

from __future__ import annotations

import threading
from html import unescape
from pathlib import Path

import pytest

from rig.config.fixture import load_fixture
from rig.config.plan import load_plan
from rig.report.page import page
from rig.session.results import Result, store
from rig.session.run import run
from rig.tools.wakeup import wakeup_figures

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
    (task,) = wakeup_figures(cyclictest)
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
        interrupt, thread = wakeup_figures(timerlat)
        assert abs(thread.n - COUNT) <= 2
        # The interrupt wakes the thread: each is later than what causes it.
        assert interrupt.min_ns < thread.min_ns
        assert interrupt.average_ns < thread.average_ns
        # The thread of a kernel and a task wait for the same timers.
        assert thread.average_ns == pytest.approx(task.average_ns, rel=1.0)
    told = unescape(page(found))
    assert "cyclictest" in told
    assert "to the pin's edge" in told
