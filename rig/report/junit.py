# SPDX-License-Identifier: GPL-3.0-or-later
"""Results as JUnit XML, for the servers that show test results.

A run is a test suite. Each limit of the plan is a test case: failed if exceeded, skipped if it
cannot be told. Each comparison of witnesses is one, and so are "nothing lost" and "whole run": an
error if they disagree or data are missing, since the other cases then prove nothing.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from pathlib import Path
from xml.etree import ElementTree as ET

from rig.analysis.budget.budget import Budget, Judgment, judge
from rig.analysis.statistics import as_dict
from rig.analysis.verdict import Verdict
from rig.errors import InputError
from rig.report.words import events_of, title_of
from rig.session.results import Result


class Outcome(StrEnum):
    """Of a test case; all but PASSED are names of JUnit's elements."""

    PASSED = "passed"
    FAILURE = "failure"
    ERROR = "error"
    SKIPPED = "skipped"


@dataclass(frozen=True)
class Case:
    """One thing that was judged."""

    group: str
    name: str
    outcome: Outcome
    text: str


Budgets = Mapping[str, Budget]
"""Uncertainty of figures by the limit's name, "max" or "average", in ns."""


def check_junit(path: Path) -> None:
    """Before anything is measured for it. Raises InputError if the file could not be written."""
    folder = path.parent
    if not folder.is_dir():
        raise InputError(f"{path}: there is no folder {folder}; make it, or name another file")
    if path.is_dir() or not os.access(path if path.exists() else folder, os.W_OK):
        raise InputError(f"{path}: no permission to write it; name another file with --junit")


def write_junit(path: Path, results: Sequence[Result]) -> None:
    """Write the file, in place of an older one. Raises InputError if it cannot be written."""
    try:
        path.write_text(junit(results), encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: JUnit file not written ({error.strerror})") from None


def junit(results: Sequence[Result], budgets: Sequence[Budgets] | None = None) -> str:
    """The whole document as text.

    `budgets`: for each result, in place of its own; a limit that lies within a figure's uncertainty
    cannot be told.
    """
    suites = ET.Element("testsuites", name="latency-rig")
    total: list[Case] = []
    for result, known in zip(results, budgets or map(_budgets_of, results), strict=True):
        found = cases(result, known)
        total += found
        suites.append(_suite(result, found))
    suites.attrib.update(_sums(total))
    ET.indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(suites, "unicode") + "\n"


def _budgets_of(result: Result) -> Budgets:
    beyond = result.evaluation.beyond
    return {} if beyond is None else beyond.budgets


def cases(result: Result, budgets: Budgets | None = None) -> list[Case]:
    """All that was judged of a run."""
    return [
        *_limits(result, budgets or {}),
        *_witnesses(result),
        _nothing_lost(result),
        _whole(result),
    ]


def _limits(result: Result, budgets: Budgets) -> list[Case]:
    evaluation, limits = result.evaluation, result.settings.limits
    figures, counts = as_dict(evaluation.figures), evaluation.counts
    found = []
    for field in fields(limits):
        limit = getattr(limits, field.name)
        if limit is None:
            continue
        if field.name == "interval_error_ns":
            found.append(_limit("interval error", _interval_error(result), limit, time=True))
        elif field.name.endswith("_ns"):
            name = field.name.removesuffix("_ns")
            if name in budgets:
                found.append(_judged(name, budgets[name], limit))
                continue
            found.append(_limit(f"{name} latency", figures[field.name], limit, time=True))
        else:
            found.append(_limit(field.name, getattr(counts, field.name), limit, time=False))
    return found


def _judged(name: str, budget: Budget, limit_ns: float) -> Case:
    """With the figure's uncertainty taken into account."""
    outcome = {
        Judgment.KEPT: Outcome.PASSED,
        Judgment.EXCEEDED: Outcome.FAILURE,
        Judgment.CANNOT_TELL: Outcome.SKIPPED,
    }[judge(limit_ns, budget)]
    text = (
        f"{budget.corrected / 1e3:.3f} us, U = {budget.expanded / 1e3:.3f} us "
        f"(k = {budget.coverage_factor:.2f}), limit {limit_ns / 1e3:.3f} us"
    )
    return Case("limits", f"{name} latency", outcome, text)


def _interval_error(result: Result) -> float | None:
    """Largest departure from the period, either way, by the pin."""
    period = result.evaluation.period
    error = None if period is None else period.pins.interval_error
    if error is None or error.min_ns is None or error.max_ns is None:
        return None
    return max(-error.min_ns, error.max_ns)


def _limit(name: str, value: float | None, limit: float, *, time: bool) -> Case:
    def words(number: float) -> str:
        return f"{number / 1e3:.3f} us" if time else f"{number:,.0f}"

    if value is None:
        text = f"nothing was measured; limit {words(limit)}"
        return Case("limits", name, Outcome.SKIPPED, text)
    outcome = Outcome.FAILURE if value > limit else Outcome.PASSED
    return Case("limits", name, outcome, f"{words(value)}, limit {words(limit)}")


def _witnesses(result: Result) -> list[Case]:
    return [
        Case("witnesses", w.name, Outcome.PASSED if w.agrees else Outcome.ERROR, w.text)
        for w in result.evaluation.witnesses
    ]


def _nothing_lost(result: Result) -> Case:
    """An error if the bench failed or data are missing."""
    evaluation = result.evaluation
    if evaluation.verdict is Verdict.INCOMPLETE:
        return Case("run", "nothing lost", Outcome.ERROR, "\n".join(evaluation.reasons))
    return Case("run", "nothing lost", Outcome.PASSED, "no sign of lost samples")


def _whole(result: Result) -> Case:
    """Skipped if not all that was planned is there: nothing speaks against it, or for it."""
    evaluation, planned = result.evaluation, result.settings.planned
    n, events = evaluation.counts.n, events_of(result.settings)
    short = planned is None or n < planned or result.account.interrupted
    if short or evaluation.verdict is Verdict.INCONCLUSIVE:
        text = "\n".join(evaluation.reasons) or f"{n:,} {events} seen"
        return Case("run", "whole run", Outcome.SKIPPED, text)
    return Case("run", "whole run", Outcome.PASSED, f"{n:,} of {planned:,} {events} seen")


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
    for name, value in figures.items():
        ET.SubElement(properties, "property", name=name, value=_text(value))
    for case in found:
        _add(suite, title, case)
    return suite


def _add(suite: ET.Element, title: str, case: Case) -> None:
    # Servers take a class name apart at its dots.
    group = f"{title.replace('.', '_')}.{case.group}"
    element = ET.SubElement(suite, "testcase", classname=_text(group), name=_text(case.name))
    if case.outcome is Outcome.PASSED:
        ET.SubElement(element, "system-out").text = _text(case.text)
        return
    first = _text(case.text).partition("\n")[0]
    ET.SubElement(element, case.outcome, message=first).text = _text(case.text)


def _sums(found: Sequence[Case]) -> dict[str, str]:
    names = {
        "failures": Outcome.FAILURE,
        "errors": Outcome.ERROR,
        "skipped": Outcome.SKIPPED,
    }
    counts = {name: sum(c.outcome is o for c in found) for name, o in names.items()}
    return {"tests": str(len(found)), **{name: str(count) for name, count in counts.items()}}


def _text(text: str) -> str:
    """What XML 1.0 cannot hold is shown as its code."""
    return "".join(c if c == "\n" or c.isprintable() else ascii(c)[1:-1] for c in text)
