# SPDX-License-Identifier: GPL-3.0-or-later
"""The wiring check's findings: what was seen, and what to do. One function a finding."""

from __future__ import annotations

from calibration.findings import Finding
from rig.config.fixture import STIMULUS, TASK, Wire

FAMILY = (
    "Of the voltage families: a 5 V input of the microcontroller wants 3.0 V for high, a 3.3 V pin "
    "barely gives that; set the analyzer's threshold, if it has one, to half the level."
)


def driver_of(wire: Wire) -> str:
    """The pin that drives a wire, in a few words."""
    if wire.signal == STIMULUS:
        return f"microcontroller {wire.stimulus_pin or 'output'}"
    return f"target {wire.target_line}" if wire.target_line else "target"


def swapped(wire: Wire, other: Wire) -> Finding:
    return Finding(
        "swapped",
        f"{wire.signal} and {other.signal} are swapped: {wire.signal} arrives on D{other.channel}, "
        f"{other.signal} on D{wire.channel}",
        f"Exchange the clips D{wire.channel} and D{other.channel}, or take the wiring as found "
        "with --write-fixture.",
        signals=(wire.signal, other.signal),
    )


def misplaced(wire: Wire, other: Wire) -> Finding:
    return Finding(
        "misplaced",
        f"{wire.signal} arrives on D{other.channel}, where {other.signal} should be",
        f"Put {wire.signal}'s clip on D{wire.channel}, and look where {other.signal}'s is.",
        signals=(wire.signal,),
    )


def moved(wire: Wire, channel: int) -> Finding:
    return Finding(
        "moved",
        f"{wire.signal} arrives on D{channel}, not on D{wire.channel}",
        f"Move the clip to D{wire.channel}, or take the wiring as found with --write-fixture.",
        signals=(wire.signal,),
    )


def shorted(wire: Wire, other: Wire) -> Finding:
    return Finding(
        "shorted",
        f"{wire.signal} and {other.signal} touch: pulses of {wire.signal} arrive on "
        f"D{wire.channel} and on D{other.channel}",
        "Look for clips or strands that touch, and for a bridge on the breadboard. Switch off "
        "first: two outputs against each other get hot.",
        signals=(wire.signal, other.signal),
    )


def bridged(wire: Wire, channel: int) -> Finding:
    return Finding(
        "bridged",
        f"{wire.signal} also arrives on D{channel}, which no wire of the fixture uses",
        "Nothing, if that clip hangs free and only picks it up.",
        fault=False,
        signals=(wire.signal,),
    )


def inverted(wire: Wire) -> Finding:
    return Finding(
        "inverted",
        f"{wire.signal} arrives upside down on D{wire.channel}: it rests high and pulses low",
        "Take out the inverting level shifter, buffer or transistor, or use two of them.",
        signals=(wire.signal,),
    )


def one_way(wire: Wire, level: int) -> Finding:
    way, back = ("up", "down") if level else ("down", "up")
    return Finding(
        "one way",
        f"{wire.signal} follows {way} on D{wire.channel} but not {back}: edges one way are missing",
        f"Check the ground wire, and that {driver_of(wire)} drives both ways: an open-drain output "
        f"needs a pull-up, and a wrong voltage family does this too. {FAMILY}",
        signals=(wire.signal,),
    )


def garbled(wire: Wire, edges: int) -> Finding:
    return Finding(
        "garbled",
        f"{wire.signal}: D{wire.channel} shows {edges} edges that are not its pulses",
        f"Check the ground wire and shorten the wire. {FAMILY}",
        signals=(wire.signal,),
    )


def noisy(wire: Wire, edges: int) -> Finding:
    return Finding(
        "noisy",
        f"{wire.signal}: D{wire.channel} shows its pulses, and {edges} edges that nobody drove",
        "Check the ground wire, keep the wires short and apart; look for a loose clip.",
        signals=(wire.signal,),
    )


def stuck_high(wire: Wire) -> Finding:
    return Finding(
        "stuck high",
        f"{wire.signal}: D{wire.channel} is always high",
        f"Look for a clip on the supply, a short to it, or another output on the wire; else "
        f"{driver_of(wire)} does not drive and a pull-up is seen.",
        signals=(wire.signal,),
    )


def open_or_low(wire: Wire, listener: str, *, heard: bool) -> Finding:
    """`listener`: who else is on the wire and was asked, "" for nobody; `heard`: it sees pulses."""
    if heard:
        return Finding(
            "open",
            f"{wire.signal}: no pulse arrives on D{wire.channel}, though {listener} sees them: the "
            "way from that wire to the analyzer is open, or the level too low for it; the wire "
            "itself is not shorted to ground, only what a resistor or level shifter keeps apart",
            f"Check the clip on D{wire.channel} and its ground. {FAMILY}",
            signals=(wire.signal,),
        )
    nor = f", nor does {listener} see any" if listener else ""
    return Finding(
        "open",
        f"{wire.signal}: no pulse arrives on D{wire.channel} or anywhere else{nor}; it stays low: "
        "open, shorted to ground, held low by another output, or its level too low",
        f"Tell them apart with a meter. All off: D{wire.channel}'s clip to ground below 10 ohms is "
        f"a short; {driver_of(wire)} to that clip above 10 ohms is open. Both sound: clip off and "
        f"all on, {driver_of(wire)} alone now pulses above 2 V, or it does not drive (another pin, "
        f"a wrong voltage family); if it does, something else holds the wire low. {FAMILY}",
        signals=(wire.signal,),
    )


def capture_silent(wire: Wire) -> Finding:
    return Finding(
        "capture open",
        f"{wire.signal} does not arrive at the microcontroller's {wire.stimulus_pin}",
        f"Check the wire from {driver_of(wire)} to {wire.stimulus_pin}. If the analyzer sees it, "
        f"the wrong voltage family is likely: a 3.3 V target needs a level shifter. {FAMILY}",
        signals=(wire.signal,),
    )


def capture_wrong(wire: Wire, edges: int, expected: int) -> Finding:
    return Finding(
        "capture garbled",
        f"{wire.signal}: {wire.stimulus_pin} saw {edges} edges of {expected}",
        f"Check that wire and the ground between target and microcontroller. {FAMILY}",
        signals=(wire.signal,),
    )


def capture_hears(wire: Wire, other: Wire) -> Finding:
    return Finding(
        "capture wrong",
        f"the microcontroller's {wire.stimulus_pin} sees pulses of {other.signal}",
        f"Connect {wire.stimulus_pin} to {driver_of(wire)} and to nothing else.",
        signals=(wire.signal, other.signal),
    )


def interrupt_silent(wire: Wire) -> Finding:
    line = wire.target_line or "its interrupt line"
    return Finding(
        "interrupt open",
        f"the target counts no interrupt: {wire.signal} does not reach {line}",
        f"Check the wire from {driver_of(wire)} to {line}, then that the target's port has its "
        "interrupt: `rig target probe`.",
        signals=(wire.signal,),
    )


def interrupt_wrong(wire: Wire, handled: int, expected: int) -> Finding:
    return Finding(
        "interrupt garbled",
        f"the target counted {handled} interrupts of {expected} pulses",
        "More than sent: slow or ringing edges, shorten the wire and check its ground. Fewer: the "
        "target lost some at 1 ms intervals, look at what it is busy with.",
        signals=(wire.signal,),
    )


def interrupt_not_asked(why: str) -> Finding:
    """A wire that was not looked at is no sound wire."""
    return Finding(
        "interrupt not checked",
        "the target's interrupt line was not checked",
        f"The target says: {why}. Start its agent with a port that has interrupts.",
    )


def not_driven(signal: str, why: str) -> Finding:
    """A wire that was not looked at is no sound wire, if its kind can be looked at at all."""
    return Finding(
        "not checked",
        f"{signal} was not driven, and so not checked",
        f"Look at this wire yourself: {why}.",
        fault=signal != TASK,
        signals=(signal,),
    )


def wrong_rate(rate_hz: float, nominal_hz: int) -> Finding:
    return Finding(
        "wrong rate",
        f"the analyzer samples at {rate_hz / 1e6:.6g} MHz, not at {nominal_hz / 1e6:.6g} MHz",
        "Set a rate in the fixture that the analyzer really has; check that the microcontroller's "
        "crystal has the rate that its firmware is for.",
    )


def lost(text: str) -> Finding:
    return Finding(
        "samples lost",
        f"samples may be missing: {text}",
        "Choose a lower sample rate, another USB port, or give the computer less else to do.",
    )
