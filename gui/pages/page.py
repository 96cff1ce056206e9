# SPDX-License-Identifier: GPL-3.0-or-later
"""What the window knows of a page."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget


class Page(QWidget):
    """One page. Its `actions()`, those added by `addAction`, make up its menu."""

    title = ""
    """Shown in the navigation and as the name of its menu, translated."""

    status = Signal(str)
    """A line for the status bar."""
    run_wanted = Signal(object)
    """A run file (Path) to be shown on the Results page."""
    bench_wanted = Signal(str)
    """A fixture, by its built-in name or its path, to be measured on: on the Run page."""
    bench_used = Signal(bool)
    """A measurement began, or ended."""
    closable = Signal()
    """`may_close` said no, but now the window may close."""

    def uses_bench(self) -> bool:
        """A measurement of this page goes on."""
        return False

    def is_bench_free(self) -> bool:
        """No page of this window measures."""
        pages = self.window().findChildren(Page)
        return not any(page.uses_bench() for page in pages)

    def entered(self) -> None:
        """The page was brought to the front."""

    def may_close(self) -> bool:
        """Asked before the window closes; a page that still works asks the user first."""
        return True
