# SPDX-License-Identifier: GPL-3.0-or-later
"""What plots need of a measurand's values, as numbers in a run file: all values counted, and their
course over time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from rig.analysis.statistics.course import TimeCourse
from rig.analysis.statistics.descriptive import ExactHistogram
from rig.analysis.uncertainty.measurand import Measurand
from rig.errors import InputError
from rig.instruments import Int64Array
from rig.record.reader import RunFile

_COUNT_MAX: Final = 1 << 53


def stored_values(measurands: Sequence[Measurand]) -> dict[str, Int64Array]:
    """Return the numbers by the measurands' names; the first has its histogram elsewhere."""
    found = {}
    for number, each in enumerate(measurands):
        if each.course is None or not each.histogram.n:
            continue
        counted = each.histogram if number else ExactHistogram()
        columns = [np.array([len(counted.values)]), counted.values, counted.counts]
        found[each.name] = np.concatenate([*columns, each.course.stored]).astype(np.int64)
    return found


def with_values(file: RunFile, measurands: Sequence[Measurand]) -> tuple[Measurand, ...]:
    """Return the measurands with their values, of those that the file has any of.

    What an older rig stored has none, and what cannot be read is left out: figures are whole
    without it, and it can be computed again.
    """
    found = []
    for number, each in enumerate(measurands):
        try:
            numbers = file.values_of(each.name)
            found.append(_with_values(each, numbers, keeps=not number) if len(numbers) else each)
        except (InputError, ValueError):
            found.append(each)
    return tuple(found)


def _with_values(found: Measurand, numbers: Int64Array, *, keeps: bool) -> Measurand:
    """Return a measurand with the values of such numbers; `keeps`: its histogram as it is."""
    size = int(numbers[0])
    if not 0 <= size <= (len(numbers) - 1) // 2:
        raise ValueError("the histogram is not whole")
    values, counts = numbers[1 : 1 + size], numbers[1 + size : 1 + 2 * size]
    if np.any(np.diff(values) < 1) or np.any((counts < 1) | (counts > _COUNT_MAX // max(1, size))):
        raise ValueError("the histogram is not as it should be")
    course = TimeCourse.of(numbers[1 + 2 * size :])
    if keeps:
        return replace(found, course=course)
    return replace(found, course=course, histogram=ExactHistogram.of(values, counts))
