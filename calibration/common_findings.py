# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings that several measuring steps share: what was seen, and what to do."""

from __future__ import annotations

from calibration.findings import Finding
from calibration.trains import Sent


def shown(text: str) -> str:
    """Return a text from outside in printable characters, short enough for a record."""
    return "".join(each for each in text if each.isprintable())[:150]


def train_not_seen(channel: int, edges: int, pulses: int) -> Finding:
    return Finding(
        "train not seen",
        f"D{channel} shows {edges} rising edges of {pulses} pulses that were sent",
        "Check what this step says to connect, and the wiring: `rig calibrate wiring`. If only a "
        "few are missing, samples were lost: `rig calibrate instruments`.",
    )


def unsteady() -> Finding:
    return Finding(
        "unsteady clock",
        "the train does not keep to its clock, and nothing below a sample can be told",
        "Let the microcontroller warm up for some minutes; see that it runs from a crystal.",
        fault=False,
    )


def lost(text: str) -> Finding:
    return Finding(
        "samples lost",
        f"samples may be missing: {text}",
        "Choose a lower sample rate, another USB port, or give the computer less else to do.",
    )


def no_clock(channel: int, why: str) -> Finding:
    return Finding(
        "no clock",
        f"D{channel} and the agent's log: {why}",
        "Check that the answering pin is on this channel and the interrupt line is connected: "
        "`rig calibrate wiring`; then look at the target's counter: `rig calibrate counter`.",
    )


def no_rate(why: str) -> Finding:
    return Finding(
        "no rate",
        f"the pulses keep to no clock: {why}",
        "Samples were lost, most likely: `rig calibrate edge-shape` tells where.",
    )


def contradiction(text: str) -> Finding:
    return Finding(
        "log contradicts edges",
        text,
        "Samples were lost, the counter jumps, or something else moves the pin: "
        "docs/explanation/clocks.md.",
    )


def counter_wraps(text: str) -> Finding:
    return Finding(
        "counter wraps",
        f"the target's {text}",
        "Nothing: runs undo them too, as long as several events come between two wraps.",
        fault=False,
    )


def of_capture(sent: Sent) -> tuple[Finding, ...]:
    """Return findings for what the analyzer and the microcontroller themselves report as wrong."""
    found = [lost(loss.text) for loss in sent.heard.losses]
    if sent.status.late or sent.status.sent != sent.train.count:
        found.append(
            Finding(
                "train failed",
                f"the microcontroller sent {sent.status.sent} of {sent.train.count} pulses, "
                f"{sent.status.late} edges late",
                "Flash the stimulus firmware again, as firmware/README.md says.",
            )
        )
    return tuple(found)
