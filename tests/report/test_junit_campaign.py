# SPDX-License-Identifier: GPL-3.0-or-later
"""A campaign as JUnit XML: a test case a run, with what came of it and why."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from rig.analysis.measurements.verdict import Verdict
from rig.campaign.index import Entry, Index, RunState
from rig.errors import InputError
from rig.report.junit_campaign import campaign_junit, write_campaign


def entry(name, state=RunState.DONE, verdict="", reason=""):
    return Entry(name, "interrupt", "cpu.x", "f", state, f"{name}.h5", verdict, 0, reason)


ENTRIES = {
    "good": (entry("good", verdict="pass"), None),
    "slow": (entry("slow", verdict="fail"), "failure"),
    "short": (entry("short", verdict="inconclusive"), "failure"),
    "false": (entry("false", verdict="inconsistent"), "error"),
    "lost": (entry("lost", verdict="incomplete"), "error"),
    "odd": (entry("odd", verdict="\x00<b>"), "error"),
    "broken": (entry("broken", RunState.FAILED, reason="the analyzer stopped"), "error"),
    "refused": (entry("refused", RunState.REFUSED, reason="ARM refused: too long"), "error"),
    "unable": (entry("unable", RunState.SKIPPED, reason="no load cpu: why & how"), "skipped"),
    "half": (entry("half", RunState.RUNNING, reason="interrupted"), "skipped"),
    "later": (entry("later", RunState.PLANNED), "skipped"),
}
INDEX = Index("night", "A title", "bench", "f", "", tuple(one for one, _ in ENTRIES.values()))


def test_each_run_is_a_case_with_its_outcome_and_reason(tmp_path):
    root = ET.fromstring(campaign_junit(tmp_path, INDEX))  # noqa: S314 - our own text
    (suite,) = root
    found = {case.get("name"): case for case in suite.iter("testcase")}
    assert list(found) == list(ENTRIES)
    for name, (one, outcome) in ENTRIES.items():
        kinds = [child.tag for child in found[name] if child.tag != "system-out"]
        assert kinds == ([] if outcome is None else [outcome]), name
        assert found[name].get("classname") == "night.interrupt.cpu.x"
        if one.reason:
            assert found[name].find(outcome).text == one.reason
    assert found["later"].find("skipped").text == "not made yet"
    assert found["slow"].find("failure").get("message").startswith("fail: its file cannot be read")
    sums = {key: suite.get(key) for key in ("tests", "failures", "errors", "skipped")}
    assert sums == {"tests": "11", "failures": "2", "errors": "5", "skipped": "3"}
    assert {each.get("value") for each in suite.iter("property")} >= {"bench", "A title"}
    assert {str(one) for one in Verdict} == {
        one.verdict for one, _ in ENTRIES.values() if one.verdict and one.name != "odd"
    }


def test_a_file_that_cannot_be_written_is_told(tmp_path):
    with pytest.raises(InputError, match=r"none/x\.xml: JUnit file not written"):
        write_campaign(tmp_path / "none/x.xml", tmp_path, INDEX)
