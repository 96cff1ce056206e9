# SPDX-License-Identifier: GPL-3.0-or-later
"""What is allowed of a distance covers clocks that drift as fast as they may."""

from __future__ import annotations

import numpy as np
import pytest

from rig.analysis.train.relative_rate import RelativeRate

RATE_HZ, CLOCK_HZ = 24_000_000, 16_000_000
DRIFT_PPM_PER_S = 10.0


def edge_at(time_s: float, ppm_per_s: float) -> tuple[int, int]:
    """Sample and tick of an edge; the analyzer's clock speeds up from time 0 on."""
    true = RATE_HZ * (time_s + ppm_per_s * 1e-6 * time_s**2 / 2)
    return int(np.ceil(true)), round(time_s * CLOCK_HZ)


@pytest.mark.parametrize("ppm_per_s", [-DRIFT_PPM_PER_S, 0.0, DRIFT_PPM_PER_S])
@pytest.mark.parametrize("begun_s", [0.001, 0.1, 1.0, 10.0])
@pytest.mark.parametrize("later_s", [0.001, 1.0, 20.0])
def test_an_edge_without_a_hole_is_within_what_is_allowed(
    ppm_per_s: float, begun_s: float, later_s: float
) -> None:
    rate = RelativeRate(RATE_HZ, CLOCK_HZ, DRIFT_PPM_PER_S)
    first, last = edge_at(0, ppm_per_s), edge_at(begun_s, ppm_per_s)
    rate.begin(first, last)
    edge = edge_at(begun_s + later_s, ppm_per_s)
    distance = edge[0] - last[0]
    expected = (edge[1] - last[1]) * rate.samples_per_tick
    allowed = float(rate.allowed(distance, edge[1]))
    assert abs(distance - expected) <= allowed
    noise = 2.5 * (1 + later_s / begun_s)
    drift = 1e-6 * DRIFT_PPM_PER_S * (begun_s + later_s) * later_s * RATE_HZ
    assert allowed <= 1.1 * (noise + drift)


def test_followed_for_long_it_knows_the_rate_of_now() -> None:
    rate = RelativeRate(RATE_HZ, CLOCK_HZ, DRIFT_PPM_PER_S)
    times_s = np.arange(0, 60, 0.01)
    edges = [edge_at(float(time_s), DRIFT_PPM_PER_S) for time_s in times_s]
    rate.begin(edges[0], edges[1])
    rate.leap(edges[0])
    for edge in edges[1:]:
        rate.follow(edge)
    true = RATE_HZ / CLOCK_HZ * (1 + DRIFT_PPM_PER_S * 1e-6 * times_s[-1])
    slope, error, _ = rate.state
    assert abs(slope / true - 1) <= error < 2e-5
