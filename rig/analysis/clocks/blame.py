# SPDX-License-Identifier: GPL-3.0-or-later
"""Three witnesses of one edge: which of them is false where two disagree?"""

from __future__ import annotations

from rig.analysis.clocks.bracket_test import BracketTest


def blame(
    analyzer_log: BracketTest, analyzer_capture: BracketTest, capture_log: BracketTest
) -> tuple[str, ...]:
    """A line for each event that any two witnesses of the answers disagree on.

    The three tests are of the same events: analyzer and target's log, analyzer and the stimulus's
    input capture, input capture and log. A false witness is in two of them, the others agree.
    """
    tests = (analyzer_log, analyzer_capture, capture_log)
    named = [{violation.event for violation in test.violations} for test in tests]
    false = {
        (True, False, True): "the log's record is false: both edges agree without it",
        (True, True, False): "the analyzer's edge is false: input capture and log agree without it",
        (False, True, True): "the input capture is false: analyzer and log agree without it",
    }
    return tuple(
        f"event {event:,}: "
        + false.get(
            (event in named[0], event in named[1], event in named[2]),
            "the witnesses disagree, and which is false cannot be told",
        )
        for event in sorted(set().union(*named))
    )
