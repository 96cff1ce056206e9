# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a case through the whole chain, behind the back of the fixture that the rig reads."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any
from unittest import mock

from rig.bench import virtual_process
from rig.config.check import check
from rig.config.fixture import parse_fixture
from rig.config.plan import parse_plan
from rig.errors import RigError
from rig.session.results import document, store
from rig.session.run import run
from rig.virtual.truth import load_truth
from tests.adversarial.cases import Case
from tests.adversarial.oracle import Judgment, Scales, judge_interrupts
from tests.stored_events import events_of


def judged(case: Case, folder: Path) -> Judgment:
    """Measure it in `folder`, and judge the figures by what was true."""
    truth_path = folder / "truth.bin"
    plan = parse_plan(case.plan, "adversarial plan")
    fixture = parse_fixture(_with_truth(case.declared, truth_path), "adversarial fixture")
    actual = _with_truth(case.actual, truth_path)
    request = virtual_process._request
    check(plan, fixture)
    path = folder / "run.h5"
    with mock.patch.object(
        virtual_process, "_request", lambda fixture: request(fixture) | {"fixture": actual}
    ):
        try:
            failure = run(plan, fixture, path, lambda _live: None, threading.Event())
            result = store(path)
        except RigError as error:
            return Judgment(case.number, case.faults, "refused", (), (), str(error))
    if failure is not None:
        return Judgment(case.number, case.faults, "failed", (), (), str(failure))
    shown: dict[str, Any] = json.loads(json.dumps(document(result)))
    events = events_of(path)
    truth, _ = load_truth(truth_path)
    errors, covered = judge_interrupts(shown, events, truth, _scales(case))
    reason = (*shown["reasons"], "")[0]
    return Judgment(case.number, case.faults, shown["verdict"], errors, covered, reason)


def _with_truth(fixture: str, path: Path) -> str:
    return fixture.replace('"truth.bin"', json.dumps(os.fspath(path)))


def _scales(case: Case) -> Scales:
    bench = case.bench
    clock_hz = int(str(bench.model["clock"]).split()[0])
    return Scales(
        sample_ns=1e3 / case.rate_mhz,
        analyzer_ppb=bench.clocks["analyzer_error_ppb"],
        counter_hz=clock_hz,
        counter_ppb=case.counter_ppb,
        delay_ns=(case.false_delays_ps.get(1, 0) - case.false_delays_ps.get(0, 0)) / 1e3,
    )
