# SPDX-License-Identifier: GPL-3.0-or-later
"""A stimulus that came about when a handler was entered says nothing of how prompt that one was."""

from __future__ import annotations

import numpy as np
import pytest

from rig.analysis.pairing.deficits import Entered, MergeProfile

PERIOD, MARGIN, ACKNOWLEDGE = 1000, 24, 48


@pytest.mark.parametrize(("after", "sure"), [(-3, False), (100, True)])
def test_a_handler_that_was_entered_before_a_stimulus_is_no_prompt_answer_to_it(
    after: int, sure: bool
) -> None:
    """Handlers run a period behind, each entered `after` the next stimulus; the last two merge.

    Within the margin of 24 a stimulus 3 samples behind the entry may have come before it: then it
    looks as if each answer were the prompt one to that, and the merged one at the beginning.
    """
    stimulus = 10_000 + PERIOD * np.arange(9)
    entry = np.append(stimulus[1:8] + after, stimulus[8] + 200)
    count = 1 + np.arange(8)
    entered = Entered(entry - MARGIN - ACKNOWLEDGE, entry + MARGIN, entry - 1)
    profile = MergeProfile()
    profile.feed(stimulus, entry + 50, count, entered)
    profile.finish(8)
    assert profile.merged_before(0, 8).tolist() == [1] * 8
    least = profile.merged_at_least(0, 8).tolist()
    assert least[-1] == 1
    assert (least[:7] == [1] * 7) == sure
    if not sure:
        assert least[:7] == [0] * 7
