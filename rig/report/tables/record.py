# SPDX-License-Identifier: GPL-3.0-or-later
"""Records: the figures of one row of a table, of a run or published."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from rig.measurements.registry import subject_of
from rig.measurements.reported import Subject


class Word(StrEnum):
    """The agreement of pins and log."""

    AGREES = "agrees"
    """One clock puts every edge between its record's two readings, and all else agrees, too."""
    DISAGREES = "disagrees"
    NONE = "none"
    """No pin was seen: the figures are of the target's own log alone."""
    UNKNOWN = ""
    """Nothing was measured, or it was by others."""


def joined(*words: str) -> str:
    """Return these words with commas between them, without empty ones."""
    return ", ".join(filter(None, words))


@dataclass(frozen=True)
class RunRecord:
    """A record: what was measured where, how, and under what load, with its figures."""

    system: str
    subject_name: str
    """Name of its subject, see rig.measurements.reported.Subject."""
    variant: str
    """Variant of the measurement, such as a period: `500us`. "" if it has none."""
    scenario: str
    figures: Mapping[str, float | None] = field(default_factory=dict)
    """Figures in nanoseconds, by the statistics' fields; what was not published is absent."""
    n: int | None = None
    """Number of values that they are made of; None: not published."""
    overruns: int | None = None
    """Number of periods that were late or missed."""
    remark: str = ""
    """The reason why there are no figures, or why they are not to be trusted."""
    published: bool = False
    witness: Word = Word.UNKNOWN
    by: str = ""
    """Clock of the figures: `pins`, or the target's own, `ticks` or `clock`."""
    how: str = ""
    """What was measured on what, where that differs from row to row: tasks, port, machine."""

    @property
    def subject(self) -> Subject:
        """The subject of the record."""
        return subject_of(self.subject_name)

    @property
    def table(self) -> tuple[str, str]:
        """The key of the record's table: records with equal keys may be in one."""
        return self.subject_name, self.variant

    @property
    def table_title(self) -> str:
        """The title of the record's table."""
        return f"{self.subject.title} {self.variant}".rstrip()
