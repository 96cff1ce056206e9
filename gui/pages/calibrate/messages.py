# SPDX-License-Identifier: GPL-3.0-or-later
"""What the window and its working process say to each other: lines of JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from calibration.findings import Finding
from calibration.wizard import Report

LINE_MAX: Final = 1 << 20
PROGRESS, REPORT, WIRE, OPENED = "progress", "report", "wire", "opened"
DONE, STOPPED, FAILED = "done", "stopped", "failed"
_KINDS: Final = (PROGRESS, REPORT, WIRE, OPENED, DONE, STOPPED, FAILED)
_TYPES: Final = {"kind": str, "text": str, "remedy": str, "fault": bool, "signals": list}


def line_of(kind: str, **fields: object) -> bytes:
    """One message."""
    return json.dumps({"kind": kind, **fields}).encode() + b"\n"


def message_of(line: bytes) -> tuple[str, Mapping[str, Any]]:
    """Kind and fields. Raises ValueError for anything else."""
    fields = json.loads(line)
    if not isinstance(fields, dict) or fields.get("kind") not in _KINDS:
        raise ValueError("no message")
    return str(fields.pop("kind")), fields


def report_fields(report: Report) -> dict[str, object]:
    """To be given to `line_of`."""
    return {
        "lines": list(report.lines),
        "findings": findings_fields(report.findings),
        "run": report.run,
    }


def report_of(fields: Mapping[str, Any]) -> Report:
    """The same again. Raises ValueError."""
    lines, run = fields.get("lines"), fields.get("run")
    if not isinstance(lines, list) or not isinstance(run, str):
        raise ValueError("no report")
    return Report(tuple(map(_text, lines)), findings_of(fields), run)


def findings_fields(findings: Sequence[Finding]) -> list[dict[str, object]]:
    """To be given to `line_of`."""
    return [asdict(finding) for finding in findings]


def findings_of(fields: Mapping[str, Any]) -> tuple[Finding, ...]:
    """Of a report or of a wire. Raises ValueError."""
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
