# SPDX-License-Identifier: GPL-3.0-or-later
"""A processor whose frequency a plan has held: the counter shows it, and it is given back."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from rig.analysis.measurements.verdict import Verdict
from rig.config.fixture import parse_fixture
from rig.config.plan import parse_plan
from rig.errors import BenchError, InputError, RefusedError
from rig.record.reader import RunFile
from rig.report.run_facts import run_facts
from rig.resources import find_fixture, find_plan
from rig.session.held_frequency import FrequencyHold
from rig.session.results import Result, store
from rig.session.run import run

COUNTER_PPM = -12.0
"""The error of the built-in virtual target's counter."""


def measured(agent: str, frequency: str, out: Path) -> Result:
    plan = find_plan("interrupt").read_text().replace("[capture]", f"[agent]\n{agent}\n[capture]")
    fixture = find_fixture("virtual").read_text() + f"\n[virtual.frequency]\n{frequency}\n"
    inputs = (
        parse_plan(plan, "plan.toml").with_overrides(200, None),
        parse_fixture(fixture, "fixture.toml"),
    )
    failure = run(*inputs, out, lambda _live: None, threading.Event())
    assert failure is None, failure
    return store(out)


@pytest.mark.parametrize(
    ("words", "khz", "ppm"),
    [('"lowest"', 1_000_000, 40.0), ('"highest"', 3_000_000, 0.0), ('"2 GHz"', 2_000_000, 20.0)],
)
def test_the_counter_runs_as_it_does_at_that_frequency(words, khz, ppm, tmp_path):
    """The modelled counter is off by 40 ppm at the lowest frequency, in proportion between."""
    out = tmp_path / "run.h5"
    settings = 'minimum = "1 GHz"\nmaximum = "3 GHz"\ncounter_error_ppb = 40_000'
    found = measured(f"cpu = 0\nfrequency = {words}", settings, out)
    assert found.evaluation.verdict is Verdict.PASS
    assert found.evaluation.clock_agreement.rate_ppm == pytest.approx(COUNTER_PPM + ppm, abs=2)
    with RunFile(out) as file:
        told = json.loads(file.texts()["environment/target"])["frequency"]
    assert (told["cpu"], told["held_khz"]) == ("0", str(khz))
    assert ("frequency", f"processor 0 held at {khz // 10**6} GHz") in run_facts(found)


@pytest.mark.parametrize(
    ("settings", "part"), [('control = "none"', "has no cpufreq"), ('control = "refused"', "root")]
)
def test_a_target_that_cannot_refuses_and_leaves_no_file(settings, part, tmp_path):
    out = tmp_path / "run.h5"
    with pytest.raises(RefusedError, match=part):
        measured('cpu = 0\nfrequency = "lowest"', settings, out)
    assert not out.exists()


@pytest.mark.parametrize(
    ("agent", "part"),
    [
        ('frequency = "lowest"', "with cpu"),
        ('cpu = 0\nfrequency = "fast"', "is not a number and a unit"),
        ('cpu = 0\nfrequency = "1000.0005 kHz"', "kHz"),
    ],
)
def test_a_wrong_frequency_is_one_clear_line(agent, part):
    plan = find_plan("interrupt").read_text().replace("[capture]", f"[agent]\n{agent}\n[capture]")
    with pytest.raises(InputError, match=part) as error:
        parse_plan(plan, "plan.toml")
    assert "\n" not in str(error.value)


class Warm:
    """A target whose processor does not run at what it is held at."""

    def __init__(self) -> None:
        self.greeting = {"frequency": "1"}
        self.said: list[str] = []

    def frequency(self, words):
        self.said.append(words)
        return {"cpu": "0", "minimum_khz": "1000", "maximum_khz": "9000", "current_khz": "4900"}


def test_a_processor_that_does_not_keep_to_it_is_told():
    held = FrequencyHold(Warm())
    held.hold(0, 4920)
    with pytest.raises(BenchError, match=r"held at 6000 kHz and runs at 4900 kHz"):
        held.hold(0, 6000)


def test_it_is_given_back_once():
    target, failed = Warm(), []
    held = FrequencyHold(target)
    held.give_back(failed.append)
    held.give_back(failed.append)
    assert target.said == ["RELEASE"]
    assert not failed


@pytest.mark.parametrize(
    ("agent", "changes", "verdict", "told"),
    [
        ("cpu = 0", 3, Verdict.PASS, "3.6 GHz at first and 0.8 GHz at the end, 3 changes"),
        ("cpu = 0", 2, Verdict.PASS, "3.6 GHz at first and 3.6 GHz at the end, 2 changes"),
        ('cpu = 0\nfrequency = "2 GHz"', 3, Verdict.INCONCLUSIVE,
         "2 GHz at first and 0.8 GHz at the end, 3 changes"),
    ],
)  # fmt: skip
def test_a_change_within_a_run_is_told_and_what_was_held_must_not_change(
    agent, changes, verdict, told, tmp_path
):
    found = measured(agent, f"changes = {changes}", tmp_path / "run.h5")
    assert str(found.account.frequency) == f"processor 0 ran at {told}"
    assert found.evaluation.verdict is verdict
    held = verdict is not Verdict.PASS
    assert (
        f"the frequency was held, and processor 0 ran at {told}" in found.evaluation.reasons
    ) == held
    assert ("frequency", f"processor 0 ran at {told}") in run_facts(found)
