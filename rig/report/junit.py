# SPDX-License-Identifier: GPL-3.0-or-later
"""Results as JUnit XML, for the servers that show test results.

A run is a test suite. Each limit of the plan is a test case: failed if exceeded, skipped if it
cannot be judged. Each comparison of witnesses is one, and so are "nothing lost" and "whole run": an
error if they disagree or data are missing, since the other cases then prove nothing.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from xml.etree import ElementTree as ET

from rig.analysis.measurements.limits import JudgedLimit
from rig.analysis.measurements.verdict import Verdict
from rig.analysis.statistics.descriptive import as_dict
from rig.analysis.uncertainty.budget import Judgment
from rig.errors import InputError
from rig.measurements.registry import measurement_of
from rig.printable import xml_text
from rig.report.calibration_brief import calibration_state, taken_off
from rig.report.labels import title_of
from rig.session.results import Result


class TestOutcome(StrEnum):
    """The outcome of a test case; all but PASSED are names of JUnit's elements."""

    PASSED = "passed"
    FAILURE = "failure"
    ERROR = "error"
    SKIPPED = "skipped"


@dataclass(frozen=True)
class Case:
    """A test case: one thing that was judged."""

    group: str
    name: str
    outcome: TestOutcome
    text: str


def check_junit(path: Path) -> None:
    """Check the path before a measurement. Raises InputError if the file could not be written."""
    folder = path.parent
    if not folder.is_dir():
        raise InputError(f"{path}: there is no folder {folder}; make it, or name another file")
    if path.is_dir() or not os.access(path if path.exists() else folder, os.W_OK):
        raise InputError(f"{path}: no permission to write it; name another file with --junit")


def write_junit(path: Path, results: Sequence[Result]) -> None:
    """Write the file, in place of an older one. Raises InputError if it cannot be written."""
    written(path, junit(results))


def write_refused(path: Path, name: str, about: Mapping[str, str], reason: str) -> None:
    """Write the file of a run that the target refused. Raises InputError if it cannot be."""
    case = Case("run", "whole run", TestOutcome.ERROR, f"refused: {reason}")
    written(path, suite_of(name, [case], about))


def written(path: Path, text: str) -> None:
    """Write a document, in place of an older one. Raises InputError if it cannot be written."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: JUnit file not written ({error.strerror})") from None


def junit(results: Sequence[Result]) -> str:
    """Return the whole document as text."""
    suites = ET.Element("testsuites", name="latency-rig")
    total: list[Case] = []
    for result in results:
        found = cases(result)
        total += found
        suites.append(_suite(result, found))
    return _document(suites, total)


def suite_of(name: str, found: Sequence[Case], about: Mapping[str, str]) -> str:
    """Return a whole document of one suite, `about` as its properties."""
    suites = ET.Element("testsuites", name="latency-rig")
    suite = ET.SubElement(suites, "testsuite", name=_text(name))
    suite.attrib.update(_sums(found))
    properties = ET.SubElement(suite, "properties")
    for key, value in about.items():
        ET.SubElement(properties, "property", name=key, value=_text(value))
    for case in found:
        _add(suite, name, case)
    return _document(suites, found)


def _document(suites: ET.Element, total: Sequence[Case]) -> str:
    suites.attrib.update(_sums(total))
    ET.indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(suites, "unicode") + "\n"


def cases(result: Result) -> list[Case]:
    """Return a test case for all that was judged of a run."""
    return [
        *(_limit(limit) for limit in result.evaluation.limits),
        *_witnesses(result),
        _nothing_lost(result),
        _whole(result),
    ]


def _limit(limit: JudgedLimit) -> Case:
    outcome = {
        Judgment.KEPT: TestOutcome.PASSED,
        Judgment.EXCEEDED: TestOutcome.FAILURE,
        Judgment.CANNOT_TELL: TestOutcome.SKIPPED,
    }[limit.judgment]
    return Case("limits", limit.title, outcome, limit.text)


def _witnesses(result: Result) -> list[Case]:
    return [
        Case("witnesses", w.name, TestOutcome.PASSED if w.agrees else TestOutcome.ERROR, w.text)
        for w in result.evaluation.witnesses
    ]


def _nothing_lost(result: Result) -> Case:
    """Return the case of lost data: an error if the bench failed or data are missing."""
    evaluation = result.evaluation
    if evaluation.verdict is Verdict.INCOMPLETE:
        return Case("run", "nothing lost", TestOutcome.ERROR, "\n".join(evaluation.reasons))
    return Case("run", "nothing lost", TestOutcome.PASSED, "no sign of lost samples")


def _whole(result: Result) -> Case:
    """Return the case of a whole run: skipped if not all that was planned is there."""
    evaluation, planned = result.evaluation, result.settings.planned
    n, events = evaluation.counts.n, measurement_of(result.settings.measurement).events
    short = planned is None or n < planned or result.account.interrupted
    if short or evaluation.verdict is Verdict.INCONCLUSIVE:
        text = "\n".join(evaluation.reasons) or f"{n:,} {events} seen"
        return Case("run", "whole run", TestOutcome.SKIPPED, text)
    return Case("run", "whole run", TestOutcome.PASSED, f"{n:,} of {planned:,} {events} seen")


# --- XML ----------------------------------------------------------------------------------------


def _suite(result: Result, found: Sequence[Case]) -> ET.Element:
    evaluation = result.evaluation
    title = title_of(result.settings)
    name = _text(f"{title} ({result.path.name})")
    suite = ET.Element("testsuite", name=name, time=f"{evaluation.duration_s:.3f}")
    suite.attrib.update({"timestamp": _text(result.created)[:19], **_sums(found)})
    properties = ET.SubElement(suite, "properties")
    figures = {"verdict": str(evaluation.verdict), "file": str(result.path)}
    figures |= {k: str(v) for k, v in as_dict(evaluation.figures).items() if v is not None}
    figures |= {name: str(value) for name, value in asdict(evaluation.counts).items()}
    figures |= {
        "calibration": calibration_state(result),
        "taken_off": taken_off(result),
    }
    for name, value in figures.items():
        ET.SubElement(properties, "property", name=name, value=_text(value))
    for case in found:
        _add(suite, title, case)
    return suite


def _add(suite: ET.Element, title: str, case: Case) -> None:
    # Servers take a class name apart at its dots.
    group = f"{title.replace('.', '_')}.{case.group}"
    element = ET.SubElement(suite, "testcase", classname=_text(group), name=_text(case.name))
    if case.outcome is TestOutcome.PASSED:
        ET.SubElement(element, "system-out").text = _text(case.text)
        return
    first = _text(case.text).partition("\n")[0]
    ET.SubElement(element, case.outcome, message=first).text = _text(case.text)


def _sums(found: Sequence[Case]) -> dict[str, str]:
    names = {
        "failures": TestOutcome.FAILURE,
        "errors": TestOutcome.ERROR,
        "skipped": TestOutcome.SKIPPED,
    }
    counts = {name: sum(c.outcome is o for c in found) for name, o in names.items()}
    return {"tests": str(len(found)), **{name: str(count) for name, count in counts.items()}}


def _text(text: str) -> str:
    """Return the text with the code of each character that XML 1.0 cannot hold."""
    return xml_text(text)
