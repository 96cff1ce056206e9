# SPDX-License-Identifier: GPL-3.0-or-later
"""`python -m tests.lies [MEASUREMENT ...]`: tell lies, and write the tables of what is caught.

The tables are those of docs/explanation/witnesses.md.

What was found goes to tests/lies/found.json, from which the tables are written: a part can be told
again without the rest.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from rig.errors import BenchError, RigError
from tests.lies import loads
from tests.lies.catalog import AGENT, ANALYZER, FIRMWARE, LOAD_LIES, LOADS, Lie
from tests.lies.lie import Told
from tests.lies.runs import MEASUREMENTS, REFUSED, Outcome, lying_bench
from tests.lies.search import Found, smallest
from tests.lies.table import write_table

FOUND = Path(__file__).with_name("found.json")
LIARS = {"agent": AGENT, "analyzer": ANALYZER, "firmware": FIRMWARE}
Rows = dict[str, dict[str, Any]]


def main() -> None:
    """All lies of the named measurements and loads; without names, of all."""
    parser = argparse.ArgumentParser()
    parser.add_argument("measurement", nargs="*", choices=[[], *MEASUREMENTS, *LOADS])
    parser.add_argument("--liar", choices=LIARS, action="append")
    parser.add_argument("--lie", action="append", help="this one alone")
    parser.add_argument("--table", action="store_true", help="write the table alone")
    options = parser.parse_args()
    rows: Rows = json.loads(FOUND.read_text()) if FOUND.exists() else {}
    named = () if options.table else options.measurement or (*MEASUREMENTS, *LOADS)
    for load in (name for name in named if name in LOADS):
        for lie in LOAD_LIES:
            if not options.lie or lie.name in options.lie:
                _note(rows, load, lie, partial(loads.run, load))
        FOUND.write_text(json.dumps(rows, indent=1, sort_keys=True) + "\n")
    for measurement in (name for name in named if name in MEASUREMENTS):
        for liar in options.liar or LIARS:
            lies = [
                lie
                for lie in LIARS[liar]
                if measurement in lie.of and (not options.lie or lie.name in options.lie)
            ]
            tell_all(measurement, lies, rows)
            FOUND.write_text(json.dumps(rows, indent=1, sort_keys=True) + "\n")
    write_table(rows)


def tell_all(measurement: str, lies: list[Lie], rows: Rows) -> None:
    """Tell these in this measurement, each in sizes that close in on the smallest one caught."""
    if not lies:
        return
    with tempfile.TemporaryDirectory() as folder:
        for lie in lies:
            if lie.at_opening:
                _note(rows, measurement, lie, partial(_reopened, measurement, Path(folder)))
        lies = [lie for lie in lies if not lie.at_opening]
        if not lies:
            return
        with ExitStack() as stack:
            bench = _Bench(measurement, Path(folder), stack)
            honest = bench.run(Told())
            print(f"{measurement}: {honest}", flush=True)
            if honest.caught:
                raise SystemExit(f"{measurement}: an honest run does not pass: {honest.reason}")
            for lie in lies:
                _note(rows, measurement, lie, bench.run)


class _Bench:
    """A bench that is opened anew if it would not measure: it may be broken by the lie before."""

    def __init__(self, measurement: str, folder: Path, stack: ExitStack) -> None:
        self._opened = partial(lying_bench, measurement, folder)
        self._stack = stack
        self._bench = stack.enter_context(self._opened())

    def run(self, told: Told) -> Outcome:
        outcome = self._bench.run(told)
        if outcome.verdict == REFUSED:
            with suppress(RigError):
                self._stack.close()
            self._bench = self._stack.enter_context(self._opened())
            outcome = self._bench.run(told)
        return outcome


def _reopened(measurement: str, folder: Path, told: Told) -> Outcome:
    try:
        with lying_bench(measurement, folder, told) as bench:
            return bench.run(told)
    except BenchError as refusal:
        return Outcome(REFUSED, str(refusal).partition(": ")[2])


def _note(rows: Rows, measurement: str, lie: Lie, run: Callable[[Told], Outcome]) -> None:
    key = f"{lie.liar} {lie.name}"
    begun = time.monotonic()
    found: Found = smallest(
        lambda size: run(Told(lie.liar, lie.name, size)),
        lie.low,
        lie.high,
        _guess(rows, key, lie, measurement),
    )
    rows.setdefault(key, {})[measurement] = asdict(found)
    share = "" if found.of_u is None else f", {found.of_u:.2f} U"
    print(
        f"{measurement:18}{key:32}caught {found.caught}, not {found.uncaught}{share}; "
        f"{found.runs} runs, {time.monotonic() - begun:.0f} s: {found.reason[:90]}",
        flush=True,
    )


def _guess(rows: Rows, key: str, lie: Lie, measurement: str) -> int | None:
    """What was found before, or in the measurement that was done last."""
    found = rows.get(key, {})
    if lie.high == lie.low:
        return None
    if measurement in found:
        size: int | None = found[measurement]["caught"]
        return size
    sizes = [each["caught"] for each in found.values() if each["caught"]]
    return sizes[-1] if sizes else None


if __name__ == "__main__":
    main()
