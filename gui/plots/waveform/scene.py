# SPDX-License-Identifier: GPL-3.0-or-later
"""The content of a waveform's picture, as values: what is painted, printed or exported alike."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from gui.models.runs.opened import Event, SignalLine
from gui.plots.waveform.marks import Mark
from gui.plots.waveform.shape import Shape

NAMES_PX, AXIS_PX, MARK_ROW_PX, PAD_PX = 152, 34, 22, 22
ROW_PX, ROW_MIN_PX = 44, 22
"""The height of a wire's row as it should be, and at least."""


@dataclass(frozen=True)
class Span:
    """A stretch of the capture across a width in pixels. Samples as fractions, from `origin`."""

    origin: int
    """The sample that the time axis calls 0."""
    first: float
    end: float
    sample_ns: float

    @property
    def length(self) -> float:
        return self.end - self.first

    def x_of(self, sample: float, width: float) -> float:
        """Return pixels from the left; beyond the edges for what is not shown, but never far."""
        x = (sample - self.origin - self.first) * width / self.length
        return min(max(x, -1e4), width + 1e4)

    def sample_at(self, x: float, width: float) -> float:
        """Return the sample at these pixels from the left."""
        return self.origin + self.first + x * self.length / width

    def moved(self, by: float) -> Span:
        """Return the span moved by a part of its length."""
        step = by * self.length
        return replace(self, first=self.first + step, end=self.end + step)

    def zoomed(self, factor: float, at: float) -> Span:
        """Return a longer or shorter span; what is `at` (0 to 1 of its length) stays there."""
        fixed = self.first + at * self.length
        return replace(
            self,
            first=fixed - (fixed - self.first) * factor,
            end=fixed + (self.end - fixed) * factor,
        )


@dataclass(frozen=True)
class Cursor:
    """A line across all wires that can be moved."""

    name: str
    sample: float


@dataclass(frozen=True, eq=False)
class WaveformScene:
    """The scene of one picture."""

    span: Span
    lines: tuple[SignalLine, ...]
    shapes: tuple[Shape, ...] = ()
    event: Event | None = None
    marks: tuple[Mark, ...] = ()
    cursors: tuple[Cursor, ...] = ()
    known_until: float = float("inf")
    """The sample behind which edges were not read: there are too many for one picture."""
    hover_x: float | None = None
    hover_text: str = ""
    hover_row: int = 0
    box: tuple[float, float] | None = None
    """The ends in pixels of a box that is drawn to zoom into."""
    mark_names: dict[str, str] = field(default_factory=dict)
    row_px: int = ROW_PX

    @property
    def mark_rows(self) -> list[str]:
        """The witnesses in the order of their rows."""
        return list(self.mark_names)

    @property
    def height(self) -> int:
        """The pixels that the picture needs with rows of this height."""
        rows = self.row_px * len(self.lines) + MARK_ROW_PX * len(self.mark_names)
        return AXIS_PX + rows + PAD_PX

    def fitted(self, height: int) -> WaveformScene:
        """Return the scene with rows as high as this height allows."""
        room = height - AXIS_PX - PAD_PX - MARK_ROW_PX * len(self.mark_names)
        row_px = room // max(len(self.lines), 1)
        return replace(self, row_px=min(max(row_px, ROW_MIN_PX), ROW_PX))

    def row_top(self, row: int) -> int:
        """Return where a wire's row begins, or, behind the last wire, the witnesses."""
        return AXIS_PX + row * self.row_px

    def row_at(self, y: float) -> int | None:
        """Return the wire at a height; None: none is there."""
        row = int((y - AXIS_PX) // self.row_px)
        return row if 0 <= row < len(self.lines) else None
