# SPDX-License-Identifier: GPL-3.0-or-later
"""What n is worth where few occurrences tell of a dependence."""

from __future__ import annotations

import numpy as np
import pytest

from rig.analysis.statistics.average import effective_n
from rig.analysis.statistics.correlation import integrated_time
from tests.analysis.figures.drawn import sequence_of

N = 20_000


@pytest.mark.parametrize("pairs", [3, 10, 40])
def test_pairs_of_rare_values_are_worth_less_than_what_they_show(pairs: int) -> None:
    """Values above 5 come two in a row: half as many are worth as much, and few show it badly."""
    values = np.random.default_rng(5).random(N)
    first = np.arange(1, pairs + 1) * (N // (pairs + 1))
    values[np.concatenate([first, first + 1])] += 10
    shown = integrated_time([(values <= 5).astype(float)]).events
    assert shown == pytest.approx(2, rel=0.1)
    got = effective_n(sequence_of(values), 5.0)
    # Student's t of as many degrees of freedom as occurrences is that much wider than the normal.
    wider = {3: 2.64, 10: 1.292, 40: 1.063}[pairs]
    assert got == pytest.approx(N / (1 + (shown - 1) * wider), rel=0.1)
    assert got < N / shown
