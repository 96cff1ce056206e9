# SPDX-License-Identifier: GPL-3.0-or-later
"""TOML of a file, within bounds that are stated here and nowhere else."""

from __future__ import annotations

import tomllib
from typing import Any, Final

BYTES_MAX: Final = 1 << 20
LINE_MAX: Final = 1000
"""Characters. It bounds the parts of a dotted key: tomllib's time grows with their square."""


def toml_table(text: str | bytes) -> dict[str, Any]:
    """The values of a TOML text. Raises ValueError, in one line, for what is not within bounds."""
    if len(text) > BYTES_MAX:
        raise ValueError(f"over {BYTES_MAX >> 20} MiB of TOML")
    if isinstance(text, bytes):
        text = text.decode("utf-8")  # UnicodeDecodeError is a ValueError
    if any(len(line) > LINE_MAX for line in text.split("\n")):
        raise ValueError(f"a line of over {LINE_MAX} characters")
    try:
        return tomllib.loads(text)  # TOMLDecodeError is a ValueError
    except RecursionError:
        raise ValueError("arrays nested too deeply") from None
