# SPDX-License-Identifier: GPL-3.0-or-later
"""The common part of the steps that compare channels: one train on several of them."""

from __future__ import annotations

from dataclasses import dataclass

from calibration import common_findings
from calibration.context import StepContext
from calibration.estimate.skew import ChannelSkew, Pulses, channel_skews
from calibration.findings import Finding
from calibration.trains import Sent, dithering_train, reach_of, send, stimulus_edges
from rig.config.fixture import STIMULUS

PULSES = 4000
SEED = 4
UNHURRIED_S = 0.001
WORTH_SAMPLES = 0.02
"""A delay below this is not worth a word."""


@dataclass(frozen=True)
class FanOutResult:
    """The result of one train on several channels."""

    sent: Sent
    reference: int
    """The channel that all others are compared with."""
    skews: dict[int, ChannelSkew]
    """The skews of the channels that show the train; empty if the reference does not."""
    findings: tuple[Finding, ...]


def fan_out(context: StepContext, *, unhurried: bool = False) -> FanOutResult:
    """Send a train, compare every channel with the stimulus's. Raises BenchError, StoppedError.

    `unhurried`: so slowly that the microcontroller can capture and tell of every edge.
    """
    identity = context.bench.analyzer.identity
    rate_hz = identity.sample_rate_hz
    chip = context.chip
    interval = round(UNHURRIED_S * chip.clock_hz) if unhurried else 0
    train = dithering_train(chip, rate_hz, PULSES, SEED, interval, interval * 3 // 8)
    sent = send(context, train)
    found = list(common_findings.of_capture(sent))
    reference = context.fixture.channel_of(STIMULUS)
    rising, falling = stimulus_edges(context, sent)
    skews: dict[int, ChannelSkew] = {}
    if len(rising) != PULSES or len(falling) != PULSES:
        found.append(common_findings.train_not_seen(reference, len(rising), PULSES))
    else:
        edges = {
            channel: sent.heard.of_channel(channel) for channel in range(len(identity.channels))
        }
        pulses = Pulses(sent.rising_ticks, sent.falling_ticks, rising, falling)
        skews = channel_skews(edges, reference, pulses, reach_of(chip, train, rate_hz))
        if not all(skew.steady for skew in skews.values()):
            found.append(common_findings.unsteady())
    return FanOutResult(sent, reference, skews, tuple(found))


def edges_differ(channel: int, skew: ChannelSkew, reference: int) -> tuple[Finding, ...]:
    """Return the finding of a channel that shows the train, but not as it was."""
    if not skew.missing and not skew.extra:
        return ()
    return (
        Finding(
            "edges differ",
            f"D{channel} lacks {skew.missing} edges that D{reference} shows, and shows "
            f"{skew.extra} more",
            "Check its clip and ground; set the threshold to half the level.",
        ),
    )
