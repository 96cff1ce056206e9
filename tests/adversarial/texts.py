# SPDX-License-Identifier: GPL-3.0-or-later
"""Plans and tables of a fixture as text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

PLAN = """\
[plan]
name = "adversarial"
title = "adversarial"
measurement = "interrupt"
scenario = "idle"
[capture]
resolution = "100 ns"
glitch_filter = "200 ns"
[response]
timeout = "20 ms"
[limits]
missed = "any"
late = "any"
merged = "any"
duplicate = "any"
spurious = "any"
"""


def tables(values: Mapping[str, Mapping[str, Any]], above: str = "virtual.") -> str:
    """TOML tables of plain values; empty ones are left out."""
    return "".join(
        f"[{above}{name}]\n" + "".join(f"{key} = {json.dumps(v)}\n" for key, v in keys.items())
        for name, keys in values.items()
        if keys
    )
