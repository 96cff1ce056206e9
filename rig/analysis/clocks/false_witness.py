# SPDX-License-Identifier: GPL-3.0-or-later
"""Three witnesses of one edge: which of them is false where two disagree?"""

from __future__ import annotations

from rig.analysis.clocks.bracket_test import BracketTest, bracket_test
from rig.analysis.clocks.brackets import Brackets, BracketSource, Rates, stamp_brackets
from rig.analysis.clocks.clock import DRIFT_PPM_PER_S
from rig.instruments import Int64Array


def blame(
    analyzer_log: BracketTest, analyzer_capture: BracketTest, capture_log: BracketTest
) -> tuple[str, ...]:
    """Return a line for each event that any two witnesses of the answers disagree on.

    The three tests are of the same events: analyzer and target's log, analyzer and the stimulus's
    input capture, input capture and log. A false witness is in two of them, the others agree.
    """
    tests = analyzer_log, analyzer_capture, capture_log
    named = [{violation.event for violation in test.violations} for test in tests]
    false = {
        (True, False, True): "the log's record is false: both edges agree without it",
        (True, True, False): "the analyzer's edge is false: input capture and log agree without it",
        (False, True, True): "the input capture is false: analyzer and log agree without it",
        (True, False, False): "the input capture, to its tick, agrees with both: which is false "
        "cannot be told",
    }
    return tuple(
        f"event {event:,}: "
        + false.get(
            (event in named[0], event in named[1], event in named[2]),
            "the witnesses disagree, and which is false cannot be told",
        )
        for event in sorted(set().union(*named))
    )


def blame_by_capture(
    source: BracketSource,
    tested: BracketTest,
    ticks: Int64Array,
    clock_hz: int,
    number: Int64Array,
) -> tuple[str, ...]:
    """Return a line for each violation: edge or record is false, as the input capture shows.

    Args:
        source: the edges and records.
        tested: their bracket test; only its violations are judged.
        ticks: shape (n,), when each answer was captured, the same time late for all.
        clock_hz: nominal rate of the stimulus clock.
        number: shape (n,), by which the events are named.
    """
    if not tested.violations:
        return ()
    pairs = source.read(0, len(source))
    with_edge = Rates(tested.rates.sample_rate_hz, clock_hz, DRIFT_PPM_PER_S)
    with_log = Rates(clock_hz, tested.rates.tick_hz, DRIFT_PPM_PER_S)
    try:
        analyzer_capture = bracket_test(stamp_brackets(pairs.sample, ticks), with_edge)
        # An edge in tick n lies in (n, n + 1], as one of sample s lies in (s - 1, s].
        captured = Brackets(ticks + 1, pairs.before_ticks, pairs.after_ticks)
        capture_log = bracket_test(captured, with_log)
    except ValueError:  # captures that do not rise: a damaged file
        return ()
    lines = blame(*(test.numbered(number) for test in (tested, analyzer_capture, capture_log)))
    named = tuple(f"event {number[violation.event]:,}: " for violation in tested.violations)
    return tuple(line for line in lines if line.startswith(named))
