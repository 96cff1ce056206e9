# SPDX-License-Identifier: GPL-3.0-or-later
"""Where two results differ."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

RELATIVE_TOLERANCE = 1e-9
"""Of numbers: the libraries of another machine may round sums and searches in another way."""


def differences(stored: Any, found: Any, place: str = "") -> Iterator[str]:
    """One line for each place where `found` is not as stored."""
    if isinstance(stored, dict) and isinstance(found, dict):
        for key in sorted(stored.keys() | found.keys()):
            yield from differences(
                stored.get(key, "no such key"), found.get(key, "no such key"), f"{place}.{key}"
            )
    elif isinstance(stored, list) and isinstance(found, list) and len(stored) == len(found):
        for index, (one, other) in enumerate(zip(stored, found, strict=True)):
            yield from differences(one, other, f"{place}[{index}]")
    elif not _equal(stored, found):
        yield f"{place}: stored {stored!r}, found {found!r}"


def _equal(stored: Any, found: Any) -> bool:
    if type(found) is float and type(stored) in (int, float):  # of 5000 and 5000.0 JSON says one
        return math.isclose(stored, found, rel_tol=RELATIVE_TOLERANCE)
    return type(stored) is type(found) and bool(stored == found)
