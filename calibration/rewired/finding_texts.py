# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings about a step's own wires: what was seen, and what to do. One function a finding."""

from __future__ import annotations

from calibration.findings import Finding


def not_there(channel: int, signal: str, pin: str, edges: int) -> Finding:
    """`edges`: of something else that the channel showed meanwhile."""
    other = f", but {edges} edges of something else" if edges else ""
    remedy = f"Clip D{channel} to {pin} too, for this step only; all grounds stay together."
    if edges:
        remedy += " Whatever else drives that channel must be taken off it."
    return Finding(
        "not connected",
        f"D{channel}{_of(signal)} does not show the pulses of {pin}{other}",
        remedy,
        signals=_signals(signal),
    )


def upside_down(channel: int, signal: str) -> Finding:
    return Finding(
        "inverted",
        f"D{channel}{_of(signal)} shows the pulses upside down",
        "Clip the channel to the pin itself, before an inverting level shifter or transistor.",
        signals=_signals(signal),
    )


def capture_hears_not(pin: str, capture: str, edges: int, wanted: int) -> Finding:
    return Finding(
        "capture open",
        f"the capture pin {capture} heard {edges} of {wanted} edges of {pin}",
        f"Connect {pin} and {capture} with each other, for this step only.",
        signals=("response",),
    )


def capture_hears_target(capture: str) -> Finding:
    return Finding(
        "target not off",
        f"the target's answering pin is still on the capture pin {capture}",
        "Take the target's pin off that wire: two outputs must not drive it against each other.",
        signals=("response",),
    )


def still_on(signal: str, channel: int) -> Finding:
    return Finding(
        "target not off",
        f"the target's pin of {signal} still arrives on D{channel}",
        f"Take the target's pin off D{channel}: two outputs must not drive it against each other.",
        signals=(signal,),
    )


def _of(signal: str) -> str:
    return f" ({signal})" if signal else " (the free channel)"


def _signals(signal: str) -> tuple[str, ...]:
    return (signal,) if signal else ()
