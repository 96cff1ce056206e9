# SPDX-License-Identifier: GPL-3.0-or-later
"""Second stage: which pin goes to which, and what to beware of."""

from __future__ import annotations

from calibration.diagram import wiring_svg
from calibration.wizard.bench import boards_of, fixture_of, grounds_of, is_virtual, wires_of
from calibration.wizard.stages.stage import Stage
from calibration.wizard.state import WizardState
from rig.config.board import level_findings

PITFALLS_SHOWN = 3


def warnings(state: WizardState) -> tuple[str, ...]:
    """Return what may destroy something, or will not be seen. Raises InputError."""
    return tuple(finding.text for finding in level_findings(*boards_of(state)))


def pins(state: WizardState) -> tuple[str, ...]:
    """Return a line for each wire, the grounds first. Raises InputError."""
    return (grounds_of(state), *(f"{ends.signal}: {ends.text}" for ends in wires_of(state)))


def drawing(state: WizardState) -> str:
    """Return the wiring as SVG. Raises InputError."""
    target, stimulus = boards_of(state)
    fixture = fixture_of(state)
    return wiring_svg(
        target,
        stimulus,
        signals=[wire.signal for wire in fixture.wires],
        channels={wire.signal: wire.channel for wire in fixture.wires},
        second_witness=fixture.has_second_witness,
    )


def explain(state: WizardState) -> tuple[str, ...]:
    target, _ = boards_of(state)
    first = ("This is how a bench of real boards would be wired; on the virtual bench nothing has "
             "to be connected." if is_virtual(state) else
             "Switch everything off before you connect anything. Do not connect yet: the next "
             "stages take one wire after the other.")  # fmt: skip
    pitfalls = (f"{pitfall.what} {pitfall.remedy}" for pitfall in target.pitfalls[:PITFALLS_SHOWN])
    return (first, *(f"WARNING: {text}" for text in warnings(state)), *pins(state), *pitfalls)


STAGE = Stage("wires", "See the wiring", explain, pause=True, svg=drawing)
