# SPDX-License-Identifier: GPL-3.0-or-later
"""Fifth stage: one wire after the other, each looked at while it is being connected."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from calibration.context import StepContext
from calibration.findings import Finding
from calibration.steps.wiring import check_wires
from calibration.wizard import detected_wiring
from calibration.wizard.bench import grounds_of, is_virtual
from calibration.wizard.session import opened
from calibration.wizard.stages.stage import Stage, StageContext
from calibration.wizard.state import WizardState

NAME = "connect"


def explain(state: WizardState) -> tuple[str, ...]:
    if is_virtual(state):
        return ("Every wire is driven from its own end, and looked for at the other, as you would "
                "connect one after the other.",)  # fmt: skip
    return (
        f"With everything switched off: {grounds_of(state)}. Then plug in the microcontroller, "
        "the analyzer and the target.",
        "Each wire is driven from its own end with a number of pulses of its own, and looked for "
        "at the other. Switch off before you change a wire between boards of different voltage.",
    )


@dataclass(frozen=True)
class WireCheck:
    """A check of single wires on an open bench."""

    _context: StepContext
    _job: StageContext
    _channels: dict[str, int | None] = field(default_factory=dict)
    """The channel where each wire that was looked at arrives; None: it is not sound."""

    def check(self, signal: str) -> tuple[Finding, ...]:
        """Return what is wrong with this wire; () if nothing. Raises BenchError, StoppedError."""
        seen = check_wires(self._context, self._job.progress, [signal])
        self._channels[signal] = detected_wiring.channel_seen(signal, seen)
        found = detected_wiring.complete(self._context.fixture, self._channels)
        detected_wiring.write(self._job.place.as_found, found)
        return tuple(map(detected_wiring.offered, seen.findings))


@contextmanager
def open_wires(job: StageContext) -> Iterator[WireCheck]:
    """Open the bench for checks; it is closed on every path. Raises RigError."""
    fixture = job.fixture
    with opened(job, fixture) as context:
        # What was found sound before is where the fixture says.
        known = {signal: fixture.channel_of(signal) for signal in job.state.checked}
        detected_wiring.write(job.place.as_found, ())
        yield WireCheck(context, job, dict(known))


STAGE = Stage(NAME, "Connect wire by wire", explain)
