# SPDX-License-Identifier: GPL-3.0-or-later
"""JUnit XML of results, good and bad."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from rig.analysis.measurements.evaluation import Evaluation
from rig.analysis.measurements.limits import counted, judge_limits
from rig.analysis.measurements.verdict import Verdict
from rig.analysis.model.events import Counts
from rig.analysis.model.instrument_counts import InstrumentCounts
from rig.analysis.model.settings import Limits, Settings
from rig.analysis.model.wiring import Wiring
from rig.analysis.model.witness import Witness
from rig.analysis.statistics.descriptive import DescriptiveStatistics, ExactHistogram
from rig.analysis.statistics.overruns import Overruns
from rig.analysis.uncertainty.contribution import calibrated
from rig.analysis.uncertainty.effects import of_latency
from rig.analysis.uncertainty.error_model import BenchErrorModel
from rig.analysis.uncertainty.measurand import Measurand
from rig.errors import InputError
from rig.report.junit import junit, write_junit
from rig.session.results import Result
from rig.stimulus.train import Pattern, Polarity, Train

TRAIN = Train(Pattern.PERIODIC, 10, 1, 16_000, 160, Polarity.POSITIVE, period_ticks=16_000)
LIMITS = Limits(max_ns=10_000.0, missed=0, late=0)


def latency_of(n, max_ns, bench):
    """Latencies of which only the maximum matters, in whole nanoseconds but for a fraction."""
    histogram = ExactHistogram()
    figures = DescriptiveStatistics(0)
    if max_ns is not None:
        histogram.add(np.full(n, round(max_ns)))
        figures = DescriptiveStatistics(n, 5e3, 3e3, max_ns)
    effects = of_latency(bench)
    budgets = {} if max_ns is None else {"max": effects.value("max", max_ns)}
    return Measurand(
        name="latency",
        unit_ns=1.0,
        statistics=figures,
        corrected=figures,
        inference=None,
        effects=effects,
        histogram=histogram,
        budgets=budgets,
    )


def result(verdict=Verdict.PASS, reasons=(), *, n=10, missed=0, max_ns=9000.0, agrees=True,
           limits=LIMITS, train=TRAIN, name="run.h5", bench=None):  # fmt: skip
    counts = Counts(n, n - missed, 0, missed, 0, 0, 0, 0)
    latency = latency_of(n, max_ns, bench or BenchErrorModel(0.0))
    evaluation = Evaluation(
        verdict=verdict,
        reasons=reasons,
        counts=counts,
        witnesses=(Witness("answers", agrees, "analyzer 10, target log 10"),),
        duration_s=1.5,
        paired_by="target log",
        limits=judge_limits(limits, [latency], counted(counts, Overruns())),
        measurands=(latency,),
    )
    settings = Settings("interrupt", "idle", 24_000_000, 16_000_000, Wiring(0, 1), 0, train, limits)
    return Result(Path(name), "2026-01-02T03:04:05+00:00", "complete", settings,
                  InstrumentCounts(10), evaluation)  # fmt: skip


def outcomes(*results):
    """Name of each case to its outcome; the sums are checked on the way."""
    root = ET.fromstring(junit(results))  # noqa: S314 - made here
    found = {}
    for case in root.iter("testcase"):
        kinds = [e.tag for e in case if e.tag in ("failure", "error", "skipped")]
        assert len(kinds) <= 1
        found[case.get("name")] = kinds[0] if kinds else "passed"
        assert case.get("classname")
    for element in (root, *root.iter("testsuite")):
        assert int(element.get("tests")) == len(list(element.iter("testcase")))
        for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped",) * 2):
            assert int(element.get(attribute)) == len(list(element.iter(tag)))
    return found


def test_a_pass():
    assert outcomes(result()) == {
        "max latency": "passed",
        "missed": "passed",
        "late": "passed",
        "answers": "passed",
        "nothing lost": "passed",
        "whole run": "passed",
    }


def test_an_exceeded_limit_is_a_failure():
    found = outcomes(result(Verdict.FAIL, ("too long",), missed=1, max_ns=10_000.1))
    assert [name for name, kind in found.items() if kind == "failure"] == ["max latency", "missed"]
    assert "error" not in found.values()


def test_limits_that_are_not_judged_have_no_case():
    assert "missed" not in outcomes(result(limits=Limits()))


def test_lost_data_and_disagreeing_witnesses_are_errors():
    lost = outcomes(result(Verdict.INCOMPLETE, ("stall at sample 5",)))
    assert lost["nothing lost"] == "error"
    assert outcomes(result(Verdict.INCONSISTENT, ("answers",), agrees=False))["answers"] == "error"


@pytest.mark.parametrize(
    "short",
    [
        result(Verdict.INCONCLUSIVE, ("9 of 10 planned stimuli seen",), n=9),
        result(Verdict.FAIL, ("too long",), n=9, max_ns=2e4),
        result(Verdict.INCONCLUSIVE, ("no second witness",), train=None),
    ],
    ids=["short", "short and failed", "capture"],
)
def test_what_is_not_whole_is_skipped(short):
    assert outcomes(short)["whole run"] == "skipped"


def test_nothing_measured_cannot_be_told():
    assert outcomes(result(max_ns=None))["max latency"] == "skipped"


@pytest.mark.parametrize(
    ("indicated", "kind"), [(9_800.0, "passed"), (9_990.0, "skipped"), (10_100.0, "failure")]
)
def test_a_limit_within_the_uncertainty_cannot_be_told(indicated, kind):
    bench = replace(BenchErrorModel(0.0), skew_ns=calibrated(0.0, 25.0, "ns", "loopback"))
    assert outcomes(result(max_ns=indicated, bench=bench))["max latency"] == kind


def test_several_runs_are_several_suites():
    root = ET.fromstring(junit([result(name="a.h5"), result(name="b.h5")]))  # noqa: S314
    suites = list(root)
    assert [s.get("name") for s in suites] == [
        "interrupt latency, scenario idle (a.h5)",
        "interrupt latency, scenario idle (b.h5)",
    ]
    assert suites[0].get("timestamp") == "2026-01-02T03:04:05"
    assert root.get("tests") == "12"


def test_words_that_xml_cannot_hold():
    found = junit([result(Verdict.INCOMPLETE, ("driver said \x00\x1b[1m<&> \ud800",))])
    error = next(ET.fromstring(found.encode()).iter("error"))  # noqa: S314 - made here
    assert error.text == r"driver said \x00\x1b[1m<&> \ud800"


def test_file_is_written_or_the_reason_told(tmp_path):
    out = tmp_path / "junit.xml"
    write_junit(out, [result()])
    write_junit(out, [result()])  # a server's job writes over the last one's
    assert ET.parse(out).getroot().tag == "testsuites"  # noqa: S314 - made here
    with pytest.raises(InputError, match=r"not written \(No such file or directory\)"):
        write_junit(tmp_path / "no" / "junit.xml", [result()])
    assert [file.name for file in tmp_path.iterdir()] == ["junit.xml"]
