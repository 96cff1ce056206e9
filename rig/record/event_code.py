# SPDX-License-Identifier: GPL-3.0-or-later
"""Events as what the raw data do not tell of them: where their edges are, and rests.

A stimulus is the number of its edge among all raw edges, so that the sample need not be stored
again. When it was planned follows from that sample, and the latency inside the target from the
record of its answer, each by a straight line and a rest. Lines hold for a chunk of events; they are
computed from stored numbers in single steps of IEEE arithmetic, so every machine gets the same.
docs/reference/run-file.md has the formulas.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from rig.arrays import FloatArray, UInt64Array
from rig.instruments import Int64Array, LogArray
from rig.record.integer_code import LARGE, unzigzag, whole, zigzag
from rig.record.layout import EVENT_NAMES_SINCE, INTERNAL_LATENCY

EVENT_CHUNK = 1 << 13
"""Events that are coded together."""
LINE = np.dtype([
    ("by_edge", "u1"),
    ("first", "<i8"),
    ("planned", "<i8"), ("planned_slope", "<f8"),
    ("by_record", "u1"),
    ("internal_latency", "<i8"), ("internal_latency_slope", "<f8"), ("sample_ps", "<f8"),
])  # fmt: skip
"""The line of a chunk of events; docs/reference/run-file.md defines each field."""
OLDER_LINE = np.dtype(
    [(name.replace("internal_latency", "inside"), LINE[name].str) for name in LINE.names or ()]
)
"""The line by the names of its fields in files of format versions 3 and 4."""


def line_type(format_version: int) -> np.dtype[np.void]:
    """Return the type of a line in a file of this format version."""
    return LINE if format_version >= EVENT_NAMES_SINCE else OLDER_LINE


KNOT = 8
"""Events from one knot to the next; between them rests of latencies inside are interpolated."""
_SPAN_MAX = 1 << 16
"""The most records of the log that a chunk of events may span; of more, no stamps are used."""

Columns = dict[str, Int64Array]
Codes = dict[str, UInt64Array]
STIMULUS, RESPONSE, PLANNED, INTERNAL = "stimulus", "response", "planned", "internal_latency"
CODES = (STIMULUS, RESPONSE, PLANNED)


class RawData(Protocol):
    """The raw data that events refer to."""

    def rows_of(self, samples: Int64Array) -> Int64Array:
        """Return the number of an edge at each of these samples, -1 if there is none."""
        ...

    def samples_of(self, rows: Int64Array) -> Int64Array:
        """Return the samples of edges by number. Raises InputError if there is no such edge."""
        ...

    @property
    def log_count(self) -> int: ...

    def log(self, first: int, count: int) -> LogArray: ...


def encode(columns: Columns, raw: RawData, sample_ps: float) -> tuple[npt.NDArray[np.void], Codes]:
    """The line and the codes of a chunk of events.

    columns: `stimulus_sample`, `response_sample`, `response_edge`, `planned_ticks`, each of shape
    (n,), 0 < n <= EVENT_CHUNK; `internal_latency_ps` if there is one.
    """
    line = np.zeros(1, LINE)
    stimulus, response = columns["stimulus_sample"], columns["response_sample"]
    places = raw.rows_of(stimulus), raw.rows_of(response)
    line["by_edge"] = bool(np.all(places[0] >= 0) and np.all((places[1] >= 0) | (response < 0)))
    start, end = places if line["by_edge"][0] else (stimulus, response)
    line["first"] = start[0]
    codes = {
        STIMULUS: zigzag(np.diff(start, prepend=start[0])),
        RESPONSE: np.where(response < 0, 0, zigzag(end - start) + 1).astype(np.uint64),
    }
    planned = columns["planned_ticks"]
    line["planned"], line["planned_slope"] = _through(_since(stimulus, stimulus), planned)
    codes[PLANNED] = zigzag(planned - _on_line(line[0], "planned", _since(stimulus, stimulus)))
    if INTERNAL_LATENCY in columns:
        line["sample_ps"] = sample_ps
        codes[INTERNAL] = _internal_codes(line, columns, raw)
    return line, codes


def decode_samples(line: np.void, codes: Codes, raw: RawData) -> tuple[Int64Array, Int64Array]:
    """Samples of stimuli and answers."""
    start = np.cumsum(unzigzag(codes[STIMULUS])) + line["first"]
    answered = codes[RESPONSE] > 0
    end = np.where(answered, start + unzigzag(codes[RESPONSE] - np.uint64(1)), -1)
    if not line["by_edge"]:
        return start, end
    samples = end.copy()
    samples[answered] = raw.samples_of(end[answered])
    return raw.samples_of(start), samples


def decode_planned(line: np.void, codes: Codes, stimulus: Int64Array) -> Int64Array:
    """Return the ticks at which the stimuli were planned, shape (n,)."""
    return unzigzag(codes[PLANNED]) + _on_line(line, "planned", _since(stimulus, stimulus))


def decode_internal(
    line: np.void, codes: Codes, stimulus: Int64Array, answer: Int64Array, raw: RawData
) -> Int64Array:
    """Return the latencies inside the target, in ps, shape (n,)."""
    rest = unzigzag(codes[INTERNAL])
    stamps = _stamps(answer, raw) if line["by_record"] else None
    if stamps is None:
        return rest
    known, since = stamps
    knots = _knots(len(since))
    base = np.empty(len(since), np.int64)
    coded = rest[known]
    base[knots] = np.cumsum(coded[: len(knots)])
    between = np.ones(len(since), bool)
    between[knots] = False
    base[between] = coded[len(knots) :]
    base[between] += _between(since, base, knots)[between]
    values = rest.copy()
    values[known] = base + _expected(line, stimulus, known, since)
    return values


def _internal_codes(line: npt.NDArray[np.void], columns: Columns, raw: RawData) -> UInt64Array:
    """Return the rests where the log has a record of the answer; first those of the knots."""
    values, stimulus = columns[INTERNAL_LATENCY], columns["stimulus_sample"]
    stamps = _stamps(columns["response_edge"], raw)
    if stamps is None:
        return zigzag(values)
    known, since = stamps
    on_clock = values[known] + whole(_since(stimulus, stimulus)[known] * line["sample_ps"][0])
    line["by_record"] = 1
    line["internal_latency"], line["internal_latency_slope"] = _through(
        since, on_clock, values[known]
    )
    base = values[known] - _expected(line[0], stimulus, known, since)
    knots = _knots(len(since))
    rest = base - _between(since, base, knots)
    coded = np.concatenate((np.diff(base[knots], prepend=0), np.delete(rest, knots)))
    codes = values.copy()
    codes[known] = coded
    return zigzag(codes)


def _stamps(answer: Int64Array, raw: RawData) -> tuple[npt.NDArray[np.bool_], FloatArray] | None:
    """Return which events have a record of their answer's number, and these records' stamps."""
    known = (answer >= 0) & (answer < raw.log_count)
    numbers = answer[known]
    if not len(numbers):
        return None
    first, count = int(numbers.min()), int(np.ptp(numbers)) + 1
    if count > _SPAN_MAX:
        return None
    before = raw.log(first, count)["before_ticks"][numbers - first]
    return known, (before - before[0]).view(np.int64).astype(np.float64)


def _expected(
    line: Any, stimulus: Int64Array, known: npt.NDArray[np.bool_], since: FloatArray
) -> Int64Array:
    at_stimulus = _since(stimulus, stimulus)[known] * line["sample_ps"]
    return _on_line(line, INTERNAL, since) - whole(at_stimulus)


def _knots(count: int) -> Int64Array:
    """Return the places of the knots: each KNOT-th event, and the last one."""
    return np.unique(np.append(np.arange(0, count, KNOT), count - 1))


def _between(since: FloatArray, base: Int64Array, knots: Int64Array) -> Int64Array:
    """Interpolate at every event between the knots around it; values at knots are of no account.

    In single steps, each of which IEEE 754 defines to the last bit.
    """
    if len(knots) < 2:
        return np.zeros(len(since), np.int64)
    left = np.minimum(np.arange(len(since)) // KNOT, len(knots) - 2)
    low, high = knots[left], knots[left + 1]
    span = since[high] - since[low]
    part = (since - since[low]) / np.where(span == 0, 1.0, span)
    at_low = base[low].astype(np.float64)
    return whole(at_low + part * (base[high].astype(np.float64) - at_low))


def _since(values: Int64Array, origin: Int64Array) -> FloatArray:
    since: FloatArray = (values - origin[0]).astype(np.float64)
    return since


def _through(
    at: FloatArray, values: Int64Array, credible: Int64Array | None = None
) -> tuple[int, float]:
    """Offset and slope of the line through the first and the last value that is known."""
    seen = values if credible is None else credible
    known = np.flatnonzero(seen >= 0 if credible is None else np.abs(seen.astype(float)) < LARGE)
    if not len(known):
        return 0, 0.0
    first, last = known[0], known[-1]
    span = float(at[last] - at[first])
    slope = float(values[last] - values[first]) / span if span else 0.0
    offset = float(values[first]) - slope * float(at[first])
    return (int(offset), slope) if abs(offset) < LARGE else (0, 0.0)


def _on_line(line: Any, name: str, at: FloatArray) -> Int64Array:
    rise = at * line[f"{name}_slope"]
    offset: Int64Array = whole(rise) + np.int64(line[name])
    return offset
