# SPDX-License-Identifier: GPL-3.0-or-later
"""`rig run` with a witness: what the host received and when, told as it happens, kill -9 or not."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import psutil

from rig.bench.open import Bench, open_bench
from rig.cli.main import main as rig_main
from rig.config.fixture import Fixture
from rig.instruments import EdgeBlock
from rig.record.reader import RunFile
from rig.services import measure as measuring
from rig.session.results import evaluation_text, read
from tests.cli.command import GONE_S, rig

KEPT_NS = 500_000_000
"""What the host received longer than this before the kill must be in the file. No allowance for
scheduling comes on top: the writer's own deadline is half of it."""
NOTE = struct.Struct("<cqq")
EDGES, CAPTURES, LOG = b"e", b"c", b"l"
SLOW_LOG_S = 1.5
"""A target on a slow link takes this long to hand over its log: what came before must not wait."""
KINDS = {EDGES: "samples", CAPTURES: "captures", LOG: "log records"}

WITNESSED = """
import sys
from tests.record.kills import witnessed_rig
sys.exit(witnessed_rig(int(sys.argv[1]), float(sys.argv[2]), sys.argv[3:]))
"""
READ_FOR_EVER = """
import sys
from pathlib import Path
from tests.record.kills import read_for_ever
read_for_ever(Path(sys.argv[1]))
"""


# --- inside the host ------------------------------------------------------------------------------


class _Told:
    """An instrument, one of whose methods tells what it returned, before the host gets it."""

    def __init__(
        self, instrument: Any, method: str, tell: Callable[[Any], None], slow_s: float = 0
    ) -> None:
        self._instrument, self._method, self._tell = instrument, method, tell
        self._slow_s = slow_s

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._instrument, name)
        if name != self._method:
            return found

        def told(*given: Any) -> Any:
            time.sleep(self._slow_s)
            value = found(*given)
            self._tell(value)
            return value

        return told


def witnessed_rig(descriptor: int, slow_log_s: float, words: list[str]) -> int:
    """The `rig` command; each thing received from the bench is noted on the pipe `descriptor`."""

    def note(kind: bytes, total: int) -> None:
        os.write(descriptor, NOTE.pack(kind, time.monotonic_ns(), total))

    def on_item(item: Any) -> None:
        if isinstance(item, EdgeBlock):
            note(EDGES, item.end_sample)

    logged = 0

    def on_log(rows: Any) -> None:
        nonlocal logged
        logged += len(rows)
        note(LOG, logged)

    @contextmanager
    def witnessed(fixture: Fixture, **options: Any) -> Iterator[Bench]:
        with open_bench(fixture, **options) as bench:
            yield replace(
                bench,
                analyzer=_Told(bench.analyzer, "read", on_item),
                stimulus=_Told(
                    bench.stimulus, "fetch", lambda b: note(CAPTURES, b.first + len(b.ticks))
                ),
                target=_Told(bench.target, "log", on_log, slow_log_s),
            )

    measuring.open_bench = witnessed
    return rig_main(words)


def read_for_ever(path: Path) -> None:
    """Read the whole file again and again, as a live view does."""
    turns = 0
    while True:
        with RunFile(path) as file:
            edges = sum(len(block.index) for block in file.edge_blocks())
            assert edges >= 0
            turns += 1
        if turns == 1:
            print("reading", flush=True)


# --- the host from outside ------------------------------------------------------------------------


class Host:
    """A witnessed `rig run` of the virtual bench."""

    def __init__(self, out: Path, count: int, slow_log_s: float = 0) -> None:
        self.out, self.count = out, count
        self.notes: dict[bytes, list[tuple[int, int]]] = {kind: [] for kind in KINDS}
        self.phases: list[tuple[int, str]] = []
        self.errors: list[str] = []
        reading, writing = os.pipe()
        words = ["run", "interrupt", "--fixture", "virtual", "--count", count, "--out", out]
        self.began_ns = time.monotonic_ns()
        self.process = subprocess.Popen(
            [sys.executable, "-c", WITNESSED, str(writing), str(slow_log_s), *map(str, words)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            pass_fds=[writing],
            cwd=Path(__file__).parents[2],
        )
        os.close(writing)
        self._threads = [
            threading.Thread(target=self._take_notes, args=(reading,)),
            threading.Thread(target=self._take_lines),
        ]
        for thread in self._threads:
            thread.start()

    def _take_notes(self, descriptor: int) -> None:
        with os.fdopen(descriptor, "rb") as pipe:
            while len(data := pipe.read(NOTE.size)) == NOTE.size:
                kind, at_ns, total = NOTE.unpack(data)
                self.notes[kind].append((at_ns, total))

    def _take_lines(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.errors.append(line.rstrip())
            phase = line.split()[0] if line.strip() else ""
            if phase in {"opening", "measuring", "finishing"} and phase not in self.seen_phases:
                self.phases.append((time.monotonic_ns(), phase))

    @property
    def seen_phases(self) -> list[str]:
        """Phases the host has told of so far."""
        return [phase for _, phase in self.phases]

    def wait_for(self, condition: Callable[[], object], limit_s: float = 60) -> bool:
        """True once it holds, False if the host has ended before."""
        deadline = time.monotonic() + limit_s
        while not condition():
            if self.process.poll() is not None:
                return bool(condition())
            assert time.monotonic() < deadline, f"not within {limit_s} s: {self.errors}"
            time.sleep(0.002)
        return True

    def family(self) -> list[psutil.Process]:
        """Its child processes and theirs."""
        try:
            return psutil.Process(self.process.pid).children(recursive=True)
        except psutil.NoSuchProcess:
            return []

    def part(self, word: str) -> psutil.Process | None:
        """The child with this word in its command line, if there is one now."""
        for process in self.family():
            try:
                if word in " ".join(process.cmdline()):
                    return process
            except psutil.Error:
                continue
        return None

    def end(self, limit_s: float = 100) -> int:
        """Wait for its end; its return code. All notes have been taken then."""
        code = self.process.wait(limit_s)
        for thread in self._threads:
            thread.join(GONE_S)
            assert not thread.is_alive(), "a child of the host still holds its pipes"
        assert self.process.stderr is not None
        self.process.stderr.close()
        return code

    def received_before(self, kind: bytes, at_ns: int) -> int:
        """What the host had received by then."""
        return max((total for noted_ns, total in self.notes[kind] if noted_ns <= at_ns), default=0)

    def phase_at(self, at_ns: int) -> str:
        """What the host was doing, as far as it had told."""
        told = [phase for noted_ns, phase in self.phases if noted_ns <= at_ns]
        return told[-1] if told else "starting"


@contextmanager
def hosting(out: Path, count: int, slow_log_s: float = 0) -> Iterator[Host]:
    """A witnessed run; at the end it and its children are gone, killed if need be."""
    host = Host(out, count, slow_log_s)
    try:
        yield host
    finally:
        family = host.family()
        host.process.kill()
        host.end()
        for process in family:
            if process.is_running():
                process.kill()


def no_orphans(family: list[psutil.Process]) -> None:
    """All of them end by themselves in a fair time."""
    _, alive = psutil.wait_procs(family, GONE_S)
    assert [p for p in alive if p.status() != psutil.STATUS_ZOMBIE] == []


# --- what a kill must leave -----------------------------------------------------------------------


@dataclass(frozen=True)
class Kill:
    """A kill and what it cost."""

    phase: str
    age_ms: int
    """The oldest thing received that is not in the file came this long before the kill."""

    def __str__(self) -> str:
        return f"{self.phase}, {self.age_ms} ms"


def kill_host(host: Host) -> Kill:
    """kill -9 now, and check all that is promised of what it leaves."""
    family = host.family()
    at_ns = time.monotonic_ns()
    over = host.process.poll() is not None
    host.process.kill()
    host.process.wait()
    readable = host.out.exists() and check_left(host)
    no_orphans(family)
    host.end()
    phase = "over" if over else host.phase_at(at_ns)
    if not readable:  # killed before there was a file
        assert host.received_before(EDGES, at_ns) == 0
        return Kill(phase, 0)
    return Kill(phase, check_kept(host, at_ns))


def check_left(host: Host) -> bool:
    """The file at this moment is readable in all ways, and a recovered copy in the normal one."""
    shown = rig("show", host.out)
    assert shown.returncode == 0, shown.stderr
    with RunFile(host.out) as file:
        cut_off, left_open = file.state == "running" and not file.report, file.left_open
    if cut_off:
        check_words(shown.stdout, host)
        with h5py.File(host.out, "r", libver="latest", swmr=True) as plain:
            assert plain["edges/covered"][0] >= 0
    copy = host.out.with_name("copy.h5")
    recovered = rig("recover", host.out, copy)
    if not left_open:
        assert "opens normally, nothing to recover" in recovered.stderr
        return True
    assert recovered.returncode == 0, recovered.stderr
    check_same(host.out, copy)
    return True


def check_words(text: str, host: Host) -> None:
    """What `rig show` says of a run that was killed."""
    with RunFile(host.out) as file:
        covered = file.covered_samples
    assert "the run has no end" in text
    assert f"stops at sample {covered:,} (" in text
    assert f" of {host.count:,} planned stimuli are in it" in text
    assert "at most the last 0.5 s before a kill" in text
    assert f"rig recover {host.out}" in text.replace("\n", "")


def check_same(left: Path, copy: Path) -> None:
    """The copy opens normally, holds the same and gives the same figures, which can be stored."""
    with h5py.File(copy, "r") as file:
        assert file["edges/covered"][0] >= 0
    with RunFile(left) as a, RunFile(copy) as b:
        assert (a.left_open, b.left_open) == (True, False)
        for name in ("covered_samples", "edge_count", "capture_count", "log_count", "settings"):
            assert getattr(a, name) == getattr(b, name)
        assert np.array_equal(a.captures(0, a.capture_count), b.captures(0, b.capture_count))
        assert np.array_equal(a.log(0, a.log_count), b.log(0, b.log_count))
    one, other = read(left).evaluation, read(copy).evaluation
    assert evaluation_text(one) == evaluation_text(other)
    # The bench answers every stimulus: whatever the end, all but the last have their answer.
    counts = one.counts
    assert counts.n - 1 <= counts.answered <= counts.n
    assert (counts.late, counts.duplicate, counts.spurious, counts.glitches) == (0, 0, 0, 0)
    analyzed = rig("analyze", copy, "--json")
    assert analyzed.returncode in {0, 1}, analyzed.stderr
    assert json.loads(analyzed.stdout)["counts"]["n"] == counts.n


def check_kept(host: Host, at_ns: int) -> int:
    """All received up to 0.5 s before the kill is there; age of the oldest that is not, in ms."""
    kept = kept_in(host.out)
    oldest_ns = at_ns
    for kind, total in kept.items():
        expected = host.received_before(kind, at_ns - KEPT_NS)
        assert total >= expected, f"{total} {KINDS[kind]} of {expected} received 0.5 s ago"
        missing = [noted_ns for noted_ns, n in host.notes[kind] if n > total]
        oldest_ns = min([oldest_ns, *missing])
    return (at_ns - oldest_ns) // 1_000_000


def kept_in(path: Path) -> dict[bytes, int]:
    """How much of each kind a run file holds."""
    with RunFile(path) as file:
        return {EDGES: file.covered_samples, CAPTURES: file.capture_count, LOG: file.log_count}


def kill_worker(host: Host, worker: psutil.Process) -> Kill:
    """kill -9 of the capture process now; the host ends the run in order and loses nothing."""
    family = host.family()
    at_ns = time.monotonic_ns()
    worker.kill()
    code = host.end()
    no_orphans(family)
    phase = host.phase_at(at_ns)
    reports = [line for line in host.errors if line.startswith("rig: ")]
    if not host.out.exists():  # killed while it opened the analyzer
        assert (code, len(reports), host.notes[EDGES]) == (3, 1, []), host.errors
        return Kill(phase, 0)
    for kind, total in kept_in(host.out).items():
        received = host.notes[kind][-1][1] if host.notes[kind] else 0
        assert total == received, f"{total} {KINDS[kind]} of {received} received"
    shown = rig("show", host.out)
    document = json.loads(rig("show", host.out, "--json").stdout)
    assert shown.returncode == 0
    assert "opens normally" in rig("recover", host.out, host.out.with_name("copy.h5")).stderr
    with RunFile(host.out) as file:
        losses, samples = file.losses(), file.covered_samples
        assert not file.left_open
    if code == 0:  # it had done its work
        assert (document["verdict"], losses, reports) == ("pass", [], [])
        return Kill(phase, 0)
    assert code in {3, 4}, host.errors
    assert document["verdict"] == "incomplete"
    assert [(kind, at) for kind, at, _ in losses] == [("driver died", samples)]
    assert f"driver died at sample {samples:,}: " in shown.stdout
    assert "killed by SIGKILL" in shown.stdout
    assert f"stops at sample {samples:,} (" in shown.stdout or "whole" in shown.stdout
    return Kill(phase, 0)


def kill_readers(host: Host, moments_s: Sequence[float]) -> list[Kill]:
    """kill -9 of one reader after the other, each so long after it has begun to read.

    Another one reads through to the end. The run ends as if nobody had looked.
    """
    assert host.wait_for(lambda: host.notes[EDGES])
    kills = []
    with reading(host.out) as watcher:
        for moment_s in moments_s:
            with reading(host.out) as reader:
                time.sleep(moment_s)
                assert reader.poll() is None, "the reader failed"
                assert host.process.poll() is None, "the run was over before"
                kills.append(Kill(host.phase_at(time.monotonic_ns()), 0))
        assert host.end() == 0, host.errors
        assert watcher.poll() is None, "the reader failed"
    for kind, total in kept_in(host.out).items():
        assert total == host.notes[kind][-1][1]
    document = json.loads(rig("show", host.out, "--json").stdout)
    assert document["verdict"] == "pass"
    assert document["counts"]["answered"] == host.count
    return kills


@contextmanager
def reading(path: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that reads the file for ever, from when it has done so once; killed at the end."""
    command = [sys.executable, "-c", READ_FOR_EVER, str(path)]
    root = Path(__file__).parents[2]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=root) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "reading\n"
            yield process
        finally:
            process.kill()
