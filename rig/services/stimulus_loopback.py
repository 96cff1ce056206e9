# SPDX-License-Identifier: GPL-3.0-or-later
"""A stimulus alone, its pin wired to its own input: pulses that leave late, stamps that are lost.

The shortest intervals that the firmware promises were found in an emulator, which has no receiver
that overruns and no USB bridge that loses bytes. Here a board is asked itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rig.arrays import Int64Array
from rig.errors import BenchError
from rig.instruments import StimulusState, StimulusStatus
from rig.services.finding import DoctorFinding
from rig.stimulus.chip import StimulusChip
from rig.stimulus.device import SerialStimulus
from rig.stimulus.train import PATTERNS, Pattern, Polarity, Train

SECONDS = 2.0
SECONDS_MIN, SECONDS_MAX = 0.05, 3600.0
_OF_A_PATTERN = 1 / 4
"""The time at each pattern's shortest intervals, of that for the captures."""
_CAPTURE_PERIOD_S = 1e-3
_DELAY_MAX_TICKS = 16
"""A wire's, the synchronizer's and the noise canceler's of an ATmega328P are 6 to 8."""
_FETCH_EDGES, _FETCH_MS = 64, 50


@dataclass(frozen=True)
class _Sent:
    train: Train
    status: StimulusStatus
    captured_ticks: Int64Array
    damaged: int
    """Replies that were damaged on the serial line, and asked for again."""


def loopback_findings(
    stimulus: SerialStimulus, chip: StimulusChip, seconds: float = SECONDS
) -> Iterator[DoctorFinding]:
    """Yield how the stimulus keeps its shortest intervals, and how its captures arrive.

    Args:
        stimulus: opened, its stimulus pin wired to its response pin and to nothing else.
        chip: the chip that it is.
        seconds: time for the captures.

    Raises:
        BenchError: it does not answer any more, or refuses a train.
    """
    sent = _send(stimulus, _capture_train(chip, seconds))
    yield _captures(sent, chip)
    if sent.status.captured:
        for mnemonic, (least, _) in chip.limits.interval_ticks.items():
            train = _fastest_train(chip, mnemonic, least, seconds * _OF_A_PATTERN)
            yield _punctuality(_send(stimulus, train), chip)


def _capture_train(chip: StimulusChip, seconds: float) -> Train:
    """Return a train that leaves the host time: two edges a millisecond."""
    period = round(_CAPTURE_PERIOD_S * chip.clock_hz)
    return Train(
        Pattern.PERIODIC, max(1, round(seconds / _CAPTURE_PERIOD_S)), 1,
        chip.limits.delay_ticks[0], period // 2, Polarity.POSITIVE,
        period_ticks=period, limits=chip.limits,
    )  # fmt: skip


def _fastest_train(chip: StimulusChip, mnemonic: str, least: int, seconds: float) -> Train:
    return Train(
        mnemonic, max(1, round(seconds * chip.clock_hz / least)), 1, chip.limits.delay_ticks[0],
        chip.limits.width_ticks[0], Polarity.POSITIVE,
        limits=chip.limits, **PATTERNS[mnemonic].fastest(least),
    )  # fmt: skip


def _send(stimulus: SerialStimulus, train: Train) -> _Sent:
    """Send a train, and fetch what is captured as a run does. Raises BenchError."""
    stimulus.configure(train)
    stimulus.start()
    blocks = [stimulus.fetch(_FETCH_EDGES, _FETCH_MS)]
    while blocks[-1].running or len(blocks[-1].ticks):
        blocks.append(stimulus.fetch(_FETCH_EDGES, _FETCH_MS))
    status = stimulus.status()
    if status.state is not StimulusState.DONE:
        raise BenchError("the microcontroller has not ended its train; reset it and try again")
    ticks = np.concatenate([block.ticks for block in blocks]).astype(np.int64)
    return _Sent(train, status, ticks, sum(block.damaged for block in blocks))


def _captures(sent: _Sent, chip: StimulusChip) -> DoctorFinding:
    """Return what became of the stamps: each pulse has two edges."""
    edges, what = 2 * sent.train.count, "captures"
    came = len(sent.captured_ticks)
    if not sent.status.captured:
        mend = f"{chip.pins['stimulus']} to {chip.pins['response']} by a wire, nothing else there"
        return DoctorFinding(what, f"none of {edges:,} edges of its own was captured", mend)
    state = f"{came:,} of {edges:,} edges, {sent.damaged} replies damaged on the serial line"
    if came != edges:
        mend = (
            "this computer or a USB hub is slow, or the cable bad: try another of each"
            if came < edges
            else "noise: a shorter wire, nothing else on the pin"
        )
        return DoctorFinding(what, state, mend, needed=False)
    planned = sent.train.edges(0, sent.train.count)
    delays = sent.captured_ticks - np.stack([planned, planned + sent.train.width_ticks], 1).ravel()
    state += f", each {delays.min()} to {delays.max()} ticks after it left"
    if delays.min() < 0 or delays.max() > _DELAY_MAX_TICKS:
        mend = "is there more than a wire between the pins? A slow edge is captured late"
        return DoctorFinding(what, state, mend, needed=False)
    return DoctorFinding(what, state)


def _punctuality(sent: _Sent, chip: StimulusChip) -> DoctorFinding:
    """Return whether all pulses left in time."""
    train, status = sent.train, sent.status
    what = f"{train.shape.name} train"
    us_a_tick = 1e6 / chip.clock_hz
    state = f"{status.sent:,} pulses at {train.shortest_interval_ticks * us_a_tick:g} us"
    if not status.late and status.sent == train.count:
        return DoctorFinding(what, f"{state}, none late")
    late_us = status.late_max_ticks * us_a_tick
    state += f" of {train.count:,}, {status.late:,} edges late by up to {late_us:.3g} us"
    mend = (
        "this board does not keep what its firmware promises; give plans longer intervals, and "
        "tell: firmware/PROTOCOL.md, Limits"
    )
    return DoctorFinding(what, state, mend)
