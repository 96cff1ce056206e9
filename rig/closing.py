# SPDX-License-Identifier: GPL-3.0-or-later
"""What is closed on every path: a class with `close` becomes a context manager."""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import TracebackType
from typing import Self


class Closing(ABC):
    """A context manager that closes on leaving, whatever happened inside."""

    @abstractmethod
    def close(self) -> None:
        """Release everything; may be called twice and never raises."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
