# SPDX-License-Identifier: GPL-3.0-or-later
"""What a stimulus says of itself, and whether its clock can be the one that it names."""

from __future__ import annotations

import time
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass

from rig.resources import firmware_manifest
from rig.services.finding import DoctorFinding
from rig.services.stimulus_loopback import loopback_findings
from rig.stimulus.chip import StimulusChip, chip_named
from rig.stimulus.device import SerialStimulus

CLOCK_OFF_MAX_PPM = 20_000.0
"""Beyond any crystal and ceramic resonator: it is an RC oscillator, or another chip."""
HOST_OFF_PPM = 100.0
"""What the host's own clock may be off."""
SPAN_S = 1.0
_READINGS = 8


@dataclass(frozen=True)
class ClockError:
    """How much faster a chip's clock is than its nominal rate, by the host's clock."""

    ppm: float
    within_ppm: float
    """Limits of its error, either way."""

    @property
    def is_believable(self) -> bool:
        """Whether the clock may be what it says."""
        return abs(self.ppm) - self.within_ppm <= CLOCK_OFF_MAX_PPM


@dataclass(frozen=True)
class _Reading:
    """The chip's ticks at a time between two of the host's."""

    before_s: float
    ticks: int
    after_s: float


def probe_stimulus(
    port: str, chip_name: str, loopback_s: float | None = None
) -> Iterator[DoctorFinding]:
    """Yield the findings on the stimulus at a port.

    Its pins stay at rest, unless there is time for its loopback: then its stimulus pin must be
    wired to its response pin.

    Raises:
        BenchError: nothing, or something else, answers there.
    """
    chip = chip_named(chip_name)
    with SerialStimulus.open(port, chip) as stimulus:
        identity = stimulus.identity
        about = f"{identity.maker} {identity.model} on {port}, serial number {identity.serial}"
        yield DoctorFinding("stimulus", about)
        yield _firmware(identity.firmware, chip_name)
        yield clock_finding(clock_error(stimulus), chip)
        if loopback_s is not None:
            yield from loopback_findings(stimulus, chip, loopback_s)
            return
    stimulus_pin, response_pin = (chip.pins[signal] for signal in ("stimulus", "response"))
    hint = (
        f"{stimulus_pin} to the target's interrupt line, its answer to {response_pin}, GND to its "
        f"ground; {stimulus_pin} on {response_pin} alone: `rig stimulus probe --loopback`"
    )
    yield DoctorFinding("wires", hint)


def _firmware(version: str, chip_name: str) -> DoctorFinding:
    manifest = tomllib.loads(firmware_manifest(chip_name).read_text(encoding="utf-8"))
    shipped = manifest["firmware_version"]
    if version == shipped:
        return DoctorFinding("firmware", f"{version}, the one that comes with this rig")
    state = f"{version}; {shipped} comes with this rig"
    return DoctorFinding("firmware", state, "rig stimulus flash", needed=False)


def clock_error(stimulus: SerialStimulus, span_s: float = SPAN_S) -> ClockError:
    """Compare the clock with the host's over a while. Raises BenchError."""
    nominal_hz = stimulus.identity.clock_hz
    first = _reading(stimulus)
    time.sleep(span_s)
    last = _reading(stimulus)
    elapsed_s = (last.before_s + last.after_s - first.before_s - first.after_s) / 2
    unsure_s = (first.after_s - first.before_s + last.after_s - last.before_s) / 2
    ratio = (last.ticks - first.ticks) / nominal_hz / elapsed_s
    return ClockError((ratio - 1) * 1e6, unsure_s / elapsed_s * 1e6 * abs(ratio) + HOST_OFF_PPM)


def _reading(stimulus: SerialStimulus) -> _Reading:
    """Return the reading of some whose exchange took the least time."""
    readings = []
    for _ in range(_READINGS):
        before_s = time.monotonic()
        ticks = stimulus.ticks()
        readings.append(_Reading(before_s, ticks, time.monotonic()))
    return min(readings, key=lambda each: each.after_s - each.before_s)


def clock_finding(error: ClockError, chip: StimulusChip) -> DoctorFinding:
    """Return whether the chip's clock can be what it says."""
    state = (
        f"{chip.clock_hz / 1e6:g} MHz {error.ppm:+,.0f} ppm, +- {error.within_ppm:,.0f} ppm, by "
        f"this computer's clock over {SPAN_S:g} s"
    )
    if error.is_believable:
        return DoctorFinding("clock", state)
    mend = (
        f"no crystal or resonator is off by 2 %: this is no {chip.title} at "
        f"{chip.clock_hz / 1e6:g} MHz. LGT8F328P clones run from an RC oscillator and count other "
        "cycles; use another board"
    )
    return DoctorFinding("clock", state, mend)
