# SPDX-License-Identifier: GPL-3.0-or-later
"""One measurement as the window asks for it: what `rig run` does, told by messages."""

from __future__ import annotations

import threading
from pathlib import Path

from gui.engine.observer import Observer
from gui.engine.outcome import BENCH_FAILED, done
from gui.engine.publisher import Publisher
from gui.engine.request import BEGUN, REPLAYED, TELL, Job
from gui.processes.messages import Message
from rig.bench.target import open_target
from rig.campaign.loaded import cell_of, plan_under
from rig.campaign.skipping import Abilities, known_abilities, why_not
from rig.config.fixture import Fixture
from rig.config.plan import Plan, load_plan
from rig.errors import RefusedError
from rig.services import measure as measuring
from rig.target.scenario import IDLE


def measure(job: Job, publisher: Publisher, stop: threading.Event) -> None:
    """Measure, store, report. Raises RigError, as `rig run` does."""

    def tell(text: str) -> None:
        publisher.send(Message(TELL, {"text": text}))

    plan = load_plan(job.plan)
    wants_load = job.scenario not in ("", IDLE)
    if job.scenario:
        plan = plan_under(plan, job.scenario)
    plan = plan.with_overrides(job.count, job.seed)
    asked = measuring.request_of(plan, job.fixture, job.calibration)
    if wants_load:
        tell(f"Asking the target for load {job.scenario} …")
        _check_load(plan, asked.fixture, is_replay=asked.replayed is not None)
    path = measuring.new_run_file(Path(job.folder), plan, "choose another folder for runs")
    measuring.check_new_files(path)
    publisher.send(Message(BEGUN, {"path": str(path)}))
    observer = Observer(publisher.snapshot, job.expected_s)
    failure = measuring.measure(asked, path, observer, stop, tell)
    words = None if failure is None else str(failure)
    if words is not None:  # at once: figures may take long
        publisher.send(Message(BENCH_FAILED, {"text": words}))
    observer.evaluating()
    found = measuring.finish(path)
    publisher.send(done(found.result, found.page, words or found.unwritten or None))


def _check_load(plan: Plan, fixture: Fixture, *, is_replay: bool) -> None:
    """Raises RefusedError if the target cannot be loaded so, BenchError if it does not answer."""
    if is_replay:
        raise RefusedError(f"no load {plan.scenario}: {REPLAYED}")
    abilities = known_abilities(fixture)
    if abilities is None:
        with open_target(fixture.target.link) as target:
            abilities = Abilities.of_greeting(target.greeting)
    reason = why_not(cell_of(plan), fixture, abilities)
    if reason:
        raise RefusedError(reason)
