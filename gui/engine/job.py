# SPDX-License-Identifier: GPL-3.0-or-later
"""One measurement as the window asks for it: the same steps as `rig run`, told by messages."""

from __future__ import annotations

import threading
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Final

from gui.engine.messages import Message
from gui.engine.observer import Observer
from gui.engine.outcome import done
from gui.engine.publisher import Publisher
from gui.engine.request import BEGUN, TELL, Job
from rig.bench.open import OpenBench, open_bench
from rig.bench.replay import open_replay, replay_fixture
from rig.config.check import check
from rig.config.fixture import Fixture, load_fixture
from rig.config.plan import Plan, load_plan
from rig.errors import InputError
from rig.record.space import check_new_file
from rig.report.page import write_page
from rig.session.results import store
from rig.session.run import run
from rig.session.windows import folder_of, write_outliers

REPLAY_PREFIX: Final = "replay:"


def measure(job: Job, publisher: Publisher, stop: threading.Event) -> None:
    """Measure, store, report. Raises RigError, as `rig run` does."""
    plan = load_plan(job.plan).with_overrides(job.count, job.seed)
    fixture, opener = _bench(job.fixture, publisher, stop)
    check(plan, fixture)
    path = new_run_file(Path(job.folder), plan)
    publisher.send(Message(BEGUN, {"path": str(path)}))
    observer = Observer(publisher.snapshot, job.expected_s)
    failure = run(plan, fixture, path, observer, stop, opener)
    observer.evaluating()
    result = store(path)
    page = path.with_suffix(".html")
    write_page(page, result)
    windows = write_outliers(path, result.settings)
    ended = done(result, page, windows, None if failure is None else str(failure))
    publisher.send(ended)


def _bench(name: str, publisher: Publisher, stop: threading.Event) -> tuple[Fixture, OpenBench]:
    if name.startswith(REPLAY_PREFIX):
        file = Path(name.removeprefix(REPLAY_PREFIX))
        return replay_fixture(file), partial(open_replay, file)

    def tell(text: str) -> None:
        publisher.send(Message(TELL, {"text": text}))

    return load_fixture(name), partial(open_bench, stop=stop, on_progress=tell)


def new_run_file(folder: Path, plan: Plan) -> Path:
    """A name that nothing has yet, as `rig run` makes it. Raises InputError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"{folder}: cannot be created ({error.strerror}); choose another folder for runs"
        ) from None
    started = datetime.now().astimezone().strftime("%Y%m%d-%H%M%S")
    path = folder / f"{plan.name}-{started}.h5"
    number = 2
    while any(file.exists() for file in _files(path)):
        path = folder / f"{plan.name}-{started}-{number}.h5"
        number += 1
    for file in _files(path):
        check_new_file(file)
    return path


def _files(path: Path) -> tuple[Path, ...]:
    return path, path.with_suffix(".html"), folder_of(path)
