# SPDX-License-Identifier: GPL-3.0-or-later
"""The console that every table and line in color goes through: text from outside is escaped."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType  # noqa: TID251 - the safe one
from rich.segment import Segment
from rich.text import Text

from rig.printable import printable, printable_lines


class SafeConsole(Console):
    """Shows text as it is: no markup, no emoji names, no control characters but its own."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"markup": False, "emoji": False, "highlight": False, **options})

    @property
    def file(self) -> Any:
        """Where it writes: past the escaping of a guarded stream, which it does itself."""
        found = super().file
        return getattr(found, "styled", found)

    @file.setter
    def file(self, new: Any) -> None:
        self._file = new

    def render_str(self, text: str, **options: Any) -> Text:
        """A text as it is shown, escaped before it is measured: one line."""
        return super().render_str(printable(text), **options)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """What is shown, piece by piece; only the console's own codes are left alone."""
        if isinstance(renderable, Text) and not renderable.plain.isprintable():
            plain = printable(renderable.plain.removesuffix("\n"))
            renderable = Text(plain, renderable.style, end=renderable.end)
        for segment in super().render(renderable, options):
            text, style, control = segment
            escaped = control or text.isprintable()
            yield segment if escaped else Segment(printable_lines(text), style)
