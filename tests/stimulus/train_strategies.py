# SPDX-License-Identifier: GPL-3.0-or-later
"""Valid trains for hypothesis: any pattern, parameters over the whole of their ranges."""

from __future__ import annotations

from hypothesis import strategies as st

from rig.stimulus.train import PATTERNS, SEED_MAX, Pattern, Polarity, Train
from tests.chip import CHIP

COUNT_MAX = 3000
WORTH_TICKS = 3_000_000_000
"""Longest train: the firmware makes a step at least every 16,384 ticks."""


@st.composite
def trains(draw: st.DrawFn) -> Train:
    """A train of up to COUNT_MAX pulses and not much longer than WORTH_TICKS."""
    pattern = draw(st.sampled_from(tuple(PATTERNS)))
    limits = CHIP.limits
    least, longest_ticks = limits.interval_ticks[pattern]
    most = draw(st.sampled_from([100_000, longest_ticks]))
    low = draw(st.integers(least, most))
    high = draw(st.integers(low, most))
    shortest, longest = low, high
    match pattern:
        case Pattern.PERIODIC:
            own = {"period_ticks": low}
        case Pattern.UNIFORM:
            own = {"interval_min_ticks": low, "interval_max_ticks": high}
        case Pattern.POISSON:
            own = {"interval_min_ticks": low, "interval_mean_ticks": high}
        case Pattern.BURST:
            spacing = draw(st.integers(least, 20_000))
            pulses = draw(st.integers(1, 2000))
            gap = draw(st.integers(least, 100_000))
            own = {
                "burst_spacing_ticks": spacing,
                "burst_count": pulses,
                "period_ticks": (pulses - 1) * spacing + gap,
            }
            shortest, longest = min(spacing, gap), max(spacing, gap)
        case Pattern.RAMP:
            start = draw(st.integers(least, most))
            stop = draw(st.integers(least, most))
            own = {"ramp_start_ticks": start, "ramp_stop_ticks": stop}
            shortest, longest = min(start, stop), max(start, stop)
    widest = min(limits.width_ticks[1], shortest - limits.rest_ticks)
    return Train(
        pattern,
        count=draw(st.integers(1, min(COUNT_MAX, WORTH_TICKS // longest))),
        seed=draw(st.integers(0, SEED_MAX)),
        delay_ticks=draw(st.integers(*limits.delay_ticks)),
        width_ticks=draw(st.integers(limits.width_ticks[0], widest)),
        polarity=draw(st.sampled_from(Polarity)),
        **own,
        limits=limits,
    )
