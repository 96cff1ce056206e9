# SPDX-License-Identifier: GPL-3.0-or-later
"""The window's request to the engine. Light: the window opens without what measures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Final

TELL: Final = "tell"
"""The kind of a message with a line on what takes long."""
BEGUN: Final = "begun"
"""The kind of the message that names the run file."""


@dataclass(frozen=True)
class RunRequest:
    """A request to measure, as strings and numbers that cross a pipe."""

    plan: str
    """A built-in name or a path."""
    fixture: str
    """A built-in name, a path, or `replay:RUN.h5`."""
    folder: str
    """The folder of the run file."""
    count: int | None = None
    seed: int | None = None
    expected_s: float = 0.0
    """The time that the plan takes, from which the rest is told until the rate is known."""
    scenario: str = ""
    """The load on the target; "": the plan's own."""
    calibration: str | None = None
    """A file, or "none"; None: the bench's own, if it has one."""

    def fields(self) -> dict[str, Any]:
        """Return the fields as JSON has them."""
        return asdict(self)


def job_of(stored: Mapping[str, Any]) -> RunRequest:
    """Return the request of these fields. Raises ValueError if fields are missing or unknown."""
    if set(stored) != {each.name for each in fields(RunRequest)}:
        raise ValueError("a job with other fields")
    return RunRequest(**stored)
