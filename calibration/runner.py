# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs steps of the calibration one after the other on one open bench."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence

from calibration.benches import Benches
from calibration.context import OpenBench, Progress, StepContext, StoppedError
from calibration.findings import StepOutcome
from calibration.settings import CalibrationSettings
from calibration.steps import STEPS, Step
from rig.config.fixture import Fixture
from rig.errors import InputError, RigError, nearest

ALL = "all"


def chosen(names: Sequence[str]) -> tuple[Step, ...]:
    """The steps of these names, in their own order. Raises InputError.

    None or "all" is all that the same connections serve.
    """
    for name in names:
        if name != ALL and name not in STEPS:
            valid = ", ".join((*STEPS, ALL))
            raise InputError(f"{name}: no step{nearest(name, STEPS)}; valid: {valid}")
    if not names or ALL in names:
        return tuple(step for step in STEPS.values() if not step.apart or step.name in names)
    return tuple(step for step in STEPS.values() if step.name in names)


def run_steps(
    fixture: Fixture,
    steps: Sequence[Step],
    open_bench: OpenBench,
    on_step: Callable[[Step], None] = lambda _step: None,
    on_progress: Progress = lambda _text: None,
    stop: threading.Event | None = None,
    settings: CalibrationSettings | None = None,
) -> Iterator[StepOutcome]:
    """Open the bench, run each step, close the bench on every path; an outcome as it comes.

    Raises BenchError, InputError, and StoppedError once `stop` is set.
    """
    stop = stop or threading.Event()
    try:
        with Benches(fixture, open_bench) as benches:
            for step in steps:
                bench = benches.own()
                context = StepContext(
                    fixture, bench, stop, settings or CalibrationSettings(), benches.other
                )
                context.check_stop()
                on_step(step)
                try:
                    yield step.run(context, on_progress)
                except StoppedError:
                    raise
                except RigError as error:
                    raise bench.cause_of(error) from error
    except RigError as error:
        if stop.is_set() and not isinstance(error, StoppedError):
            raise StoppedError from error
        raise
