# SPDX-License-Identifier: GPL-3.0-or-later
"""Valid trains for hypothesis: any pattern, parameters over the whole of their ranges."""

from __future__ import annotations

from hypothesis import strategies as st

from rig.stimulus.train import (
    DELAY_MIN_TICKS,
    GAP_MIN_TICKS,
    INTERVAL_MAX_TICKS,
    INTERVAL_MIN_TICKS,
    RAMP_INTERVAL_MAX_TICKS,
    SEED_MAX,
    WIDTH_MAX_TICKS,
    WIDTH_MIN_TICKS,
    Pattern,
    Polarity,
    Train,
)

COUNT_MAX = 3000
WORTH_TICKS = 3_000_000_000
"""Longest train: the firmware makes a step at least every 16,384 ticks."""


@st.composite
def trains(draw: st.DrawFn) -> Train:
    """A train of up to COUNT_MAX pulses and not much longer than WORTH_TICKS."""
    pattern = draw(st.sampled_from(Pattern))
    least = INTERVAL_MIN_TICKS[pattern]
    most = draw(st.sampled_from([100_000, INTERVAL_MAX_TICKS]))
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
            start = draw(st.integers(least, min(most, RAMP_INTERVAL_MAX_TICKS)))
            stop = draw(st.integers(least, min(most, RAMP_INTERVAL_MAX_TICKS)))
            own = {"ramp_start_ticks": start, "ramp_stop_ticks": stop}
            shortest, longest = min(start, stop), max(start, stop)
    widest = min(WIDTH_MAX_TICKS, shortest - GAP_MIN_TICKS)
    return Train(
        pattern,
        count=draw(st.integers(1, min(COUNT_MAX, WORTH_TICKS // longest))),
        seed=draw(st.integers(0, SEED_MAX)),
        delay_ticks=draw(st.integers(DELAY_MIN_TICKS, INTERVAL_MAX_TICKS)),
        width_ticks=draw(st.integers(WIDTH_MIN_TICKS, widest)),
        polarity=draw(st.sampled_from(Polarity)),
        **own,
    )
