# SPDX-License-Identifier: GPL-3.0-or-later
"""The bench, open for what the wizard does on it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from calibration.context import StepContext, StoppedError
from calibration.settings import CalibrationSettings
from calibration.wizard.stages.stage import StageContext
from rig.config.fixture import Fixture
from rig.errors import RigError


@contextmanager
def opened(
    job: StageContext, fixture: Fixture, settings: CalibrationSettings | None = None
) -> Iterator[StepContext]:
    """Closed on every path. What fails within is told by its cause, a stop as a stop.

    Raises RigError.
    """
    job.progress("opening the instruments")
    try:
        with job.tools.open_bench(fixture, job.stop, job.progress) as bench:
            try:
                yield StepContext(fixture, bench, job.stop, settings or CalibrationSettings())
            except StoppedError:
                raise
            except RigError as error:
                raise bench.cause_of(error) from error
    except RigError as error:
        if job.stop.is_set() and not isinstance(error, StoppedError):
            raise StoppedError from error
        raise
