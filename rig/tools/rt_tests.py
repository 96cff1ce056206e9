# SPDX-License-Identifier: GPL-3.0-or-later
"""The output of signaltest, ptsematest and pi_stress, out of Debian's rt-tests, read strictly.

They tell whole microseconds, and no distribution.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rig.tools.figures import ToolFigures, last_words

ROUND_TRIP = "from a thread's signal to another thread until the signal that this one sends back"
HANDOVER = "from the unlocking of a mutex to a thread of the same priority that waited for it"
INVERSIONS = "priority inversions that inheritance ended; it fails if one is never ended"
_SIGNALS = re.compile(
    r"T: *(\d{1,4}) \( *\d{1,10}\) P: *\d{1,2} C: *(\d{1,12}) Min: *(\d{1,12}) "
    r"Act: *\d{1,12} Avg: *(\d{1,12}) Max: *(\d{1,12})"
)
_PAIR = re.compile(
    r"#(\d{1,4}): ID\d{1,10}, P\d{1,2}, CPU(\d{1,4}), I\d{1,10}; "
    r"#(\d{1,4}): ID\d{1,10}, P\d{1,2}, CPU\d{1,4}, Cycles (\d{1,12})"
)
_LATENCIES = re.compile(
    r"#(\d{1,4}) -> #(\d{1,4}), Min +(\d{1,12}), Cur +\d{1,12}, Avg +(\d{1,12}), Max +(\d{1,12})"
)
_TOTAL = re.compile(r"Total inversion performed: (\d{1,12})")


def signaltest_figures(lines: Sequence[str], title: str) -> tuple[ToolFigures, ...]:
    """Parse `signaltest -q -t 2`. Raises ValueError.

    Only its first thread's line is of round trips alone: in the other's are the pauses of 10 ms
    that the first makes.
    """
    found = [match for line in lines if (match := _SIGNALS.fullmatch(line.strip()))]
    if [int(match[1]) for match in found] != [0, 1]:
        raise ValueError("its output has no summary of two threads; " + last_words(lines))
    return (_line(title, ROUND_TRIP, *(int(found[0][group]) for group in (2, 3, 4, 5))),)


def ptsematest_figures(lines: Sequence[str], title: str) -> tuple[ToolFigures, ...]:
    """Parse `ptsematest -q`: two lines for each pair of threads. Raises ValueError."""
    pairs = [match for line in lines if (match := _PAIR.fullmatch(line.strip()))]
    times = [match for line in lines if (match := _LATENCIES.fullmatch(line.strip()))]
    ends = [(pair[3], pair[1]) for pair in pairs]
    if not pairs or ends != [(each[1], each[2]) for each in times] or len(set(ends)) != len(ends):
        raise ValueError("its output has no summary of its pairs; " + last_words(lines))
    return tuple(
        _line(
            title, HANDOVER, int(pair[4]), int(found[3]), int(found[4]), int(found[5]),
            int(pair[2]) if len(pairs) > 1 else None,
        )
        for pair, found in zip(pairs, times, strict=True)
    )  # fmt: skip


def pi_stress_figures(lines: Sequence[str], title: str) -> tuple[ToolFigures, ...]:
    """Parse `pi_stress --quiet`: the number of inversions. Raises ValueError."""
    found = [match for line in lines if (match := _TOTAL.fullmatch(line.strip()))]
    if len(found) != 1:
        raise ValueError("it does not tell how many inversions there were; " + last_words(lines))
    return (ToolFigures(title, INVERSIONS, int(found[0][1]), None, None, None),)


def _line(
    title: str,
    what: str,
    n: int,
    least_us: int,
    average_us: int,
    most_us: int,
    cpu: int | None = None,
) -> ToolFigures:
    if not n:
        raise ValueError("it measured nothing")
    return ToolFigures(
        title, what, n, 1000.0 * least_us, 1000.0 * average_us, 1000.0 * most_us, cpu
    )
