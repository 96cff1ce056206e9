# SPDX-License-Identifier: GPL-3.0-or-later
"""The [uncertainty] table of a fixture: the bounds of a bench's own errors.

docs/explanation/uncertainty.md explains it. A key that is absent is not known, which is not the
same as 0.
"""

from __future__ import annotations

from dataclasses import dataclass

from rig.toml.reader import TomlTable

_PERCENT_MAX = 100
_PPB_MAX = 10**8
_SKEW_MAX_PS = 10**9
_RISE_MAX_PS = 10**8
_LINE_MAX_PS = 10**9
_KEYS = (
    "time_base_ppb", "channel_skew", "stimulus_rise", "response_rise", "threshold_low_percent",
    "threshold_high_percent", "line_delay", "line_delay_tolerance", "capture_delay",
    "capture_delay_tolerance", "delay_allowance",
)  # fmt: skip
_EDGES = _KEYS[2:6]
_LINE = _KEYS[6:8]
_CAPTURE = _KEYS[8:10]
_ALLOWANCE = _KEYS[10]


@dataclass(frozen=True)
class EdgeShape:
    """The steepness of the signals, and the range of the analyzer's threshold."""

    stimulus_rise_ps: int
    """The rise time from 10 to 90 % of the swing, as in response_rise_ps."""
    response_rise_ps: int
    threshold_low_percent: int
    """The lower bound of the threshold, as a part of the swing."""
    threshold_high_percent: int


@dataclass(frozen=True)
class LineDelay:
    """The delay of the response's path less that of the stimulus's."""

    delay_ps: int
    tolerance_ps: int


@dataclass(frozen=True)
class UncertaintySettings:
    """Limits of a bench's errors. None: not known."""

    time_base_ppb: int | None = None
    """The bound of the analyzer's rate error, either way."""
    channel_skew_ps: int | None = None
    """The bound of the difference between two channels of the analyzer, either way."""
    edges: EdgeShape | None = None
    line: LineDelay | None = None
    capture_line: LineDelay | None = None
    """The delay of the wire from the answering pin to the stimulus's capture pin."""
    delay_allowance_ps: int | None = None
    """The bound of the delay of a path of which nothing is stated."""


def parse_uncertainty(table: TomlTable) -> UncertaintySettings:
    """Parse the table, which may be empty. Raises InputError with file, line and key."""
    table.allow_only(_KEYS)
    time_base_ppb = table.integer("time_base_ppb", 0, _PPB_MAX) if _KEYS[0] in table else None
    skew_ps = table.time_ps("channel_skew", 0, _SKEW_MAX_PS) if _KEYS[1] in table else None
    allowance_ps = table.time_ps(_ALLOWANCE, 0, _LINE_MAX_PS) if _ALLOWANCE in table else None
    return UncertaintySettings(
        time_base_ppb,
        skew_ps,
        _edge_shape(table),
        _line_delay(table, _LINE),
        _line_delay(table, _CAPTURE),
        allowance_ps,
    )


def _edge_shape(table: TomlTable) -> EdgeShape | None:
    """Parse all four keys or none of them."""
    if not any(key in table for key in _EDGES):
        return None
    low = table.integer("threshold_low_percent", 0, _PERCENT_MAX)
    return EdgeShape(
        stimulus_rise_ps=table.time_ps("stimulus_rise", 0, _RISE_MAX_PS),
        response_rise_ps=table.time_ps("response_rise", 0, _RISE_MAX_PS),
        threshold_low_percent=low,
        threshold_high_percent=table.integer("threshold_high_percent", low, _PERCENT_MAX),
    )


def _line_delay(table: TomlTable, keys: tuple[str, ...]) -> LineDelay | None:
    """Parse both keys, the delay and its tolerance, or none of them."""
    if not any(key in table for key in keys):
        return None
    delay_ps, tolerance_ps = (table.time_ps(key, 0, _LINE_MAX_PS) for key in keys)
    return LineDelay(delay_ps, tolerance_ps)
