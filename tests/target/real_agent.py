# SPDX-License-Identifier: GPL-3.0-or-later
"""The agent as it is deployed, with the port that needs no pins."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from rig.resources import agent_binary, target_sources
from tests.made import make

PORT = ("--port", "posix", "--allow-unlocked", "--cpu-dma-latency", "off")
PERIOD_NS = 1_000_000


@cache
def agent_program() -> Path:
    """Built if need be."""
    make(target_sources() / "agent")
    return agent_binary()
