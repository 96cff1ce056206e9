# SPDX-License-Identifier: GPL-3.0-or-later
"""`python -m tests.mutation`: changes the product in many places, and lists what no test notices.

Exit code 1 if fewer than 90 % of the mutants are noticed.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
from pathlib import Path

from tests.mutation.c_source import c_mutants
from tests.mutation.coverage_map import TESTS, CoverageMap, measure
from tests.mutation.mutant import Mutant
from tests.mutation.python_source import python_mutants
from tests.mutation.results import Results
from tests.mutation.trial import CTrial, PythonTrial

ROOT = Path(__file__).resolve().parents[2]
SHARES = {
    "rig/analysis/native": 0.05,
    "rig/capture/native": 0.07,
    "rig/record/native": 0.02,
    "rig/analysis": 0.38,
    "rig/capture": 0.14,
    "rig/record": 0.12,
    "firmware/core": 0.11,
    "targets/agent/core": 0.11,
}
"""A mutant belongs to the first folder that its path begins with."""
SCORE_MIN = 0.9
_CHECKED = 2
"""Mutants of each folder whose tests are run without any change first."""
_LEFT_OUT = (
    ".git",
    ".venv",
    ".mypy_cache",
    ".ruff_cache",
    ".hypothesis",
    "__pycache__",
    ".mutation",
)


def sample(seed: int, count: int, only: str) -> list[Mutant]:
    """Mutants drawn at random, of each folder its share; of those, whose path holds `only`."""
    chosen: list[Mutant] = []
    for folder, share in SHARES.items():
        rng = random.Random(f"{seed} {folder}")  # noqa: S311 - a sample, no secret
        found = [
            mutant
            for path in sorted((ROOT / folder).rglob("*"))
            if _folder(name := path.relative_to(ROOT).as_posix()) == folder
            for mutant in _of_file(name)
        ]
        chosen += rng.sample(found, min(len(found), round(count * share)))
    return [mutant for mutant in chosen if only in mutant.path]


def _folder(path: str) -> str:
    return next(name for name in SHARES if path.startswith(f"{name}/"))


def _of_file(name: str) -> list[Mutant]:
    if name.endswith(".py"):
        return list(python_mutants(ROOT, name))
    return list(c_mutants(ROOT, name)) if name.endswith((".c", ".h")) else []


def main() -> int:
    """The program."""
    options = _options()
    results = Results(options.results)
    mutants = results.left(sample(options.seed, options.mutants, options.only), options.again)
    of_core = [mutant for mutant in mutants if not mutant.path.startswith("rig/")]
    of_host = [mutant for mutant in mutants if mutant.path.startswith("rig/")]
    of_host.sort(key=lambda mutant: not mutant.path.endswith(".py"))  # the quick ones first
    if options.measure or (of_host and not (options.map / "coverage").exists()):
        measure(ROOT, options.map, options.measure or [f"tests/{name}" for name in TESTS])
    with tempfile.TemporaryDirectory(prefix="rig-mutation-") as folder:
        tree = Path(folder) / "tree"
        shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(*_LEFT_OUT), symlinks=True)
        if of_host:
            coverage = CoverageMap(ROOT, options.map)
            with PythonTrial(tree, coverage, options.seconds) as trial:
                if not _tried(trial, of_host, results):
                    return 1
        if of_core and not _tried(CTrial(tree), of_core, results):
            return 1
    return _report(results)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("--mutants", type=int, default=320, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", metavar="TEXT", help="paths that hold this text")
    parser.add_argument(
        "--seconds", type=float, default=60.0,
        help="of tests that a mutant of a Python file is tried by",
    )  # fmt: skip
    parser.add_argument(
        "--map", type=Path, default=ROOT / ".mutation", metavar="FOLDER",
        help="which tests run which lines; measured if it is not there",
    )  # fmt: skip
    parser.add_argument(
        "--measure", nargs="+", default=[], metavar="TEST", help="tests to add to the map first"
    )
    parser.add_argument(
        "--results", type=Path, metavar="FILE",
        help="outcomes are added to this file; mutants that stand there are not tried again",
    )  # fmt: skip
    parser.add_argument(
        "--again", action="store_true", help="try those again that were not noticed"
    )
    return parser.parse_args()


def _tried(trial: PythonTrial | CTrial, mutants: list[Mutant], results: Results) -> bool:
    """Lists what is not noticed; False if the tests fail without any change."""
    by_folder = ([one for one in mutants if _folder(one.path) == name] for name in SHARES)
    wrong = trial.unchanged([one for found in by_folder for one in found[:_CHECKED]])
    if wrong:  # each mutant would count as noticed
        print(f"the unchanged copy of the tree does not pass: {wrong}", file=sys.stderr)
        return False
    for mutant in mutants:
        outcome = trial.outcome(mutant)
        results.add(mutant, outcome)
        if outcome not in ("noticed", "does not build"):
            print(f"{outcome}: {mutant}", flush=True)
    return True


def _report(results: Results) -> int:
    """Prints what became of the mutants, by folder; 1 if too few are noticed."""
    outcomes = results.count(_folder)
    for name in sorted({folder for folder, _ in outcomes}):
        of_folder = {outcome: n for (folder, outcome), n in outcomes.items() if folder == name}
        print(f"{name}: {of_folder}")
    tried = sum(n for (_, outcome), n in outcomes.items() if outcome != "does not build")
    noticed = sum(n for (_, outcome), n in outcomes.items() if outcome == "noticed")
    score = noticed / max(1, tried)
    print(f"{noticed} of {tried} noticed, {score:.1%}")
    return int(score < SCORE_MIN)


if __name__ == "__main__":
    sys.exit(main())
