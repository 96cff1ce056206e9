# SPDX-License-Identifier: GPL-3.0-or-later
"""Microseconds as pages and windows write them; terminal, CSV and JSON keep the ASCII "us"."""

from __future__ import annotations

import re

_US = re.compile(r"(?<=\d )us\b")


def micro(text: str) -> str:
    """The same text, or HTML, with "µs" behind each number that has "us"."""
    return _US.sub("µs", text)
