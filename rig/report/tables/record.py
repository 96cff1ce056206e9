# SPDX-License-Identifier: GPL-3.0-or-later
"""One row's worth of figures: of a run, or published."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from rig.measurements.registry import subject_of
from rig.measurements.reported import Subject


class Word(StrEnum):
    """What pins and log say of each other."""

    AGREES = "agrees"
    """One clock puts every edge between its record's two readings, and all else agrees, too."""
    DISAGREES = "disagrees"
    NONE = "none"
    """No pin was seen: the target's own account alone."""
    UNKNOWN = ""
    """Nothing was measured, or by others."""


@dataclass(frozen=True)
class RunRecord:
    """What was measured where, how, under what load, and what came out."""

    system: str
    subject_name: str
    """What it is of, see rig.measurements.reported.Subject."""
    variant: str
    """Of the measurement, such as a period: `500us`. "" if it has none."""
    scenario: str
    figures: Mapping[str, float | None] = field(default_factory=dict)
    """In nanoseconds, by the names of the statistics' fields; what was not published is absent."""
    n: int | None = None
    """Values that they are made of; None: not published."""
    overruns: int | None = None
    """Of periods: late or missed."""
    remark: str = ""
    """Why there are no figures, or why they are not to be trusted."""
    published: bool = False
    witness: Word = Word.UNKNOWN

    @property
    def subject(self) -> Subject:
        """What it is of."""
        return subject_of(self.subject_name)

    @property
    def table(self) -> tuple[str, str]:
        """Records with equal ones may stand in one table."""
        return self.subject_name, self.variant

    @property
    def table_title(self) -> str:
        """What such a table is of, as it is written."""
        return f"{self.subject.title} {self.variant}".rstrip()
