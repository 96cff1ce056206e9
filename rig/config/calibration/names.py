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
"""No step: its findings name those that were not taken."""

# Quantities. All times are in ns; positive makes what is measured of a response too long.
TIME_BASE = "time_base"
"""How much too fast the analyzer's clock runs, in ppm. Subject: none."""
CHANNEL_SKEW = "channel_skew"
"""How much later a channel shows an edge than one reference channel. Subject: `D1 rising`."""
LINE_DELAY = "line_delay"
"""How much later an edge is at the analyzer's input than at the target's pin, through wires and
level shifters; that of a stimulus may be negative. Subject: `stimulus rising`, `response falling`,
or a signal alone, for both edges."""
TOGGLE_OVERHEAD = "toggle_overhead"
"""From the agent's time stamp before its pin write to the pin's edge. Subject: as LINE_DELAY."""
LOOPBACK_DELAY = "loopback_delay"
"""What the analyzer shows from stimulus to response with a wire in place of the target: skew, edge
shape and lines in one. Subject: `response rising` or `response falling`."""
CAPTURE_DELAY = "capture_delay"
"""How much later than it was sent the stimulus's input capture stamps an edge, with a wire in place
of the target. Subject: as LOOPBACK_DELAY."""
STIMULUS_RATE = "stimulus_rate"
"""How much too fast the stimulus's clock runs by the analyzer's, in ppm. Subject: none."""
COUNTER_RATE = "counter_rate"
"""The same of the target's cycle counter."""
COUNTER_STABILITY = "counter_stability"
"""Largest less smallest rate of the target's counter at all frequencies of its processor that were
tried. Subject: none."""
COUNTER_STABLE_PPM = 1.0
"""A counter that surely changes by more than this goes with the frequency."""

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
"""A run reads these in this unit only."""

EDGES = {0: "falling", 1: "rising"}
"""Word for an edge by the level after it."""

CORRECTING_STEPS = {
    TIME_BASE_STEP: "analyzer time base",
    SKEW_STEP: "channel skew",
    LINE_STEP: "line delay",
    LOOPBACK_STEP: "loopback",
    TOGGLE_STEP: "agent's pin write",
}
"""Steps that a run takes corrections from, and what they correct, in words."""

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
"""Steps that compare two clocks: under which key a record names the one that its other findings do
not depend on."""


def pair_of(step: str, present: Mapping[str, str]) -> dict[str, str]:
    """The clock of a pair of which the record would else not tell; empty if it is not known."""
    if step not in _PAIRS:
        return {}
    key, parts = _PAIRS[step]
    told = ", ".join(present.get(part, "") for part in parts)
    return {key: told[:200]} if told.strip(", ") else {}


def is_pair_of(instruments: Mapping[str, str], present: Mapping[str, str]) -> bool:
    """Whether a record that holds was made with both clocks that are on the bench now.

    One of before there was such a key does not tell.
    """
    return any(
        key in instruments and pair_of(step, present) == {key: instruments[key]}
        for step, (key, _) in _PAIRS.items()
    )


def depends_on(step: str, present: Mapping[str, str]) -> dict[str, str]:
    """Of what is on the bench, what the findings of a step hold for; all of it if not known."""
    keys = _DEPENDS.get(step, tuple(present))
    return {key: present[key] for key in keys if key in present}
