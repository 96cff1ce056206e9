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
    """A console that shows text as it is: no markup, emoji names or control codes but its own."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"markup": False, "emoji": False, "highlight": False, **options})

    @property
    def file(self) -> Any:
        """The stream that it writes to, past a guarded one's escaping, which it does itself."""
        found = super().file
        return getattr(found, "styled", found)

    @file.setter
    def file(self, new: Any) -> None:
        self._file = new

    def render_str(self, text: str, **options: Any) -> Text:
        """Return a text as it is shown, in one line, escaped before its width is measured."""
        return super().render_str(printable(text), **options)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Yield the segments to show, escaped but for the console's own control codes."""
        if isinstance(renderable, Text) and not renderable.plain.isprintable():
            plain = printable(renderable.plain.removesuffix("\n"))
            renderable = Text(plain, renderable.style, end=renderable.end)
        for segment in super().render(renderable, options):
            text, style, control = segment
            escaped = control or text.isprintable()
            yield segment if escaped else Segment(printable_lines(text), style)
