# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings about the instruments: what was seen, and what to do. One function a finding."""

from __future__ import annotations

from calibration.findings import Finding
from calibration.wiring.finding_texts import lost, wrong_rate

__all__ = [
    "RESONATOR_ERROR", "counter_varies", "few_channels", "holes", "lost", "miscounted",
    "nothing_seen",
    "other_agent", "other_rate_set", "rate_too_high", "train_failed", "wrong_rate",
]  # fmt: skip

RESONATOR_ERROR = 0.005
"""Ceramic resonators of Unos are within this of their rate."""


def other_rate_set(set_hz: int, asked_hz: int) -> Finding:
    return Finding(
        "other rate",
        f"the analyzer took {set_hz / 1e6:.6g} MHz, the fixture asks for {asked_hz / 1e6:.6g} MHz",
        "Write a rate into the fixture that the analyzer has: `sigrok-cli --show` lists them.",
    )


def few_channels(there: int, asked: int) -> Finding:
    return Finding(
        "few channels",
        f"the analyzer has {there} channels, the fixture says {asked}",
        "Correct channels in the fixture.",
    )


def nothing_seen(channel: int) -> Finding:
    return Finding(
        "nothing seen",
        f"no pulse of the stimulus arrived on D{channel}",
        "Run the wiring check: `rig calibrate wiring`.",
    )


def miscounted(seen: int, sent: int) -> Finding:
    remedy = (
        "Samples were lost without a word: choose a lower sample rate or another USB port."
        if seen < sent
        else "Edges ring or something else is on the wire: check the ground, shorten the wire."
    )
    return Finding("miscounted", f"{seen} pulses were seen of {sent} that were sent", remedy)


def holes(intervals: int, samples: int) -> Finding:
    return Finding(
        "samples lost",
        f"{samples} samples are missing in {intervals} places, and the driver said nothing",
        "Choose a lower sample rate, another USB port without a hub, or give the computer less "
        "else to do; then run this step again.",
    )


def rate_too_high(own_hz: int, sustained_hz: int) -> Finding:
    """`sustained_hz`: the highest rate without loss; 0 if there was none."""
    if not sustained_hz:
        return Finding(
            "rate too high",
            "samples are lost at every rate that was tried",
            "Take another USB port without a hub and another cable, and give the computer less "
            "else to do; then run this step again.",
        )
    return Finding(
        "rate too high",
        f"{own_hz / 1e6:g} MHz is too much for this computer and port; {sustained_hz / 1e6:g} MHz "
        "is sustained without loss",
        f'Write sample_rate = "{sustained_hz / 1e6:g} MHz" into the fixture, or take another port.',
    )


def train_failed(sent: int, pulses: int, late: int) -> Finding:
    return Finding(
        "train failed",
        f"the microcontroller sent {sent} of {pulses} pulses, {late} edges late",
        "Flash the stimulus firmware again, as firmware/README.md says.",
    )


def counter_varies() -> Finding:
    return Finding(
        "counter varies",
        "the target's cycle counter may change its rate",
        "Fix the processor's frequency, or start the agent with --counter monotonic_raw.",
    )


def other_agent(version: str, own: str) -> Finding:
    return Finding(
        "other agent",
        f"the target's agent is of version {version}, this rig of {own}",
        "Put this rig's agent there: `rig target deploy`.",
        fault=False,
    )
