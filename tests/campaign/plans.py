# SPDX-License-Identifier: GPL-3.0-or-later
"""Campaigns for tests: short ones of the modelled target."""

from __future__ import annotations

from pathlib import Path

SMALL = """
[campaign]
name = "small"
title = "Three short runs, and two that cannot be made"
scenarios = ["idle"]
count = 20

[[measure]]
plan = "interrupt"
scenarios = ["idle", "cpu"]

[[measure]]
plan = "period"
[measure.vary]
agent.period = ["500 us", "2 ms"]

[[measure]]
plan = "telepathy"
measurement = "telepathy"
"""
NAMES = (
    "interrupt-idle",
    "interrupt-cpu",
    "period-500us-idle",
    "period-2ms-idle",
    "telepathy-idle",
)
MADE = (NAMES[0], NAMES[2], NAMES[3])


def written(folder: Path, text: str = SMALL, name: str = "small.toml") -> Path:
    """A campaign's file."""
    path = folder / name
    path.write_text(text)
    return path
