# SPDX-License-Identifier: GPL-3.0-or-later
"""The wires of one step for a terminal: the stimulus pin at the left, its ends at the right."""

from __future__ import annotations

from dataclasses import dataclass

from calibration.rewired.rewired import Rewired
from rig.config.board import Board
from rig.config.fixture import RESPONSE, STIMULUS, Fixture

REACH = 30
"""The characters from the pin to the other end."""
FAR_END = "free channel, at the target's end"


@dataclass(frozen=True)
class End:
    """One end that the stimulus pin is connected to."""

    name: str
    """The end's name: `D1`, or a pin of the microcontroller."""
    what: str
    """What the end is, in a few words."""
    signal: str = ""
    off: str = ""
    """What has to be taken off the end; "" if nothing."""
    through: str = ""
    """The signal whose own wire or level shifter lies before the end; "" if none does."""
    capture: bool = False
    """Whether the end is a pin of the microcontroller itself."""


def ends_of(target: Board, stimulus: Board, fixture: Fixture, rewired: Rewired) -> tuple[End, ...]:
    """Return the stimulus pin's ends, from the stimulus's channel to the capture pin.

    What drives the response's wire is at the target's end, what drives the stimulus's is not.
    """
    behind = rewired.through if rewired.through == RESPONSE else ""
    ends = []
    for channel, signal in rewired.channels.items():
        line = target.line(signal)
        off = f"{target.title} {target.label(line)}" if line and signal in rewired.off else ""
        through = rewired.through if signal == behind else ""
        free = FAR_END if rewired.through else "free channel, for a wire's delay later"
        ends.append(End(f"D{channel}", signal or free, signal, off, through))
    if rewired.capture:
        pins = {wire.signal: wire.stimulus_pin for wire in fixture.wires}
        what = f"capture pin of the {stimulus.title}"
        ends.append(End(pins[RESPONSE], what, RESPONSE, capture=True))
    return tuple(ends)


def rewired_text(
    target: Board, stimulus: Board, fixture: Fixture, rewired: Rewired
) -> tuple[str, ...]:
    """Return the wires as lines of at most some 90 characters."""
    ends = ends_of(target, stimulus, fixture, rewired)
    pins = {wire.signal: wire.stimulus_pin for wire in fixture.wires}
    pin = pins[STIMULUS] or "stimulus pin"
    width = max(len(pin), len("GND"))
    left = max(width + 2, len(stimulus.title) - REACH // 2)
    lines = [f"{stimulus.title:<{left + REACH + 2}}logic analyzer"]
    for at, end in enumerate(ends):
        start = f"{pin:<{width}} --" if at == 0 else " " * (width + 3)
        lines.append(f"{start}+{_line(end, left + REACH - len(start))} {end.name:<4} {end.what}")
    ground = f"{'GND':<{width}} ---"
    lines.append(f"{ground}{'-' * (left + REACH - len(ground) + 1)} GND  grounds stay together")
    for end in ends:
        if end.off:
            lines.append(f"Off for this step: {end.off} ({end.signal}), from {end.name}")
    return tuple(lines)


def _line(end: End, length: int) -> str:
    if not end.through:
        return "-" * length
    name = f"[ wire of {end.through} ]"
    return name.center(length, "-")
