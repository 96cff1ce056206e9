# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of plots that are written as SVG by hand, where matplotlib would take too long or too much
room. Their colors are variables of the page, see rig.plots.canvas."""

from __future__ import annotations

import base64
import math
import struct
import zlib
from collections.abc import Iterable
from typing import Final

import numpy as np
import numpy.typing as npt

from rig.printable import html_text

FONT_SIZE: Final = 12.5
"""Size of text in a plot that is 1000 wide, as large as the page's notes."""


def plot(title: str, width: float, height: float, parts: Iterable[str]) -> str:
    """Return an <svg> element of these parts; `title` is what it shows."""
    label = html_text(title)
    head = (
        f'<svg class="plot" role="img" aria-label="{label}" viewBox="0 0 {width:g} {height:g}" '
        f'font-size="{FONT_SIZE:g}">'
    )
    return "\n".join([head, f"<title>{label}</title>", *parts, "</svg>"])


def ticks(low: float, high: float, most: int) -> list[float]:
    """Return round numbers within the limits, at most so many and at least two where they fit."""
    step = 10.0 ** math.floor(math.log10(max(high - low, 1e-9) / most))
    step = next(step * by for by in (1, 2, 5, 10) if (high - low) / (step * by) <= most)
    first = math.ceil(low / step - 1e-9)
    return [step * place for place in range(first, math.floor(high / step + 1e-9) + 1)]


def line(x1: float, y1: float, x2: float, y2: float, color: str) -> str:
    """Return a line in one of the page's colors."""
    return f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" style="stroke: var(--{color})"/>'


def text(x: float, y: float, words: str, anchor: str, color: str = "dim") -> str:
    """Return a text; `anchor` is `start`, `middle` or `end`."""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" style="fill: var(--{color})">'
        f"{html_text(words)}</text>"
    )


def shaded(
    name: str, shares: npt.NDArray[np.float64], x: float, y: float, width: float, height: float
) -> str:
    """Return cells in the color of the body, each as dark as its share between 0 and 1 says.

    `shares`: shape (rows, columns), first row on top; `name` makes the ids unique.
    """
    place = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
    image = base64.b64encode(_png(np.round(shares * 255).astype(np.uint8))).decode()
    return (
        f'<defs><mask id="{name}-mask"><image {place} preserveAspectRatio="none" '
        f'style="image-rendering: pixelated" href="data:image/png;base64,{image}"/></mask></defs>'
        f'<rect {place} mask="url(#{name}-mask)" style="fill: var(--body)"/>'
    )


def _png(gray: npt.NDArray[np.uint8]) -> bytes:
    """Return an image of 8 bits of gray."""
    rows, columns = gray.shape
    lines = np.concatenate([np.zeros((rows, 1), np.uint8), gray], axis=1).tobytes()
    header = struct.pack(">IIBBBBB", columns, rows, 8, 0, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(lines, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )
