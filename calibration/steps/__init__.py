# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps of a calibration, one file each, in the order in which to take them."""

from __future__ import annotations

from calibration.steps import (
    channel_skew,
    counter,
    edge_shape,
    instruments,
    line_delay,
    loopback,
    time_base,
    toggle_overhead,
    wiring,
)
from calibration.steps.step import Step

STEPS: dict[str, Step] = {
    step.name: step
    for step in (
        wiring.STEP,
        instruments.STEP,
        time_base.STEP,
        toggle_overhead.STEP,
        counter.STEP,
        edge_shape.STEP,
        channel_skew.STEP,
        loopback.STEP,
        line_delay.STEP,
    )
}

__all__ = ["STEPS", "Step"]
