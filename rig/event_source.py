# SPDX-License-Identifier: GPL-3.0-or-later
"""The sources of a run's events."""

from __future__ import annotations

from abc import ABC
from typing import ClassVar


class EventSource(ABC):
    """Base of a frozen dataclass that tells of all events of a run, as far as they are planned.

    Each run has one. A measurement's object names the kinds that it can have in `sources`; nobody
    else asks which kind it is.
    """

    kind: ClassVar[str]
    """The name in run files."""
    count: int
    """Events, or of several holds those of each."""

    @property
    def planned(self) -> int:
        """Events that the plan asks for; of the first hold, where answers decide on the others."""
        return self.count

    @property
    def active_level(self) -> int:
        """Level of the stimulus line after the leading edge of a pulse."""
        return 1
