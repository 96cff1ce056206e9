# SPDX-License-Identifier: GPL-3.0-or-later
"""The messages of the process that touches instruments to the window."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from calibration.findings import Finding
from calibration.wizard import StageReport

PROGRESS, REPORT, WIRE, OPENED = "progress", "report", "wire", "opened"
DONE, STOPPED = "done", "stopped"
_TYPES: Final = {"kind": str, "text": str, "remedy": str, "fault": bool, "signals": list}


def report_fields(report: StageReport) -> dict[str, object]:
    """Return a report's fields, to be sent."""
    return {
        "lines": list(report.lines),
        "findings": findings_fields(report.findings),
        "run": report.run,
    }


def report_of(fields: Mapping[str, Any]) -> StageReport:
    """Return the report of these fields. Raises ValueError."""
    lines, run = fields.get("lines"), fields.get("run")
    if not isinstance(lines, list) or not isinstance(run, str):
        raise ValueError("no report")
    return StageReport(tuple(map(_text, lines)), findings_of(fields), run)


def findings_fields(findings: Sequence[Finding]) -> list[dict[str, object]]:
    """Return the findings' fields, to be sent."""
    return [asdict(finding) for finding in findings]


def findings_of(fields: Mapping[str, Any]) -> tuple[Finding, ...]:
    """Return the findings of a report or of a wire. Raises ValueError."""
    found = fields.get("findings")
    if not isinstance(found, list):
        raise ValueError("no findings")
    return tuple(map(_finding, found))


def _finding(fields: Any) -> Finding:
    if not isinstance(fields, dict) or set(fields) != set(_TYPES):
        raise ValueError("a finding with other fields")
    if any(type(fields[name]) is not kind for name, kind in _TYPES.items()):
        raise ValueError("a finding with other types")
    return Finding(**{**fields, "signals": tuple(map(_text, fields["signals"]))})


def _text(text: Any) -> str:
    if not isinstance(text, str):
        raise ValueError("no text")
    return text
