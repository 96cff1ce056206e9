# SPDX-License-Identifier: GPL-3.0-or-later
"""Where things are in the picture of a bench: boxes, pins, wires. Numbers only, no painting.

The microcontroller is at the left, the target at the right, the analyzer below both. A wire is a
level line; where the analyzer listens, a line goes down from it to the channel's pin. With
channels in the order of wires, only the stimulus crosses another wire.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from rig.config.fixture import Fixture, Wire

BOX_WIDTH: Final = 148.0
ANALYZER_HEIGHT: Final = 88.0
LIVE_HEIGHT: Final = 34.0
"""More of it, for levels and activity."""
TITLE_HEIGHT: Final = 84.0
"""Of a box's head, above its first pin."""
ROW_MAX: Final = 40.0
FOOT: Final = 14.0
"""Below the last pin in a box."""
DROP: Final = 28.0
"""From the boxes down to the analyzer."""
INSET: Final = 76.0
"""At the left of the middle, free of lines down: what the live figures are stands there."""
NAMES: Final = 132.0
"""At the right of the middle, free of lines down: names of wires stand there."""


@dataclass(frozen=True)
class Rect:
    """A box, in device-independent pixels."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        return self.x + self.width

    @property
    def bottom(self) -> float:
        return self.y + self.height


@dataclass(frozen=True)
class WirePath:
    """One wire: a level line from `left` to `right` at `y`, and one down at `tap` to `bottom`."""

    wire: Wire
    left: float
    """The microcontroller, or where it is tapped if it does not reach that."""
    right: float
    y: float
    tap: float
    bottom: float


@dataclass(frozen=True)
class WirePicture:
    """The whole picture."""

    stimulus: Rect
    target: Rect
    analyzer: Rect
    paths: tuple[WirePath, ...]
    """In the fixture's order."""
    row: float
    """Between two wires."""

    def wire_at(self, x: float, y: float, reach: float = 6.0) -> int | None:
        """The wire that passes this point, within `reach`; its name above it counts too."""
        for at, path in enumerate(self.paths):
            level = path.left - reach <= x <= path.right + reach
            if level and path.y - min(16.0, self.row - reach) <= y <= path.y + reach:
                return at
        for at, path in enumerate(self.paths):
            if abs(x - path.tap) <= reach and path.y <= y <= path.bottom + reach:
                return at
        return None


def arrange(fixture: Fixture, width: float, height: float, *, live: bool = False) -> WirePicture:
    """The picture of this fixture in an area of this size; `live` leaves room for levels."""
    wires = fixture.wires
    rows = max(1, len(wires))
    below = ANALYZER_HEIGHT + LIVE_HEIGHT if live else ANALYZER_HEIGHT
    free = height - TITLE_HEIGHT - FOOT - DROP - below - 1
    row = max(8.0, min(ROW_MAX, free / rows))
    box = TITLE_HEIGHT + row * (rows - 0.5) + FOOT
    stimulus = Rect(0.5, 0.5, BOX_WIDTH, box)
    target = Rect(width - BOX_WIDTH - 0.5, 0.5, BOX_WIDTH, box)
    middle = target.x - stimulus.right
    analyzer = Rect(stimulus.right, box + DROP, middle, below)
    taps = _taps(analyzer, [wire.channel for wire in wires])
    paths = tuple(
        WirePath(
            wire=wire,
            left=stimulus.right if wire.stimulus_pin else taps[wire.channel],
            right=target.x,
            y=round(TITLE_HEIGHT + row * at + row / 2),
            tap=taps[wire.channel],
            bottom=analyzer.y,
        )
        for at, wire in enumerate(wires)
    )
    return WirePicture(stimulus, target, analyzer, paths, row)


def _taps(analyzer: Rect, channels: list[int]) -> dict[int, float]:
    """Across, for each channel that carries a signal, in the order of channels."""
    first = analyzer.x + INSET
    last = max(first, analyzer.right - NAMES)
    step = (last - first) / max(1, len(channels) - 1)
    return {channel: round(first + step * at) for at, channel in enumerate(sorted(channels))}
