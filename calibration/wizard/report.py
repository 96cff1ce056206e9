# SPDX-License-Identifier: GPL-3.0-or-later
"""The report of a stage of the wizard: alike for terminal, window and state file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from calibration.findings import Finding, StepOutcome
from calibration.formatting import lines_of


@dataclass(frozen=True)
class StageReport:
    """Lines to be shown, and findings with what to do about each."""

    lines: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    run: str = ""
    """The run file of a measurement."""

    @property
    def passed(self) -> bool:
        """Whether nothing has to be mended."""
        return not any(finding.fault for finding in self.findings)

    def __add__(self, other: StageReport) -> StageReport:
        return StageReport(
            self.lines + other.lines, self.findings + other.findings, self.run or other.run
        )


def of_outcome(outcome: StepOutcome, title: str) -> StageReport:
    """Return the report of a step of the calibration."""
    return StageReport((title, *lines_of(outcome)), outcome.findings)


def summary(findings: Iterable[Finding]) -> tuple[str, ...]:
    """Return the faults in one line each, to be remembered."""
    return tuple(finding.text for finding in findings if finding.fault)
