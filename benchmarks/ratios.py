# SPDX-License-Identifier: GPL-3.0-or-later
"""The rig's targets of speed in one table: each figure against what was measured beside it.

A row is Markdown, so that the table can be read by people and by programs. `met` says whether the
figure meets its target; on a machine with other work it may not.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks import analysis, virtual
from benchmarks.capture import times_s
from benchmarks.host_share import shares
from benchmarks.measured_run import write_measured_run
from benchmarks.signals import toggling
from rig.capture.edges import implementations
from rig.session.results import store

GAPS = (10_000, 100, 10, 3)
QUIET = GAPS[0]
MEMORY_GROWTH_MIB = 50
"""Between 10^6 and 10^7 events: what may be called flat."""


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    what: str
    measured: str
    target: str
    met: bool | None
    """None: it has no target."""

    @property
    def text(self) -> str:
        told = {True: "yes", False: "no", None: ""}[self.met]
        return f"| {self.what} | {self.measured} | {self.target} | {told} |"


def lines(folder: Path) -> Iterator[str]:
    """The machine, the table's head, and a row a figure, as soon as each is measured."""
    yield f"ratios on {_processor()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
    yield "| what | measured | target | met |"
    yield "|---|---|---|---|"
    for part in (_extraction, _host, _virtual, _file, _analysis, _table):
        yield from (row.text for row in _own_folder(part, folder))


def _own_folder(part: Callable[[Path], Iterator[Row]], folder: Path) -> Iterator[Row]:
    own = folder / part.__name__
    own.mkdir()
    return part(own)


def _processor() -> str:
    with Path("/proc/cpuinfo").open(encoding="utf-8") as file:
        names = [line.partition(":")[2].strip() for line in file if line.startswith("model name")]
    return names[0] if names else "an unknown processor"


def _extraction(_folder: Path) -> Iterator[Row]:
    names = tuple(name for name in ("avx512", "avx2") if name in implementations())
    for gap in GAPS:
        took_s = times_s(toggling(1, gap), names)
        for name in names:
            share = took_s["read"] / took_s[name]
            quiet = gap == QUIET
            yield Row(
                f"edges by {name}, 1 in {gap:,} samples of 8 bits, against reading memory",
                f"{share:.2f}", "0.80" if quiet else "", share >= 0.8 if quiet else None,
            )  # fmt: skip
        if len(names) == 2:
            faster, target = took_s["avx2"] / took_s["avx512"], {3: 2.0, 10: 4.0}.get(gap)
            yield Row(
                f"AVX-512 against AVX2, 1 in {gap:,}", f"{faster:.2f} times",
                "" if target is None else f"{target:g} times",
                None if target is None else faster >= target,
            )  # fmt: skip


def _host(folder: Path) -> Iterator[Row]:
    host, peer = shares(folder)
    yield Row(
        "host's share of a core at 24 MS/s, against `sigrok-cli -O binary`",
        f"{host / peer:.2f} times ({100 * host:.1f} against {100 * peer:.1f} %)",
        "2 times", host <= 2 * peer,
    )  # fmt: skip


def _virtual(folder: Path) -> Iterator[Row]:
    found = virtual.measured(folder)
    yield Row(
        "virtual bench, an interrupt, against the emulated microcontroller alone",
        f"{found.each_s / found.alone_s:.2f} times ({found.each_s * 1e6:.0f} us)", "", None,
    )  # fmt: skip
    if found.before_s is None:
        yield Row("virtual bench, before against now", f"set {virtual.BEFORE}", "3 times", None)
        return
    ratio = found.before_s / found.each_s
    yield Row(
        "virtual bench, an interrupt before against now",
        f"{ratio:.2f} times ({found.before_s * 1e6:.0f} us before)", "3 times", ratio >= 3,
    )  # fmt: skip


def _file(folder: Path) -> Iterator[Row]:
    path, count = folder / "run.h5", 10**6
    write_measured_run(path, count)
    raw = path.stat().st_size / count
    store(path)
    whole = path.stat().st_size / count
    yield Row(
        "run file with log, sequence pins and input capture, bytes an event",
        f"{whole:.1f} ({raw:.1f} without figures and events)", "6", whole < 6,
    )  # fmt: skip


def _analysis(folder: Path) -> Iterator[Row]:
    peaks = {}
    for count in analysis.EVENTS:
        path = folder / f"{count}.h5"
        write_measured_run(path, count)
        spent_s, sort_s, peaks[count] = analysis.apart(path)
        each_s, last = spent_s / count * 1e6, count == analysis.EVENTS[-1]
        yield Row(
            f"analysis of {count:,} events, processor time a million",
            f"{each_s:.2f} s ({spent_s / count / sort_s:.0f} times sorting them)",
            "2 s" if last else "", each_s <= 2 if last else None,
        )  # fmt: skip
    few, many = (peaks[count] for count in analysis.EVENTS)
    yield Row(
        "memory of these analyses", f"{few:.0f} and {many:.0f} MiB", "flat",
        many - few <= MEMORY_GROWTH_MIB,
    )  # fmt: skip
    yield from _report(path)


def _report(path: Path) -> Iterator[Row]:
    store(path)
    before_s = _children_s()
    words = [sys.executable, "-m", "rig.cli.main", "report", str(path), "-o"]
    subprocess.run([*words, f"{path}.html"], check=True, stdout=subprocess.DEVNULL)
    yield Row(
        f"`rig report` of {analysis.EVENTS[-1]:,} events, processor time",
        f"{_children_s() - before_s:.1f} s", "", None,
    )  # fmt: skip


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _table(folder: Path) -> Iterator[Row]:
    for what, spent_s in analysis.tables_s(folder / "runs", folder / "cache"):
        known = what.startswith("all")
        yield Row(
            f"`rig table` of {analysis.RUNS:,} runs, {what}, processor time",
            f"{spent_s:.1f} s", "10 s" if known else "", spent_s <= 10 if known else None,
        )  # fmt: skip
