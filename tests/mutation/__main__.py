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
from collections import Counter
from pathlib import Path

from tests.mutation.c_source import c_mutants
from tests.mutation.coverage_map import CoverageMap, measure
from tests.mutation.mutant import Mutant
from tests.mutation.python_source import python_mutants
from tests.mutation.trial import CTrial, PythonTrial

ROOT = Path(__file__).resolve().parents[2]
SHARES = {
    "rig/analysis": 0.45,
    "rig/capture": 0.17,
    "rig/record": 0.14,
    "firmware/core": 0.12,
    "targets/agent/core": 0.12,
}
SCORE_MIN = 0.9
_CHECKED = 2
"""Mutants of each folder whose tests are run without any change first."""
_LEFT_OUT = (".git", ".venv", ".mypy_cache", ".ruff_cache", ".hypothesis", "__pycache__")


def sample(seed: int, count: int, only: str) -> list[Mutant]:
    """Mutants drawn at random, of each folder its share, of files whose path holds `only`."""
    rng = random.Random(seed)  # noqa: S311 - a sample, no secret
    chosen: list[Mutant] = []
    for folder, share in SHARES.items():
        found = [
            mutant
            for path in sorted((ROOT / folder).rglob("*"))
            if only in (name := path.relative_to(ROOT).as_posix())
            for mutant in _of_file(name)
        ]
        chosen += rng.sample(found, min(len(found), round(count * share)))
    return chosen


def _of_file(name: str) -> list[Mutant]:
    if name.endswith(".py"):
        return list(python_mutants(ROOT, name))
    return list(c_mutants(ROOT, name)) if name.endswith(".c") and "native" not in name else []


def main() -> int:
    """The program."""
    options = _options()
    mutants = sample(options.seed, options.mutants, options.only)
    of_python = [mutant for mutant in mutants if mutant.path.endswith(".py")]
    of_c = [mutant for mutant in mutants if not mutant.path.endswith(".py")]
    outcomes: Counter[tuple[str, str]] = Counter()
    if of_python and not (options.map / "durations.xml").exists():
        measure(ROOT, options.map)
    with tempfile.TemporaryDirectory(prefix="rig-mutation-") as folder:
        tree = Path(folder) / "tree"
        shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(*_LEFT_OUT), symlinks=True)
        if of_python:
            coverage = CoverageMap(ROOT, options.map)
            with PythonTrial(tree, coverage, options.seconds) as python:
                if not _tried(python, of_python, outcomes):
                    return 1
        if of_c and not _tried(CTrial(tree), of_c, outcomes):
            return 1
    return _report(outcomes)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("--mutants", type=int, default=300, metavar="N")
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
    return parser.parse_args()


def _tried(
    trial: PythonTrial | CTrial, mutants: list[Mutant], outcomes: Counter[tuple[str, str]]
) -> bool:
    """Lists what is not noticed; False if the tests fail without any change."""
    by_folder = ([one for one in mutants if one.path.startswith(name)] for name in SHARES)
    wrong = trial.unchanged([one for found in by_folder for one in found[:_CHECKED]])
    if wrong:  # each mutant would count as noticed
        print(f"the unchanged copy of the tree does not pass: {wrong}", file=sys.stderr)
        return False
    for mutant in mutants:
        outcome = trial.outcome(mutant)
        folder = next(name for name in SHARES if mutant.path.startswith(name))
        outcomes[folder, outcome] += 1
        if outcome not in ("noticed", "does not build"):
            print(f"{outcome}: {mutant}", flush=True)
    return True


def _report(outcomes: Counter[tuple[str, str]]) -> int:
    """Prints what became of the mutants, by folder; 1 if too few are noticed."""
    for name in SHARES:
        of_folder = {outcome: n for (folder, outcome), n in outcomes.items() if folder == name}
        if of_folder:
            print(f"{name}: {of_folder}")
    tried = sum(n for (_, outcome), n in outcomes.items() if outcome != "does not build")
    noticed = sum(n for (_, outcome), n in outcomes.items() if outcome == "noticed")
    score = noticed / max(1, tried)
    print(f"{noticed} of {tried} noticed, {score:.1%}")
    return int(score < SCORE_MIN)


if __name__ == "__main__":
    sys.exit(main())
