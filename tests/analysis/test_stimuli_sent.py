# SPDX-License-Identifier: GPL-3.0-or-later
"""The analyzer's count of stimuli against the firmware's: one more or less is a contradiction."""

from __future__ import annotations

import pytest

from rig.analysis.measurements.verdict import Verdict
from rig.analysis.model.instrument_counts import InstrumentCounts
from rig.measurements.evaluate import evaluate
from tests.analysis.raw_runs import RATE_HZ, STIMULUS, MemoryRun, settings_of, toggles

N = 100


@pytest.mark.parametrize("sent", [N - 1, N, N + 1])
def test_stimuli_that_were_sent_are_those_that_came(sent: int) -> None:
    stimulus = [10_000 + 24_000 * number for number in range(N)]
    edges = [(at + late, STIMULUS, level) for at in stimulus for late, level in ((0, 1), (200, 0))]
    run = MemoryRun([*edges, *toggles([at + 500 for at in stimulus])], N * 24_000 + RATE_HZ)
    found = evaluate(run, settings_of("interrupt"), InstrumentCounts(sent=sent))
    (witness,) = [each for each in found.witnesses if each.name == "stimulus edges"]
    assert witness.text == f"analyzer {N}, firmware sent {sent}"
    assert witness.agrees is (sent == N)
    assert (found.verdict is Verdict.INCONSISTENT) is (sent != N)
