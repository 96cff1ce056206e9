# SPDX-License-Identifier: GPL-3.0-or-later
"""A task that spins on real kernels: what holds it up, by the pin, by the log, by the tracer."""

from __future__ import annotations

import threading
from itertools import pairwise
from pathlib import Path

import pytest

from rig.config.fixture import Fixture, load_fixture, parse_fixture
from rig.config.plan import parse_plan
from rig.report.page import page
from rig.resources import find_fixture, find_plan
from rig.session.results import Result, store
from rig.session.run import run
from rig.tools.hwlat import hwlat_figures

pytestmark = [pytest.mark.timeout(300), pytest.mark.guest, pytest.mark.slow]

COUNT = 40_000
STALL_NS, EVERY_S = 400_000, 0.05


def measured(fixture: Fixture, out: Path, threshold: str = "50 us") -> Result:
    text = find_plan("smi").read_text(encoding="utf-8")
    text = text.replace('duration = "10 s"', 'duration = "3 s"')
    text = text.replace('threshold = "50 us"', f'threshold = "{threshold}"')
    plan = parse_plan(text, "smi").with_overrides(count=COUNT)
    failure = run(plan, fixture, out, lambda _live: None, threading.Event())
    assert failure is None, failure
    return store(out)


@pytest.mark.parametrize("fixture", ["qemu-debian", "qemu-debian-rt"])
def test_what_holds_a_task_up_is_seen_by_both(fixture, tmp_path):
    found = measured(load_fixture(fixture), tmp_path / "run.h5")
    evaluation = found.evaluation
    assert found.exit_code == 0, evaluation.reasons
    spin = evaluation.details
    assert spin.toggles == COUNT
    assert spin.gaps == spin.gaps_by_log == spin.gaps_by_both
    # Between two toggles lie the pause and a write of the pins, and the kernel's tick now and then.
    assert evaluation.figures.min_ns > spin.pause_ns
    assert 0 < spin.share < 0.05
    (tool,) = found.tools
    if fixture == "qemu-debian":
        assert "no tracer hwlat" in tool.reason
        assert "CONFIG_HWLAT_TRACER" in page(found)
    else:
        assert (tool.reason, tool.exit_code) == ("", 0)
        # Nothing takes time from a guest's virtual processor unseen.
        assert hwlat_figures(tool).gaps == 0


def stalled(name: str) -> Fixture:
    """The same guest, of which time is taken."""
    text = find_fixture(name).read_text(encoding="utf-8")
    keys = f'stall_every = "{EVERY_S * 1000:g} ms"\nstall = "{STALL_NS // 1000} us"\n'
    return parse_fixture(text.replace("[virtual.guest]\n", f"[virtual.guest]\n{keys}"), name)


@pytest.mark.parametrize("fixture", ["qemu-debian", "qemu-debian-rt"])
def test_time_that_is_taken_from_the_guest_is_found_to_the_last(fixture, tmp_path):
    found = measured(stalled(fixture), tmp_path / "run.h5", threshold="300 us")
    evaluation = found.evaluation
    assert found.exit_code == 0, evaluation.reasons
    spin = evaluation.details
    least = int(spin.duration_s / EVERY_S)
    assert least >= 8
    assert spin.gaps == spin.gaps_by_log == spin.gaps_by_both == len(spin.listed)
    assert least <= spin.gaps <= least + 1
    # A pause and a write of the pins may come on top, and the tick that was late.
    usual_ns = evaluation.figures.median_ns
    for gap in spin.listed:
        assert STALL_NS <= gap.pins_ns <= STALL_NS + usual_ns + 60_000
    for first, second in pairwise(gap.at_s for gap in spin.listed):
        assert second - first == pytest.approx(EVERY_S, abs=0.6e-3)
    (tool,) = found.tools
    if fixture == "qemu-debian-rt":
        # In 500 ms of each of 3 windows of a second, and as long as they were.
        tracer = hwlat_figures(tool)
        assert (tracer.samples, tracer.longest_us) == (3, STALL_NS // 1000)
        assert tracer.gaps == pytest.approx(3 * 0.5 / EVERY_S, abs=3)
