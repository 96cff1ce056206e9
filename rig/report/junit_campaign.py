# SPDX-License-Identifier: GPL-3.0-or-later
"""A campaign as JUnit XML: one test suite, each run a test case.

A run that did not pass is a failure if it exceeded a limit or proves nothing, an error if it
failed or the target refused it, if its witnesses disagree or data were lost; one that was not tried
is skipped. Each has its reason.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from rig.analysis.measurements.verdict import Verdict
from rig.campaign.index import Entry, Index, RunState
from rig.errors import InputError
from rig.record.reader import RunFile
from rig.report.junit import Case, TestOutcome, suite_of, written
from rig.session.stored_results import stored_evaluation

_OUTCOMES: Final = {
    Verdict.PASS: TestOutcome.PASSED,
    Verdict.FAIL: TestOutcome.FAILURE,
    Verdict.INCONCLUSIVE: TestOutcome.FAILURE,
    Verdict.INCONSISTENT: TestOutcome.ERROR,
    Verdict.INCOMPLETE: TestOutcome.ERROR,
}
_UNMADE: Final = {
    RunState.FAILED: TestOutcome.ERROR,
    RunState.REFUSED: TestOutcome.ERROR,
    RunState.SKIPPED: TestOutcome.SKIPPED,
    RunState.PLANNED: TestOutcome.SKIPPED,
    RunState.RUNNING: TestOutcome.SKIPPED,
}


def write_campaign(path: Path, folder: Path, index: Index) -> None:
    """Write the file, in place of an older one. Raises InputError if it cannot be written."""
    written(path, campaign_junit(folder, index))


def campaign_junit(folder: Path, index: Index) -> str:
    """Return the whole document as text; `folder` is where the campaign's runs are."""
    cases = [_case(folder, entry) for entry in index.entries]
    about = {"fixture": index.fixture, "folder": str(folder), "title": index.title}
    return suite_of(index.name, cases, about)


def _case(folder: Path, entry: Entry) -> Case:
    group = f"{entry.measurement}.{entry.scenario}"
    if entry.state is not RunState.DONE:
        return Case(group, entry.name, _UNMADE[entry.state], entry.reason or _words(entry.state))
    verdict = next((each for each in Verdict if each == entry.verdict), None)
    outcome = TestOutcome.ERROR if verdict is None else _OUTCOMES[verdict]
    return Case(group, entry.name, outcome, _reasons(folder / entry.file, entry.verdict))


def _words(state: RunState) -> str:
    """Return the reason for a run that an interrupted campaign has left."""
    return "not made yet" if state is RunState.PLANNED else "not made to its end"


def _reasons(path: Path, verdict: str) -> str:
    """Return the verdict, its reasons, and the file that shows it."""
    try:
        with RunFile(path, figures=False) as file:
            evaluation = stored_evaluation(file) if file.figures_hold() else None
        reasons = () if evaluation is None else evaluation.reasons
    except InputError:
        reasons = ("its file cannot be read any more",)
    head = f"{verdict}: {reasons[0]}" if reasons else verdict
    return "\n".join([head, *reasons[1:], f"file {path}"])
