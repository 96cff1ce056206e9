# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of a calibration in words: alike on the terminal, in the window and in the wizard."""

from __future__ import annotations

from decimal import ROUND_UP, Decimal
from types import MappingProxyType
from typing import Final

from calibration.findings import StepOutcome
from rig.config.calibration.names import CHANNEL_SKEW
from rig.config.calibration.record import CalibratedQuantity

EXACT: Final = MappingProxyType(
    {
        "samples_in_a_row": "a count",
        "backlog_maximum": "the largest seen",
        "sustained_rate": "the highest tried without loss",
        "sustained_bytes": "follows from that rate",
        CHANNEL_SKEW: "the reference itself",
    }
)
"""The reason why a quantity of this name has no uncertainty."""
TOLD: Final = "as told"
UNSTATED: Final = "none is stated"


def name_of(quantity: CalibratedQuantity) -> str:
    """Return the quantity's name with its subject."""
    return f"{quantity.name} {quantity.subject}".strip()


def value_text(quantity: CalibratedQuantity) -> str:
    """Return U (k = 2) to two digits, rounded up, and the value to the same place.

    Such as `1.25 +- 0.13 ns`; a value without uncertainty says why: `120000000 samples (no U: a
    count)`.
    """
    unit = "" if quantity.unit == "1" else f" {quantity.unit}"
    expanded = Decimal(repr(2 * quantity.standard_uncertainty))
    if not expanded:
        why = TOLD if quantity.n == 0 else EXACT.get(quantity.name, UNSTATED)
        return f"{quantity.value:.10g}{unit} (no U: {why})"
    step = Decimal(1).scaleb(expanded.adjusted() - 1)
    places = max(0, 1 - expanded.adjusted())
    rounded = expanded.quantize(step, ROUND_UP)
    return f"{quantity.value:.{places}f} +- {rounded:.{places}f}{unit}"


def lines_of(outcome: StepOutcome) -> tuple[str, ...]:
    """Return what a step drew, then its values; of many, those that it picked out."""
    every = outcome.record.quantities
    picked = every if outcome.told is None else outcome.told
    lines = [*outcome.drawing.splitlines()]
    lines += [f"{name_of(each)}: {value_text(each)}, n = {each.n}" for each in picked]
    left = len(every) - len(picked)
    return (*lines, f"{left} more values are in the record") if left else tuple(lines)
