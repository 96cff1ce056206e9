# SPDX-License-Identifier: GPL-3.0-or-later
"""Details: figures that only one kind of measurement has."""

from __future__ import annotations

from typing import ClassVar


class Details:
    """Base of a frozen dataclass of such figures, which the measurement's object names."""

    kind: ClassVar[str]
    """Value of its key `kind` in documents."""

    @property
    def ended_early(self) -> bool:
        """Whether the run ended before its count, by another end that was asked for."""
        return False
