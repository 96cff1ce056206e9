# SPDX-License-Identifier: GPL-3.0-or-later
"""The lines of many stretches at once are those of each alone, to the last digit."""

from __future__ import annotations

import numpy as np
import pytest

from rig.analysis import native
from rig.analysis.clocks import line_set, stretch_lines
from rig.analysis.clocks.bracket_test import bracket_test
from rig.analysis.clocks.brackets import Brackets
from rig.analysis.clocks.clock import Clock
from rig.instruments import Int64Array
from tests.analysis.clocks.simulated import simulate

pytestmark = pytest.mark.skipif(
    not native.available(), reason="librig-lines.so was not built: pip install -e ."
)

CASES = {
    "drifting": (3000, {}),
    "rare": (800, {"interval_us": 200_000.0}),
    "resonator": (3000, {"drift_ppm_per_s": 8.0, "bound_ppm_per_s": 10.0}),
    "fast": (3000, {"drift_ppm_per_s": 0.0, "interval_us": 30.0}),
    "few": (3, {}),
}


def _with_lies(brackets: Brackets, every: int) -> Brackets:
    """Some records that the bracket test names and sets aside."""
    before, after = brackets.before_ticks.copy(), brackets.after_ticks.copy()
    before[every // 2 :: every] += 5000
    after[every // 2 :: every] += 5000
    return Brackets(brackets.sample, before, after)


def _read(clock: Clock, asked: list[Int64Array]) -> list[tuple[int, list[float], list[float]]]:
    found = [clock.at(each) for each in asked]
    return [(at.origin_ticks, at.lowest_ticks.tolist(), at.highest_ticks.tolist()) for at in found]


@pytest.mark.parametrize("kept_max", [1 << 12, 7, 1])
@pytest.mark.parametrize("lies", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_many_at_once_are_each_alone(
    case: str, lies: bool, kept_max: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    n, how = CASES[case]
    truth = simulate(21, n, **how)
    brackets = _with_lies(truth.brackets, 700) if lies else truth.brackets
    test = bracket_test(brackets, truth.rates)
    rng = np.random.default_rng(2)
    ends = brackets.sample[[0, -1]] + np.array([-5_000_000, 5_000_000])
    asked = [
        brackets.sample,
        rng.permutation(np.linspace(*ends, 500).astype(np.int64)),
        brackets.sample[::97] - 1,
        np.empty(0, np.int64),
    ]
    monkeypatch.setattr(stretch_lines, "_KEPT_MAX", kept_max)
    together = _read(Clock(brackets, test), asked)
    monkeypatch.setattr(stretch_lines.native, "available", lambda: False)
    assert not line_set.native.available()
    assert _read(Clock(brackets, test), asked) == together


def test_a_stretch_that_contradicts_itself_is_told_of_either_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    truth = simulate(22, 3000)
    lied = _with_lies(truth.brackets, 2000)
    for by_c in (True, False):
        if not by_c:
            monkeypatch.setattr(stretch_lines.native, "available", lambda: False)
        lines = stretch_lines.StretchLines(
            lied, np.array([[900, 980], [980, 1060]]), np.empty(0, np.int64), truth.rates
        )
        ranges = np.array([[0, 1], [1, 2]])
        for _ in range(2):  # what went wrong is not taken for found
            with pytest.raises(ValueError, match="events 980 to 1059 allow no clock"):
                lines.bounds([0, 1], ranges, truth.brackets.sample[[940, 1020]])
