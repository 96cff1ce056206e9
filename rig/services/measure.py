# SPDX-License-Identifier: GPL-3.0-or-later
"""One measurement, from names to a run file with its figures and its report."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from rig.bench.open import OpenBench, open_bench
from rig.bench.replay import open_replay, replay_fixture
from rig.config.check import check
from rig.config.fixture import REPLAY_PREFIX, Fixture, load_fixture
from rig.config.plan import Plan
from rig.errors import BenchError, InputError, RigError
from rig.record.free_space import check_new_file
from rig.session.run import OnProgress, run
from rig.session.windows import folder_of, write_windows

if TYPE_CHECKING:
    from rig.session.results import Result

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Request:
    """What is to be measured on what; nothing has been touched yet."""

    plan: Plan
    fixture: Fixture
    replayed: Path | None
    """The run file that is played again."""
    calibration: str | None
    """A file or "none"; None: the fixture's own."""


@dataclass(frozen=True)
class FinishedRun:
    """What a measurement left."""

    result: Result
    page: Path
    """The report for the browser."""
    windows: Path | None
    """Folder with the waveforms of outliers."""
    unwritten: str = ""
    """The reason why one of the two is not there, and the remedy; empty if nothing is missing."""


def request_of(plan: Plan, bench: str, calibration: str | None = None) -> Request:
    """`bench` is a built-in fixture, a file, or `replay:RUN.h5`.

    Raises InputError for what cannot be measured.
    """
    fixture, replayed = _bench(bench)
    check(plan, fixture)
    return Request(plan, fixture, replayed, calibration)


def measure(
    request: Request, path: Path, on_progress: OnProgress, stop: threading.Event, tell: Tell
) -> RigError | None:
    """Leave a run file without figures; `tell` gets a line on what takes long before that.

    Returns and raises as rig.session.run.run.
    """
    opener: OpenBench = partial(open_bench, stop=stop, on_progress=tell)
    if request.replayed is not None:
        opener = partial(open_replay, request.replayed)
    chosen = request.calibration
    return run(request.plan, request.fixture, path, on_progress, stop, opener, chosen, tell)


def finish(path: Path) -> FinishedRun:
    """Store a run file's figures, write its report and the waveforms of outliers.

    Figures that are stored stay, whatever happens to the rest.

    Raises InputError or BenchError if the figures cannot be stored.
    """
    # What evaluates takes long to load: what measures is not to wait for it.
    from rig.report.page import write_page
    from rig.session.results import store

    result, page = store(path, waveforms=True), path.with_suffix(".html")
    try:
        write_page(page, result)
        windows = write_windows(path, result.settings, result.windows)
        return FinishedRun(result, page, windows)
    except (InputError, BenchError) as error:
        mend = "the figures are stored; `rig report` and `rig export --event` write the rest"
        return FinishedRun(result, page, None, f"{error}; {mend}")


def new_run_file(folder: Path, plan: Plan, remedy: str) -> Path:
    """A name in this folder, made if need be, that no run has yet. Raises InputError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be created ({error.strerror}); {remedy}") from None
    started = datetime.now().astimezone().strftime("%Y%m%d-%H%M%S")
    path = folder / f"{plan.name}-{started}.h5"
    number = 2
    while any(file.exists() for file in _files(path)):
        path = folder / f"{plan.name}-{started}-{number}.h5"
        number += 1
    return path


def check_new_files(path: Path) -> None:
    """Raises InputError if anything that the run would leave is there already."""
    for file in _files(path):
        check_new_file(file)


def _files(path: Path) -> tuple[Path, ...]:
    return path, path.with_suffix(".html"), folder_of(path)


def _bench(name: str) -> tuple[Fixture, Path | None]:
    """A fixture, and the run file that replays it, if it is one's."""
    if not name.startswith(REPLAY_PREFIX):
        return load_fixture(name), None
    file = Path(name.removeprefix(REPLAY_PREFIX))
    return replay_fixture(file), file
