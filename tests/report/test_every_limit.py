# SPDX-License-Identifier: GPL-3.0-or-later
"""Each limit of a plan, and each thing measured, has its line in terminal, page, JSON and JUnit."""

from __future__ import annotations

import io
import json
from html import unescape
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from rich.console import Console

from rig.analysis.model.instrument_counts import InstrumentCounts
from rig.analysis.model.settings import Limits
from rig.analysis.model.sources import Schedule
from rig.analysis.uncertainty.contribution import calibrated, limits
from rig.analysis.uncertainty.error_model import BenchErrorModel
from rig.formatting import capitalized, with_unicode_signs
from rig.measurements.evaluate import evaluate
from rig.report.junit import junit
from rig.report.page import pages
from rig.report.run_report import run_report
from rig.report.terminal import print_report
from rig.session.results import Result, document
from tests.analysis.raw_runs import RATE_HZ, settings_of
from tests.analysis.test_periods import PERIOD_NS, Truth, noise

N = 12_000
LIMITS = Limits(
    max_ns=1e5,
    missed=0,
    others={
        "p99_9_interval_error": 1_000.0,
        "p99_9999_latency": 1e6,
        "deviation_latency_by_ticks": 1e4,
        "overruns_in_a_row": 3,
    },
)
EXPECTED = [
    ("max latency", "kept", "passed"),
    ("p99.9999 latency", "cannot tell", "skipped"),
    ("p99.9 interval error", "exceeded", "failure"),
    ("deviation latency by ticks", "kept", "passed"),
    ("missed", "kept", "passed"),
    ("overruns in a row", "kept", "passed"),
]
MEASURED = ("interval_error", "latency_by_ticks", "interval_error_by_ticks")


@pytest.fixture(scope="module")
def result() -> Result:
    truth = Truth(N, noise(N), ppm=25)
    settings = settings_of("period", Schedule(PERIOD_NS, N), limits=LIMITS)
    account = InstrumentCounts(handled=N, overruns=0, unanswered=0)
    nothing = calibrated(0.0, 0.0, "ns", "known")
    bench = BenchErrorModel(1e9 / RATE_HZ, limits(1.0, "ppm", "known"), *[nothing] * 4)
    found = evaluate(truth.run(), settings, account, bench=bench)
    return Result(Path("p.h5"), "2026-01-02T03:04:05+00:00", "complete", settings, account, found)


def terminal(result: Result) -> str:
    stream = io.StringIO()
    print_report(Console(file=stream, width=400), run_report(result))
    return stream.getvalue()


def test_in_the_terminal(result: Result) -> None:
    lines = [line.strip() for line in terminal(result).splitlines()]
    for title, judgment, _ in EXPECTED:
        word = "EXCEEDED" if judgment == "exceeded" else judgment
        assert [line for line in lines if line.startswith(word) and f" {title}: " in line]
    for name in MEASURED:
        assert capitalized(name.replace("_", " ")) in lines


def test_in_json(result: Result) -> None:
    found = json.loads(json.dumps(document(result)))
    assert [(limit["name"], limit["judgment"]) for limit in found["limits"]] == [
        ("max_latency", "kept"),
        ("p99_9999_latency", "cannot tell"),
        ("p99_9_interval_error", "exceeded"),
        ("deviation_latency_by_ticks", "kept"),
        ("missed", "kept"),
        ("overruns_in_a_row", "kept"),
    ]
    untold = found["limits"][1]
    assert untold["value"] is None
    assert "n of at least" in untold["text"]
    others = found["measurands"][1:]
    assert {each["name"] for each in others} == set(MEASURED)
    for each in others:
        assert set(each["budgets"]) == {"max", "average"}
        assert each["inference"]["average"]["interval"]["low"] < each["statistics"]["average_ns"]
        assert each["inference"]["tail"] is not None
    (pair,) = found["stability"]
    assert pair["pair"] == "target against analyzer"
    assert len(pair["tau_s"]) == len(pair["deviation"]) == len(pair["floor"]) > 3


def test_in_junit(result: Result) -> None:
    root = ET.fromstring(junit([result]))  # noqa: S314 - made here
    found = {}
    for case in root.iter("testcase"):
        if case.get("classname").endswith(".limits"):
            kinds = [e.tag for e in case if e.tag in ("failure", "error", "skipped")]
            found[case.get("name")] = kinds[0] if kinds else "passed"
    assert list(found.items()) == [(title, outcome) for title, _, outcome in EXPECTED]


def test_on_the_page(result: Result) -> None:
    page = pages([result])
    start = page.index("<h2>Limits</h2>")
    table = page[start : page.index("</table>", start)]
    for title, _, _ in EXPECTED:
        assert table.count(f"<td>{title}</td>") == 1
    for limit in result.evaluation.limits:
        shown = f"<td>{with_unicode_signs(limit.text)}</td>"
        assert shown in unescape(table).replace("\N{NO-BREAK SPACE}", " ")
    for name in MEASURED:
        assert f"<h3>{capitalized(name.replace('_', ' '))}</h3>" in page
    assert "past its due time" in page
    assert 'aria-label="Allan deviation: target against analyzer"' in page


def test_reasons_are_those_of_the_limits(result: Result) -> None:
    reasons = [limit.reason for limit in result.evaluation.limits if limit.reason]
    assert len(reasons) == 2
    assert set(reasons) <= set(result.evaluation.reasons)
    assert result.evaluation.verdict == "fail"
