# SPDX-License-Identifier: GPL-3.0-or-later
"""What became of the mutants, kept in a file, so that a long trial can go on where it ended."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import astuple
from pathlib import Path

from tests.mutation.mutant import Mutant

_SETTLED = ("noticed", "does not build")


class Results:
    """Outcomes by mutant; the last one counts."""

    def __init__(self, path: Path | None) -> None:
        """A line of JSON each in `path`, if it is given."""
        self._path = path
        self._outcomes: dict[Mutant, str] = {}
        if path is not None and path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                *mutant, outcome = json.loads(line)
                self._outcomes[Mutant(*mutant)] = outcome

    def left(self, mutants: list[Mutant], again: bool) -> list[Mutant]:
        """Those without an outcome; `again`: those that were not noticed as well."""
        return [
            mutant
            for mutant in mutants
            if mutant not in self._outcomes or (again and self._outcomes[mutant] not in _SETTLED)
        ]

    def add(self, mutant: Mutant, outcome: str) -> None:
        """This is what became of it."""
        self._outcomes[mutant] = outcome
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps([*astuple(mutant), outcome]) + "\n")

    def count(self, folder: Callable[[str], str]) -> Counter[tuple[str, str]]:
        """How many of each folder and outcome."""
        return Counter((folder(mutant.path), how) for mutant, how in self._outcomes.items())
