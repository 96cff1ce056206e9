# SPDX-License-Identifier: GPL-3.0-or-later
"""A train of known edges, and what the analyzer and the microcontroller saw of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from calibration.context import StepContext
from calibration.recording import Listener, Recording, listening
from rig.config.fixture import STIMULUS
from rig.errors import BenchError, InputError
from rig.instruments import Int64Array, StimulusState, StimulusStatus
from rig.stimulus.chip import StimulusChip
from rig.stimulus.train import Pattern, Polarity, Train

LOOK_MS = 100
SETTLE_MS = 200
FETCH_EDGES = 64
"""Half of what the firmware holds: while these are on their way there is room for more."""
DELAY_S = 0.002
WIDTH_MIN_US, WIDTH_MAX_US = 40, 2_000
SAMPLES_WIDE = 10
"""The least length of a pulse, so that a skew of some samples confuses no edges."""


def dithering_train(
    chip: StimulusChip,
    rate_hz: int,
    count: int,
    seed: int,
    interval_ticks: int = 0,
    width_ticks: int = 0,
) -> Train:
    """Return pulses whose phase against the samples is different each time.

    `interval_ticks`: the mean from pulse to pulse, and `width_ticks`: both become as long as the
    sample rate asks for. Raises InputError for a rate at which no pulse would be seen well.
    """
    clock_hz = chip.clock_hz
    least, most = (us * clock_hz // 10**6 for us in (WIDTH_MIN_US, WIDTH_MAX_US))
    width = max(least, width_ticks, -(-SAMPLES_WIDE * clock_hz // rate_hz))
    if width > most:
        raise InputError(f"sample rate {rate_hz} Hz: too slow for this step; valid: from 5 kHz")
    mean = max(interval_ticks, 3 * width)
    return Train(
        pattern=Pattern.UNIFORM,
        count=count,
        seed=seed,
        delay_ticks=round(DELAY_S * clock_hz),
        width_ticks=width,
        polarity=Polarity.POSITIVE,
        interval_min_ticks=mean * 3 // 4,
        interval_max_ticks=mean * 5 // 4,
    )


@dataclass(frozen=True)
class Sent:
    """A train that was sent, from one end to the other."""

    train: Train
    heard: Recording
    status: StimulusStatus
    captured_ticks: Int64Array
    """The edges that the microcontroller's input capture saw, shape (m,)."""

    @property
    def rising_ticks(self) -> Int64Array:
        """The planned edges, shape (n,), which the pin keeps unless the status counts late ones."""
        return self.train.edges(0, self.train.count)

    @property
    def falling_ticks(self) -> Int64Array:
        return self.rising_ticks + self.train.width_ticks


def reach_of(chip: StimulusChip, train: Train, rate_hz: int) -> int:
    """Return how many samples apart two channels may show one edge of a pulse."""
    return max(1, train.width_ticks * rate_hz // chip.clock_hz // 2)


def drive(
    context: StepContext, listener: Listener, train: Train
) -> tuple[StimulusStatus, Int64Array]:
    """Send a train in a capture under way, wait for its end; return its status and captured edges.

    Raises BenchError, StoppedError.
    """
    stimulus = context.bench.stimulus
    start_samples = listener.samples
    stimulus.configure(train)
    stimulus.start()
    captured: list[Int64Array] = []
    running = True
    while running:
        context.check_stop()
        block = stimulus.fetch(FETCH_EDGES, LOOK_MS)
        captured.append(block.ticks)
        running = block.running
        listener.pump()
    while len(rest := stimulus.fetch(FETCH_EDGES, SETTLE_MS).ticks):
        context.check_stop()
        captured.append(rest)
    status = stimulus.status()
    if status.state == StimulusState.RUNNING:
        raise BenchError("the microcontroller has not ended its train; reset it and try again")
    rate_hz = context.bench.analyzer.identity.sample_rate_hz
    listener.read_until(start_samples + rate_hz * status.now_ticks // context.chip.clock_hz)
    return status, np.concatenate(captured).astype(np.int64)


def send(context: StepContext, train: Train, before: Callable[[], None] = lambda: None) -> Sent:
    """Send a train in a capture of its own; `before` is done just before it."""
    with listening(context) as listener:
        before()
        status, captured = drive(context, listener, train)
        heard = listener.end()
    return Sent(train, heard, status, captured)


def stimulus_edges(context: StepContext, sent: Sent) -> tuple[Int64Array, Int64Array]:
    """Return rising and falling edges on the stimulus's channel, sample indexes."""
    index, level = sent.heard.of_channel(context.fixture.channel_of(STIMULUS))
    return index[level == 1], index[level == 0]
