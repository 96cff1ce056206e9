# SPDX-License-Identifier: GPL-3.0-or-later
"""Work on a thread beside the window: one item at a time, and of what waits only the newest."""

from __future__ import annotations

import threading
from typing import Any

from PySide6.QtCore import QObject


class BackgroundWorker(QObject):
    """A thread whose work subclasses do in `_work`, with its results as signals."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._wanted: Any = None
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    def submit(self, item: Any) -> None:
        """Give the item to be worked on next, in place of one that waits. None is nothing."""
        with self._lock:
            self._wanted = item
            if self._thread is None:
                name = type(self).__name__
                self._thread = threading.Thread(target=self._run, name=name, daemon=True)
                self._thread.start()

    def stop(self) -> None:
        """Forget the item that waits, and wait for the one under way."""
        with self._lock:
            self._wanted = None
            thread = self._thread
        if thread is not None:
            thread.join()

    def _work(self, item: Any) -> None:
        """Work on an item, on the thread. What it raises is an error of the program."""
        raise NotImplementedError

    def _run(self) -> None:
        while (item := self._next()) is not None:
            self._work(item)

    def _next(self) -> Any:
        with self._lock:
            item, self._wanted = self._wanted, None
            if item is None:
                self._thread = None
            return item
