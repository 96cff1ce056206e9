# SPDX-License-Identifier: GPL-3.0-or-later
"""Both of Debian's kernels, each way to answer, idle and loaded: one run each, and one table.

`python -m tests.guest.matrix` prints the table; `--count N`, `--load idle cpu ...` and
`--kernel debian-rt` make it another or a smaller one. A run is a whole one, of a built-in plan: the
rig's own bench, capture, record and figures.
"""

from __future__ import annotations

import argparse
import tempfile
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from rig.analysis.measurements.verdict import Verdict
from rig.analysis.model.events import Counts
from rig.analysis.statistics.descriptive import DescriptiveStatistics
from rig.config.fixture import Fixture, parse_fixture
from rig.config.plan import load_plan
from rig.record.reader import RunFile
from rig.resources import find_fixture
from rig.session.results import Result, store
from rig.session.run import run
from tests.guest.brackets import Clock, answers_of, fit

KERNELS = ("debian", "debian-rt")
LOADS = ("idle", "cpu", "system", "memory")
COUNT = 1000
RESPONSE = 1
"""Channel of the built-in fixtures."""


@dataclass(frozen=True)
class Way:
    """How an interrupt is answered."""

    name: str
    port: str
    """Of the agent."""
    plan: str


WAYS = (
    Way("handler in the kernel", "kmod", "interrupt"),
    Way("thread in the kernel", "kmod", "interrupt-to-task"),
    Way("task, ioport", "ioport", "interrupt-to-task"),
    Way("task, ppdev", "ppdev", "interrupt-to-task"),
)


@dataclass(frozen=True)
class Case:
    """A cell of the matrix."""

    kernel: str
    way: Way
    load: str

    def __str__(self) -> str:
        return f"{self.kernel}-{self.way.plan}-{self.way.port}-{self.load}"


@dataclass(frozen=True)
class Outcome:
    """What a run said."""

    case: Case
    verdict: Verdict
    counts: Counts
    figures: DescriptiveStatistics
    witnesses: dict[str, bool]
    """Whether they agree, by name."""
    handled: int
    """Interrupts the target counted."""
    answers: int
    """Edges of the response pin."""
    captures: int
    """Those the microcontroller saw."""
    clock: Clock


def cases(
    kernels: Sequence[str] = KERNELS, loads: Sequence[str] = LOADS, ways: Sequence[Way] = WAYS
) -> list[Case]:
    """In the table's order."""
    return [Case(*one) for one in product(kernels, ways, loads)]


def fixture_of(case: Case) -> Fixture:
    """The built-in one, with another port and load."""
    text = find_fixture(f"qemu-{case.kernel}").read_text()
    for key, value in (("port", case.way.port), ("load", case.load)):
        lines = [line for line in text.splitlines() if line.startswith(f"{key} = ")]
        old = lines[-1]  # the guest's table comes after the stimulus's, which has a port too
        text = text.replace(old, f'{key} = "{value}"')
    return parse_fixture(text, str(case))


def measure(case: Case, out: Path, count: int = COUNT) -> Outcome:
    """One run, with the bracket test done apart from the rig's. Raises what failed."""
    plan = load_plan(case.way.plan).with_overrides(count, None)
    failure = run(plan, fixture_of(case), out, lambda _live: None, threading.Event())
    if failure is not None:
        raise failure
    return outcome_of(case, store(out))


def outcome_of(case: Case, result: Result) -> Outcome:
    """Raises AssertionError if edges and log cannot be compared at all."""
    evaluation = result.evaluation
    rate_hz, index, before, after = answers_of(result.path, RESPONSE)
    with RunFile(result.path) as file:
        captures = file.capture_count
    return Outcome(
        case=case,
        verdict=evaluation.verdict,
        counts=evaluation.counts,
        figures=evaluation.figures,
        witnesses={witness.name: witness.agrees for witness in evaluation.witnesses},
        handled=result.account.handled,
        answers=len(index),
        captures=captures,
        clock=fit(index, before, after, rate_hz),
    )


# --- the table ----------------------------------------------------------------------------------

_HEAD = (
    "| kernel | answered by | load | n | merged | average | deviation | minimum | maximum |"
    " brackets |",
    "|---|---|---|---|---|---|---|---|---|---|",
)


def row(outcome: Outcome) -> str:
    """A line of the table, in Markdown."""
    figures, case = outcome.figures, outcome.case
    values = (figures.average_ns, figures.deviation_ns, figures.min_ns, figures.max_ns)
    inside = outcome.clock.events if outcome.clock.slack_ns >= 0 else 0
    cells = [
        case.kernel,
        case.way.name,
        case.load,
        str(figures.n),
        str(outcome.counts.merged),
        *("-" if value is None else f"{value / 1000:.2f}" for value in values),
        f"{inside} of {outcome.answers}",
    ]
    return f"| {' | '.join(cells)} |"


def table(chosen: Sequence[Case], count: int, folder: Path) -> Iterator[str]:
    """Line by line, as the runs go on. Run files go to `folder`."""
    yield from _HEAD
    for case in chosen:
        out = folder / f"{case}.h5"
        out.unlink(missing_ok=True)
        yield row(measure(case, out, count))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--kernel", nargs="+", choices=KERNELS, default=KERNELS)
    parser.add_argument("--load", nargs="+", choices=LOADS, default=LOADS)
    parser.add_argument("--keep", type=Path, help="folder for the run files")
    words = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rig-matrix-") as scratch:
        folder = words.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for line in table(cases(words.kernel, words.load), words.count, folder):
            print(line, flush=True)


if __name__ == "__main__":
    main()
