# SPDX-License-Identifier: GPL-3.0-or-later
"""The agent as it is deployed, with the port that needs no pins."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path

from rig.resources import agent_binary, target_sources

PORT = ("--port", "posix", "--allow-unlocked", "--cpu-dma-latency", "off")
PERIOD_NS = 1_000_000


@cache
def agent_program() -> Path:
    """Built if need be."""
    subprocess.run(["make", "--silent", "-C", target_sources() / "agent"], check=True, timeout=110)
    return agent_binary()
