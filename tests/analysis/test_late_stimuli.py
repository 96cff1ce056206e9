# SPDX-License-Identifier: GPL-3.0-or-later
"""Pulses that left the microcontroller late: the verdict says so, before what comes of it."""

from __future__ import annotations

import pytest

from rig.analysis.measurements.verdict import Verdict, verdict_of
from rig.analysis.model.instrument_counts import InstrumentCounts

GAP = ("sequence gap", 5, "the stimulus edges do not follow the planned train")


@pytest.mark.parametrize(
    ("losses", "verdict", "reasons"),
    [([], Verdict.INCONCLUSIVE, 1), ([GAP], Verdict.INCOMPLETE, 2)],
)
def test_a_train_that_was_not_kept_is_told_first(losses, verdict, reasons) -> None:
    found, told = verdict_of(
        losses=losses,
        account=InstrumentCounts(sent=10, stimulus_late=3, stimulus_late_max_ticks=1_200),
        planned=10,
        witnesses=(),
        limits=(),
        n=10,
        ended=True,
    )
    assert (found, len(told)) == (verdict, reasons)
    assert told[0].startswith("3 edges of the stimulus left late, by up to 1,200 ticks")
