# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs on the virtual FX2: a pass, and every fault as a named loss, never a pass."""

from __future__ import annotations

import re
import threading
from pathlib import Path

import pytest

from rig.analysis.measurements.verdict import Verdict
from rig.config.fixture import parse_fixture
from rig.config.plan import parse_plan
from rig.errors import RigError
from rig.instruments import LossKind
from rig.resources import find_fixture, find_plan
from rig.session.results import Result, store
from rig.session.run import run
from tests.cli.command import rig

FIXTURE = find_fixture("virtual-fx2").read_text(encoding="utf-8")
SEQUENCE = FIXTURE.index("# The low bits"), FIXTURE.index("[virtual.target]")
NO_SEQUENCE = FIXTURE[: SEQUENCE[0]] + FIXTURE[SEQUENCE[1] :]
TRANSFER_BYTES = 240_128
"""10 ms in whole packets: the driver's transfers."""
PLAN = find_plan("interrupt").read_text(encoding="utf-8").replace("count = 1000", "count = 300")


def measured(
    folder: Path, fault: str, fixture: str = FIXTURE, plan: str = PLAN, after_ms: float = 216.5
) -> tuple[Result, RigError | None]:
    """A run in whose third tenth of a second the fault begins."""
    usb = f'\n[virtual.usb]\nfault = "{fault}"\nafter = "{after_ms} ms"\n' if fault else ""
    path = folder / "run.h5"
    failure = run(
        parse_plan(plan, "plan"),
        parse_fixture(fixture + usb, "fixture"),
        path,
        lambda _live: None,
        threading.Event(),
    )
    return store(path), failure


def test_the_command_passes(tmp_path: Path) -> None:
    words = ("--fixture", "virtual-fx2", "--count", 200, "--out", tmp_path / "a.h5")
    ended = rig("run", "interrupt", *words)
    assert ended.returncode == 0, ended.stderr
    assert "PASS  all limits of the plan kept, all witnesses agree, nothing lost" in ended.stdout


def test_a_short_transfer_loses_nothing(tmp_path: Path) -> None:
    result, failure = measured(tmp_path, "short")
    assert failure is None
    assert result.evaluation.verdict is Verdict.PASS
    assert result.evaluation.counts.answered == 300


@pytest.mark.parametrize(
    ("fault", "loss", "told"),
    [
        (fault, LossKind.END_UNASKED, "the driver does not say why; the analyzer's buffer may")
        for fault in ("overrun", "empty", "halt", "unplug", "full speed")
    ]
    + [("stall", LossKind.STALL, "nothing came for 1 s while capturing")],
)
def test_what_ends_the_capture_ends_the_run_with_its_name(
    fault: str, loss: LossKind, told: str, tmp_path: Path
) -> None:
    patient = FIXTURE.replace('stall_timeout = "5 s"', 'stall_timeout = "1 s"')
    if fault == "full speed":
        patient, fault = patient + '\n[virtual.usb]\nspeed = "full"\n', ""
    result, failure = measured(tmp_path, fault, patient)
    assert failure is not None
    assert (failure.exit_code, told in str(failure)) == (3, True)
    assert result.evaluation.verdict is Verdict.INCOMPLETE
    assert loss in {kind for kind, _, _ in result.losses}


def test_a_transfer_lost_before_the_first_event_changes_no_figure(tmp_path: Path) -> None:
    """Nothing tells of it: all that is measured lies behind, and is early by as much."""
    result, failure = measured(tmp_path, "error", after_ms=5)
    assert failure is None
    assert result.evaluation.verdict is Verdict.PASS
    assert result.evaluation.counts.answered == 300


@pytest.mark.parametrize("fixture", [FIXTURE, NO_SEQUENCE])
def test_a_transfer_lost_without_a_word_is_found_by_the_train(fixture: str, tmp_path: Path) -> None:
    result, failure = measured(tmp_path, "error", fixture)
    assert failure is None
    told = re.search(r"sequence gap .* about ([0-9,]+) samples", result.evaluation.reasons[0])
    assert told is not None
    assert 0 < int(told[1].replace(",", "")) <= TRANSFER_BYTES + 3
    assert result.evaluation.verdict is Verdict.INCOMPLETE


def test_a_transfer_lost_without_a_train_contradicts_the_log(tmp_path: Path) -> None:
    plan = find_plan("period").read_text(encoding="utf-8")
    result, _ = measured(tmp_path, "error", FIXTURE, plan.replace("count = 1000 ", "count = 100 "))
    assert result.evaluation.verdict is Verdict.INCONSISTENT
    (contradiction,) = [text for text in result.evaluation.reasons if "bracket test" in text]
    assert "no clock fits 100 events" in contradiction
    assert "us), or samples of that time are missing, before event" in contradiction


def test_an_overrun_ends_the_command_with_3_and_says_what_it_may_be(tmp_path: Path) -> None:
    fixture = tmp_path / "bench.toml"
    fixture.write_text(f'{FIXTURE}\n[virtual.usb]\nfault = "overrun"\nafter = "100 ms"\n')
    ended = rig(
        "run", "interrupt", "--fixture", fixture, "--count", 200, "--out", tmp_path / "a.h5"
    )
    assert ended.returncode == 3
    assert "the analyzer stopped after 2400000 samples without being asked" in ended.stderr
    assert "buffer may have overflowed" in ended.stderr
    assert "INCOMPLETE" in ended.stdout


def test_the_shipped_settings_of_a_dslogic_pass_through_its_driver(tmp_path: Path) -> None:
    """Continuous mode, threshold, rate and channels are those of the fixture for hardware."""
    hardware = find_fixture("dslogic").read_text(encoding="utf-8")
    analyzer = hardware[hardware.index("[analyzer]") : hardware.index("[stimulus]")]
    analyzer = analyzer.replace("sample_rate", 'connection = "virtual"\nsample_rate', 1)
    fixture = (
        FIXTURE[: FIXTURE.index("[analyzer]")] + analyzer + FIXTURE[FIXTURE.index("[stimulus]") :]
    )
    result, failure = measured(tmp_path, "", fixture)
    assert failure is None
    assert result.evaluation.verdict is Verdict.PASS
    assert result.evaluation.counts.answered == 300
