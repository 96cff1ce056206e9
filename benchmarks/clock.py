# SPDX-License-Identifier: GPL-3.0-or-later
"""Time of a call: the best of several, since noise only ever adds."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter


def best_s(call: Callable[[], object], times: int = 5) -> float:
    """Shortest of `times` calls, in seconds."""
    took = []
    for _ in range(times):
        start = perf_counter()
        call()
        took.append(perf_counter() - start)
    return min(took)
