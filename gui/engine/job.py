# SPDX-License-Identifier: GPL-3.0-or-later
"""One measurement as the window asks for it: what `rig run` does, told by messages."""

from __future__ import annotations

import threading
from pathlib import Path

from gui.engine.observer import LiveObserver
from gui.engine.outcome import BENCH_FAILED, done
from gui.engine.publisher import Publisher
from gui.engine.request import BEGUN, TELL, RunRequest
from gui.processes.messages import Message
from rig.campaign.scenario_override import plan_under
from rig.config.plan import load_plan
from rig.services import measure as measuring
from rig.services.abilities import check_load
from rig.target.scenario import IDLE


def measure(job: RunRequest, publisher: Publisher, stop: threading.Event) -> None:
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
        check_load(plan, asked.fixture if asked.replayed is None else None)
    path = measuring.new_run_file(Path(job.folder), plan, "choose another folder for runs")
    measuring.check_new_files(path)
    publisher.send(Message(BEGUN, {"path": str(path)}))
    observer = LiveObserver(publisher.snapshot, job.expected_s)
    failure = measuring.measure(asked, path, observer, stop, tell)
    words = None if failure is None else str(failure)
    if words is not None:  # at once: figures may take long
        publisher.send(Message(BENCH_FAILED, {"text": words}))
    observer.evaluating()
    found = measuring.finish(path)
    publisher.send(done(found.result, found.page, words or found.unwritten or None))
