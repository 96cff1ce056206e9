# SPDX-License-Identifier: GPL-3.0-or-later
"""How long one call of a service of the system takes."""

from __future__ import annotations

from rig.limit_names import LATENCY
from rig.measure.inside import Inside, Part

SERVICES = Inside(
    name="services",
    title="one call of a service",
    variants={
        "pipe_write": "64 bytes into a pipe",
        "pipe_read": "64 bytes out of a pipe",
        "shared_memory": "64 bytes of shared memory, written and read",
        "port_write": "one write of the answering pins",
        "port_read": "one reading of the answering pins",
    },
    parts=(Part(LATENCY, "call"),),
    by_answers=("port_write",),
)
