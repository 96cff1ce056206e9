# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that a run looks for in a calibration, and what each step depends on.

A file may hold other steps and quantities too: they are kept, shown and stored, and correct
nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

# Steps.
WIRING = "wiring"
INSTRUMENTS = "instruments"
TIME_BASE_STEP = "time-base"
SKEW_STEP = "channel-skew"
EDGE_SHAPE_STEP = "edge-shape"
LOOPBACK_STEP = "loopback"
LINE_STEP = "line-delay"
TOGGLE_STEP = "toggle"
COUNTER_STEP = "counter"
LEFT_OUT = "left-out"
"""The record, of no step, whose findings name the steps that were not taken."""

# Quantities. All times are in ns; positive makes what is measured of a response too long.
TIME_BASE = "time_base"
"""The rate error of the analyzer's clock, in ppm, positive if too fast. Subject: none."""
CHANNEL_SKEW = "channel_skew"
"""The delay by which a channel shows an edge after one reference channel. Subject: `D1 rising`."""
LINE_DELAY = "line_delay"
"""The delay of an edge at the analyzer's input after the target's pin, through wires and
level shifters; that of a stimulus may be negative. Subject: `stimulus rising`, `response falling`,
or a signal alone, for both edges."""
TOGGLE_OVERHEAD = "toggle_overhead"
"""The time from the agent's stamp before its pin write to the edge. Subject: as LINE_DELAY."""
LOOPBACK_DELAY = "loopback_delay"
"""The time from stimulus to response by the analyzer with a wire as the target: skew, edge
shape and lines in one. Subject: `response rising` or `response falling`."""
CAPTURE_DELAY = "capture_delay"
"""The delay with which the stimulus's input capture stamps an edge that it sent, with a wire in
place of the target. Subject: as LOOPBACK_DELAY."""
STIMULUS_RATE = "stimulus_rate"
"""The rate error of the stimulus's clock by the analyzer's, in ppm. Subject: none."""
COUNTER_RATE = "counter_rate"
"""The rate error of the target's cycle counter by the analyzer's, in ppm. Subject: none."""
COUNTER_STABILITY = "counter_stability"
"""Largest less smallest rate of the target's counter at all frequencies of its processor that were
tried. Subject: none."""
COUNTER_STABLE_PPM = 1.0
"""The bound beyond which a sure change shows a counter that goes with the frequency."""

UNIT_OF = {
    TIME_BASE: "ppm",
    STIMULUS_RATE: "ppm",
    COUNTER_RATE: "ppm",
    COUNTER_STABILITY: "ppm",
    CHANNEL_SKEW: "ns",
    LINE_DELAY: "ns",
    TOGGLE_OVERHEAD: "ns",
    LOOPBACK_DELAY: "ns",
    CAPTURE_DELAY: "ns",
}
"""The unit of each quantity, the only one in which a run reads it."""

EDGES = {0: "falling", 1: "rising"}
"""The name of an edge by the level after it."""

CORRECTING_STEPS = {
    TIME_BASE_STEP: "analyzer time base",
    SKEW_STEP: "channel skew",
    LINE_STEP: "line delay",
    LOOPBACK_STEP: "loopback",
    TOGGLE_STEP: "agent's pin write",
}
"""The steps that a run takes corrections from, and what they correct, in words."""

_ANALYZER = ("analyzer_driver", "analyzer_model", "analyzer_connection", "sample_rate_hz")
_STIMULUS = ("stimulus_model", "stimulus_serial", "stimulus_port")
_TARGET = ("agent", "agent_version", "target_link", "agent_port")
_DEPENDS = {
    TIME_BASE_STEP: _ANALYZER,
    SKEW_STEP: _ANALYZER,
    EDGE_SHAPE_STEP: _ANALYZER,
    LINE_STEP: ("target_link",),
    LOOPBACK_STEP: (*_ANALYZER, *_STIMULUS),
    TOGGLE_STEP: _TARGET,
    COUNTER_STEP: ("target_link", "tick_hz"),
}


_PAIRS = {
    TIME_BASE_STEP: ("clocked_stimulus", _STIMULUS),
    COUNTER_STEP: ("clocked_by", _ANALYZER),
}
"""The steps that compare two clocks, and the key under which a record names the one that its other
findings do not depend on."""


def pair_of(step: str, present: Mapping[str, str]) -> dict[str, str]:
    """Return the clock of a pair that the record would else not name; empty if it is not known."""
    if step not in _PAIRS:
        return {}
    key, parts = _PAIRS[step]
    told = ", ".join(present.get(part, "") for part in parts)
    return {key: told[:200]} if told.strip(", ") else {}


def is_pair_of(instruments: Mapping[str, str], present: Mapping[str, str]) -> bool:
    """Return whether a valid record was made with both clocks that are on the bench now.

    It is False for a record of before there was such a key.
    """
    return any(
        key in instruments and pair_of(step, present) == {key: instruments[key]}
        for step, (key, _) in _PAIRS.items()
    )


def depends_on(step: str, present: Mapping[str, str]) -> dict[str, str]:
    """Return the part of the bench that a step's findings are of; all of it if not known."""
    keys = _DEPENDS.get(step, tuple(present))
    return {key: present[key] for key in keys if key in present}
