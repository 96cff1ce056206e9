# SPDX-License-Identifier: GPL-3.0-or-later
"""The frequency of a processor of the target: its limits, and holding it for a measurement.

The agent gives it back at STOP and with its link, whatever happens here.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, Protocol

from rig.errors import BenchError, RefusedError, RigError
from rig.instruments import FrequencyCourse
from rig.target.protocol import ProtocolError, number

STEPS_MAX: Final = 64
_DIGITS_MAX: Final = 12


class NotGivenBackError(BenchError):
    """A processor's limits are not as they were before."""


class Adjustable(Protocol):
    """A target whose agent knows FREQUENCY, if its greeting says so."""

    greeting: Mapping[str, str]

    def frequency(self, words: str) -> Mapping[str, str]:
        """Send `STATE cpu=N`, `HOLD cpu=N khz=F` or `RELEASE`; return the agent's reply."""


@dataclass(frozen=True)
class CpuState:
    """One processor, as the target's kernel reports it."""

    minimum_khz: int
    maximum_khz: int
    """The upper limit when nothing is held, as `minimum_khz` is the lower."""
    current_khz: int | None
    """The frequency at which it runs, None if not reported."""
    steps_khz: tuple[int, ...]
    """The only frequencies that it can have; empty if not reported."""

    def near(self, khz: int) -> int:
        """The nearest frequency within the limits that it can have."""
        within = [step for step in self.steps_khz if self.minimum_khz <= step <= self.maximum_khz]
        return min(within, key=lambda step: abs(step - khz), default=khz)

    @property
    def levels_khz(self) -> tuple[int, ...]:
        """Lowest, middle and highest, without repeats."""
        middle = (self.minimum_khz + self.maximum_khz) // 2
        return tuple(sorted({*map(self.near, (self.minimum_khz, middle, self.maximum_khz))}))


def frequency_course(pairs: Mapping[str, str]) -> FrequencyCourse | None:
    """Return the course that an agent's account tells; None: it tells of none.

    Raises ProtocolError.
    """
    if "frequency_cpu" not in pairs:
        return None
    told = dict(pairs)
    names = ("cpu", "first_khz", "last_khz")
    cpu, first_khz, last_khz = (number(told, f"frequency_{name}") for name in names)
    changes = number(told, "frequency_changes") if "frequency_changes" in told else None
    return FrequencyCourse(cpu, first_khz, last_khz, changes)


def reported_khz(value: object) -> int:
    """Return a frequency of an environment: a number, or the kernel's text. Raises ValueError."""
    text = str(value)
    if not (text.isascii() and text.isdigit() and len(text) <= _DIGITS_MAX):
        raise ValueError(f"{text[:20]!r} is no frequency in kHz")
    return int(text)


def can_adjust(target: Adjustable) -> bool:
    """Return whether the target's agent knows FREQUENCY at all."""
    return target.greeting.get("frequency") == "1"


def read_state(target: Adjustable, cpu: int) -> CpuState:
    """Ask for a processor's state. Raises RefusedError in the agent's words, BenchError."""
    return _state(target.frequency(f"STATE cpu={cpu}"))


@contextmanager
def locked_frequency(target: Adjustable, cpu: int, khz: int) -> Iterator[CpuState]:
    """Hold the processor at this frequency for one measurement; it is released on every path.

    Raises RefusedError if the agent cannot, NotGivenBackError, and BenchError.
    """
    try:
        yield _state(target.frequency(f"HOLD cpu={cpu} khz={khz}"))
    except BaseException:
        with contextlib.suppress(RigError):  # with a link that is lost the agent gives it back
            target.frequency("RELEASE")
        raise
    try:
        target.frequency("RELEASE")
    except RefusedError as refusal:
        raise NotGivenBackError(str(refusal)) from refusal


def _state(pairs: Mapping[str, str]) -> CpuState:
    told = dict(pairs)
    try:
        steps = tuple(filter(None, told.get("steps_khz", "").split(",")))[:STEPS_MAX]
        found = CpuState(
            number(told, "minimum_khz"),
            number(told, "maximum_khz"),
            number(told, "current_khz") if "current_khz" in told else None,
            tuple(number({"steps_khz": step}, "steps_khz") for step in steps),
        )
    except ProtocolError as error:
        raise BenchError(f"the agent's account of the processor's frequency: {error}") from None
    if not 0 < found.minimum_khz <= found.maximum_khz < 10**9:
        raise BenchError(
            "the agent's account of the processor's frequency: limits "
            f"{found.minimum_khz} and {found.maximum_khz} kHz; is it an agent of this rig?"
        )
    return found
