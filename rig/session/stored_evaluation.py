# SPDX-License-Identifier: GPL-3.0-or-later
"""The stored evaluation of a run file, checked: what tables, histories and test reports read of it.

The dataclasses declare what these read and what it may be; what else is stored they pass over.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from rig.analysis.measurements.verdict import Verdict
from rig.errors import InputError
from rig.shell_words import quoted
from rig.untrusted.decode import Length, Range, WrongValueError, decoded
from rig.untrusted.json_reader import json_object

Count = Annotated[int, Range(0, 2**63 - 1)]
Number = Annotated[float, Range(-1e18, 1e18)]
"""A time in nanoseconds, up to 30 years of them, or a count."""
Figures = Mapping[str, Number | None]
Line = Annotated[str, Length(4000)]


@dataclass(frozen=True)
class _Witness:
    name: Line
    agrees: bool
    text: Line


@dataclass(frozen=True)
class _Hold:
    sent: Count


@dataclass(frozen=True)
class _Search:
    kept_ns: Number | None
    lost_ns: Number | None
    expanded_ns: Number | None
    limit_ns: Number | None
    holds: tuple[_Hold, ...]


@dataclass(frozen=True)
class _Side:
    interval_error: Figures
    latency: Figures


@dataclass(frozen=True)
class _Period:
    pins: _Side


@dataclass(frozen=True)
class _Values:
    without_value: Count | None = None


@dataclass(frozen=True)
class _Further:
    figures: Figures


@dataclass(frozen=True)
class _Counts:
    n: Count
    late: Count
    missed: Count


@dataclass(frozen=True)
class _Figures:
    latencies: Count
    average_ns: Number | None
    min_ns: Number | None
    max_ns: Number | None
    gap_ns: Number | None = None
    deviation_ns: Number | None = None
    median_ns: Number | None = None
    interquartile_range_ns: Number | None = None


@dataclass(frozen=True)
class _Evaluation:
    verdict: Verdict
    reasons: tuple[Line, ...]
    counts: _Counts
    figures: _Figures
    witnesses: tuple[_Witness, ...]
    saturation: _Search | None = None
    period: _Period | None = None
    values: _Values | None = None
    further: Annotated[Mapping[str, _Further], Length(200)] | None = None


def evaluation_document(path: Path, text: str) -> dict[str, Any]:
    """The document, once what is declared above has been found to hold for it.

    Raises InputError: one line with the file, the place in the document and what is valid there.
    """
    try:
        document = json_object(text)
        decoded(_Evaluation, document, ignore_unknown=True)
    except WrongValueError as error:
        raise InputError(
            f"{path}: its figures are not as this rig stores them: {error}; "
            f"to compute them again: rig analyze {quoted(path)}"
        ) from None
    except ValueError as error:
        raise InputError(
            f"{path}: its stored figures cannot be read: {error}; "
            f"to compute them again: rig analyze {quoted(path)}"
        ) from None
    return document
