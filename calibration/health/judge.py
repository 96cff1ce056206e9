# SPDX-License-Identifier: GPL-3.0-or-later
"""Health of the instruments. Pure: values in, findings out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from calibration.findings import Finding
from calibration.health import finding_texts
from rig import __version__
from rig.config.fixture import STIMULUS, Fixture
from rig.instruments import Int64Array

RATE_TOLERANCE = 0.01
"""The part a rate may be off: resonators are within 0.5 %, more is another setting."""


@dataclass(frozen=True)
class Health:
    """The readings and counts that health is judged by."""

    rate_hz: float
    """The sample rate by the microcontroller's clock; 0 if too few pulses were seen."""
    set_hz: int
    """The sample rate as the driver reports it."""
    channels: int
    pulses: int
    """The number of pulses asked for."""
    sent: int
    late: int
    seen: int
    """The number of leading edges on the stimulus's channel."""
    holes: tuple[int, int]
    """The number of intervals between pulses that are too short, and of their missing samples."""
    losses: tuple[str, ...]
    invariant: bool
    """Whether the target's cycle counter keeps its rate."""
    agent_version: str
    firmware: str


def holes(rising: Int64Array) -> tuple[int, int]:
    """Count a periodic train's intervals that are too short, and the samples they lack.

    `rising` has shape (n,), sample indexes. What an interval may differ by is two samples and the
    jitter of a clock, a thousandth.
    """
    if len(rising) < 3:
        return 0, 0
    intervals = np.diff(rising)
    usual = float(np.median(intervals))
    short = usual - intervals
    hit = short > 2 + usual / 1000
    return int(hit.sum()), round(float(short[hit].sum()))


def findings(fixture: Fixture, health: Health) -> tuple[Finding, ...]:
    """Return all that is wrong or worth saying."""
    return (*_of_analyzer(fixture, health), *_of_others(health))


def _of_analyzer(fixture: Fixture, health: Health) -> Iterator[Finding]:
    asked = fixture.analyzer
    if health.set_hz != asked.sample_rate_hz:
        yield finding_texts.other_rate_set(health.set_hz, asked.sample_rate_hz)
    if health.channels < asked.channels:
        yield finding_texts.few_channels(health.channels, asked.channels)
    for text in health.losses:
        yield finding_texts.lost(text)
    if health.seen == 0:
        yield finding_texts.nothing_seen(fixture.channel_of(STIMULUS))
        return
    if health.seen != health.sent:
        yield finding_texts.miscounted(health.seen, health.sent)
    if health.holes[0]:
        yield finding_texts.holes(*health.holes)
    # Where samples are missing, the distances of edges tell no rate.
    elif health.seen == health.sent and abs(health.rate_hz / health.set_hz - 1) > RATE_TOLERANCE:
        yield finding_texts.wrong_rate(health.rate_hz, health.set_hz)


def _of_others(health: Health) -> Iterator[Finding]:
    if health.sent != health.pulses or health.late:
        yield finding_texts.train_failed(health.sent, health.pulses, health.late)
    if not health.invariant:
        yield finding_texts.counter_varies()
    if health.agent_version != __version__:
        yield finding_texts.other_agent(health.agent_version, __version__)
