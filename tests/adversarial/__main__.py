# SPDX-License-Identifier: GPL-3.0-or-later
"""`python -m tests.adversarial`: random runs, and which of them passed with a wrong figure.

Exit code 1 if a run passed with a figure off by more than its budget allows at all, if a healthy
run did not pass, or if fewer than 95 % of the true values lie within the stated uncertainty U.
"""

from __future__ import annotations

import argparse
import secrets
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from tests.adversarial.cases import case_of
from tests.adversarial.oracle import Judgment
from tests.adversarial.runs import judged

COVERAGE_MIN = 0.95


def _one(task: tuple[int, int, bool]) -> Judgment:
    seed, number, healthy = task
    with tempfile.TemporaryDirectory(prefix="rig-adversarial-") as folder:
        return judged(case_of(seed, number, healthy=healthy), Path(folder))


def judgments(seed: int, numbers: range, *, healthy: bool, jobs: int) -> Iterator[Judgment]:
    """Of the cases with these numbers, in order, as they are measured."""
    tasks = [(seed, number, healthy) for number in numbers]
    if jobs == 1:
        yield from map(_one, tasks)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(_one, tasks)


def main() -> int:
    """The program."""
    parser = argparse.ArgumentParser(prog="python -m tests.adversarial", description=__doc__)
    parser.add_argument("--runs", type=int, default=100, metavar="N")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="number of the first")
    parser.add_argument("--seed", type=int, help="default: a new one")
    parser.add_argument("--healthy", action="store_true", help="no faults: every run must pass")
    parser.add_argument("--jobs", type=int, default=1, metavar="N")
    options = parser.parse_args()
    seed = secrets.randbelow(2**32) if options.seed is None else options.seed
    print(f"seed {seed}", flush=True)
    numbers = range(options.first, options.first + options.runs)
    found = []
    for judgment in judgments(seed, numbers, healthy=options.healthy, jobs=options.jobs):
        found.append(judgment)
        if _notable(judgment, healthy=options.healthy):
            print(_line(judgment), flush=True)
    return _summary(found, healthy=options.healthy)


def _notable(judgment: Judgment, *, healthy: bool) -> bool:
    return judgment.wrong or (healthy and judgment.verdict != "pass")


def _line(judgment: Judgment) -> str:
    what = "; ".join(judgment.errors) or judgment.reason
    return f"{judgment.number}: {judgment.verdict} [{', '.join(judgment.faults)}] {what}"


def _summary(found: list[Judgment], *, healthy: bool) -> int:
    print(f"{len(found)} runs:", dict(Counter(each.verdict for each in found)))
    for fault in sorted({fault for each in found for fault in each.faults}):
        verdicts = Counter(each.verdict for each in found if fault in each.faults)
        print(f"  {fault}: {dict(verdicts)}")
    wrong = sum(each.wrong for each in found)
    alarms = sum(healthy and each.verdict != "pass" for each in found)
    covered = [
        each for judgment in found if judgment.verdict == "pass" for each in judgment.covered
    ]
    share = sum(covered) / max(1, len(covered))
    print(f"passed with a wrong figure: {wrong}; false alarms: {alarms}")
    print(f"within the stated uncertainty: {share:.1%} of {len(covered)}")
    return int(wrong > 0 or alarms > 0 or share < COVERAGE_MIN)


if __name__ == "__main__":
    sys.exit(main())
