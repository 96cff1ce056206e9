# SPDX-License-Identifier: GPL-3.0-or-later
"""`rig run PLAN --fixture FIXTURE`"""

from __future__ import annotations

import argparse
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path
from types import FrameType

from rig.bench.open import OpenBench, open_bench
from rig.bench.replay import open_replay, replay_fixture
from rig.cli.output import show_result
from rig.cli.progress import progress_for
from rig.config.check import check
from rig.config.fixture import Fixture, load_fixture
from rig.config.plan import load_plan
from rig.errors import InputError
from rig.record.space import check_new_file
from rig.report.junit import check_junit, write_junit
from rig.report.page import write_page
from rig.session.results import store
from rig.session.run import run
from rig.session.windows import folder_of, write_outliers

REPLAY_PREFIX = "replay:"


def command(options: argparse.Namespace) -> int:
    """Measure; returns the exit code. Raises RigError if nothing could be begun."""
    plan = load_plan(options.plan).with_overrides(
        options.count, options.seed, options.period, options.timer
    )
    quiet = options.quiet or options.json
    fixture, replayed = _bench(options.fixture)
    check(plan, fixture)
    path = options.out or _default_path(plan.name)
    report_path = path.with_suffix(".html")
    for file in (path, report_path, folder_of(path)):
        check_new_file(file)
    if options.junit is not None:
        check_junit(options.junit)
    with interruptible() as stop, progress_for(quiet=quiet) as on_progress:
        opener: OpenBench = partial(open_bench, stop=stop, on_progress=_silent if quiet else _tell)
        if replayed is not None:
            opener = partial(open_replay, replayed)
        failure = run(plan, fixture, path, on_progress, stop, opener)
    if failure is not None:
        print(f"rig: {failure}", file=sys.stderr)
    result = store(path)
    write_page(report_path, result)
    windows = write_outliers(path, result.settings)
    show_result(result, as_json=options.json)
    if options.junit is not None:
        write_junit(options.junit, [result])
    if not options.json:
        print(f"report:   {report_path}")
    if windows is not None and not options.json:
        print(f"windows:  {windows}/ (waveforms of the maximum and of outliers, for PulseView)")
    return result.exit_code


def _bench(name: str) -> tuple[Fixture, Path | None]:
    """A fixture, and the run file that replays it, if it is one's."""
    if not name.startswith(REPLAY_PREFIX):
        return load_fixture(name), None
    file = Path(name.removeprefix(REPLAY_PREFIX))
    return replay_fixture(file), file


def _tell(text: str) -> None:
    """What takes long before anything is measured; a progress bar moves out of the way."""
    print(text, file=sys.stderr, flush=True)


def _silent(_text: str) -> None:
    """Tells nothing."""


def _default_path(plan_name: str) -> Path:
    folder = Path("runs")
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise InputError(
            f"{folder}: cannot be created here ({error.strerror}); name a run file with --out"
        ) from None
    started = datetime.now().astimezone().strftime("%Y%m%d-%H%M%S")
    return folder / f"{plan_name}-{started}.h5"


@contextmanager
def interruptible() -> Iterator[threading.Event]:
    """An event that Ctrl-C or SIGTERM sets: the run stops its instruments and keeps its file."""
    stop = threading.Event()

    def ask(_number: int, _frame: FrameType | None) -> None:
        stop.set()

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
