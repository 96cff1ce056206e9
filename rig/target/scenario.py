# SPDX-License-Identifier: GPL-3.0-or-later
"""The load on a target while it is measured: started, seen to run, and taken down on every path.

The agent starts it (docs/reference/scenarios.md) and ends it with itself, so no load outlives its
link. A load is the agent's own, or a command of the user's that stands in the fixture.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Final, Protocol, runtime_checkable
from urllib.parse import quote

from rig.errors import BenchError, RefusedError, RigError
from rig.instruments import IDLE as IDLE
from rig.instruments import LOADS as LOADS
from rig.instruments import LoadCommand, LoadTask
from rig.target.protocol import ProtocolError, number

WATCH_S: Final = 1.0
"""The time that the system is watched, before and under load."""
_WATCHES_MAX: Final = 5
_WATCHED_TICKS: Final = 50
"""Half a second of one processor, in the unit of /proc/stat: shorter work may not show in less."""
START_S: Final = 10.0
"""The time by which all workers must be there."""
_POLL_S: Final = 0.05
_NO_COMMANDS: Final[Mapping[str, LoadCommand]] = MappingProxyType({})
NOT_ALLOWED: Final = (
    "the agent runs none; start rig-agent with --allow-commands on the target, where only you "
    "reach it"
)
"""The reason why a command of the fixture is not run."""
_WORD_MAX: Final = 60
_TASKS_MAX: Final = 64
_COUNT_MAX: Final = 2**63 - 1
_LIST_MAX: Final = 120
_PLAIN: Final = "-_./=:,+@"
"""The characters of a command's words that are sent as they are, beside letters and digits."""


@runtime_checkable
class Loadable(Protocol):
    """A target whose agent can start loads; replayed and modelled ones cannot."""

    greeting: Mapping[str, str]

    def load(self, words: str) -> Mapping[str, str]:
        """Send what follows LOAD, such as `START NAME`; return the load's state."""


@dataclass(frozen=True)
class LoadReading:
    """The state of the system at one moment, by the agent."""

    workers: int
    alive: int
    busy_ticks: int
    total_ticks: int
    """The ticks of all processors together, since boot."""
    average_permille: int
    """The load average over a minute."""
    load_ticks: int | None = None
    """The ticks of the load's own processes, in the same unit; None: not reported."""
    program: str = ""
    """The load's program: `stress-ng`, `rig-agent`, `command`; "": not reported."""
    version: str = ""
    """The version of the program; "": not known."""
    cpus: str = ""
    """The processors on which it may run, by the target's kernel; "": not reported."""
    exit_code: int | None = None
    """The exit code of a load that has ended; from 128 on, 128 plus the signal's number."""
    tasks: int = 0
    """The number of its periodic tasks, each of which the agent tells of."""


@dataclass
class Load:
    """A load that runs."""

    name: str
    target: Loadable
    command: LoadCommand | None = None
    cpus: str = ""
    """The processors that it may use, such as `0,2-3`; "": all."""
    measured: dict[str, object] = field(default_factory=dict)
    """The findings before and after it was started, for the run file."""

    def check(self) -> int:
        """Return the number of workers that are alive. Raises BenchError if any has ended."""
        now = _read(self.target, self.name)
        if now.alive < now.workers or not now.workers:
            raise BenchError(
                f"load {self.name} did not last: {now.alive} of its {now.workers} workers are "
                f"alive{self._end(now.exit_code)}"
            )
        return now.alive

    def tasks(self) -> tuple[LoadTask, ...]:
        """Return what its periodic tasks have done so far. Raises BenchError for an odd account."""
        count = min(_read(self.target, self.name).tasks, _TASKS_MAX)
        return tuple(_task_of(self, place) for place in range(count))

    def check_share(self, busy: float | None) -> None:
        """Check that a command keeps the processors as busy as it should. Raises BenchError."""
        wanted = 0.0 if self.command is None else self.command.busy_min
        if busy is not None and busy < wanted:
            raise BenchError(
                f"load {self.name} keeps the processors busy for {busy:.0%} of the time, its "
                f"busy_min in the fixture asks for {wanted:.0%}; let its command do more, or ask "
                "for less"
            )

    def check_own(self, own: float | None) -> None:
        """Check that its processes do something. Raises BenchError if they do not.

        Those of `io` and `disk` may all wait for a disk, and a command may do what it likes.
        """
        if own is None or own > 0 or self.command is not None or self.name in _MAY_WAIT:
            return
        raise BenchError(
            f"load {self.name} has its workers, and they used no processor time in {WATCH_S:g} s: "
            "it does not run; look at priorities and processor limits (cgroups) on the target"
        )

    def _end(self, code: int | None) -> str:
        """Return how it ended, and what to look at."""
        if self.command is not None and code in _NO_START:
            return f": {self.command.words[0]} {_NO_START[code]}"
        remedy = "look at memory, disk space and permissions on the target"
        if self.command is not None:
            remedy = "try its command there; it must go on until it is ended"
        if code is None:
            return f"; {remedy}"
        how = f"signal {code - 128} ended it" if code > 128 else f"it ended with exit code {code}"
        return f", {how}; {remedy}"


_MAY_WAIT: Final = ("io", "disk")
_NO_START: Final = {
    127: "is no program there; install it on the target, or give its whole path",
    126: "cannot be run there; make it executable",
}
"""The reason why a command was not even begun, by its exit code."""


def loads_of(target: object) -> tuple[str, ...]:
    """Return the names of the loads that a target's agent can start."""
    if not isinstance(target, Loadable):
        return ()
    return tuple(filter(None, target.greeting.get("loads", "").split(",")))


def runs_commands(greeting: Mapping[str, str]) -> bool:
    """Return whether the agent of this greeting runs commands that a host names."""
    return greeting.get("commands") == "1"


def nobody_starts(target: object, scenario: str) -> RefusedError:
    """Return the refusal of a run whose load neither agent nor, by the fixture, user starts."""
    loads = ", ".join(loads_of(target))
    can = f"the agent starts {loads}" if loads else "the agent starts no loads"
    return RefusedError(
        f"no load {scenario}: {can}; a command of yours goes into [scenarios.{scenario}] of the "
        "fixture, and by_hand = true there says that you start it yourself "
        "(docs/reference/scenarios.md)"
    )


@contextmanager
def load_on(
    target: object,
    scenario: str,
    stop: threading.Event,
    commands: Mapping[str, LoadCommand] = _NO_COMMANDS,
    cpus: str = "",
) -> Iterator[Load | None]:
    """Hold the scenario's load; yield it, or None if idle, or not the agent's to start.

    `commands`: loads of the fixture by name. `stop` cuts the watching short. `cpus`: processors
    that it may use, such as `0,2-3`; "": all.
    Raises RefusedError if the agent runs no commands or cannot place loads, BenchError if the load
    does not run.
    """
    command = commands.get(scenario)
    usual = command is None and scenario not in loads_of(target)
    if scenario == IDLE or not isinstance(target, Loadable) or usual:
        yield None
        return
    load = Load(scenario, target, command, cpus)
    if command is not None and not runs_commands(target.greeting):
        raise RefusedError(f"scenario {scenario} is a command of the fixture: {NOT_ALLOWED}")
    if cpus and target.greeting.get("places") != "1":
        raise RefusedError(f"load_cpus {cpus}: the target's agent lets loads run anywhere")
    before = _watched(target, scenario, stop)
    try:
        _start(load)
        _await_workers(load, stop)
        during = _watched(target, scenario, stop)
        load.measured = _account(load, before, during)
        yield load
    finally:
        with contextlib.suppress(RigError):  # a link that is lost has ended it, too
            target.load("STOP")


def _start(load: Load) -> None:
    if load.cpus:
        load.target.load(f"PLACE {load.cpus}")
    if load.command is None:
        load.target.load(f"START {load.name}")
        return
    words = load.command.words
    for place, word in enumerate(words):
        length = len(word.encode())
        load.target.load(f"WORD {place} {length} {quote(word, safe=_PLAIN)}")
    load.target.load(f"RUN {load.name} {len(words)}")


def _account(
    load: Load, before: tuple[LoadReading, LoadReading], during: tuple[LoadReading, LoadReading]
) -> dict[str, object]:
    """Return what is stored of a running load. Raises BenchError if it does not run, or idles."""
    workers, busy, now = load.check(), _share(*during), during[1]
    load.check_share(busy)
    own = _own_share(*during)
    load.check_own(own)
    made = {"program": now.program, "version": now.version}
    if load.command is not None:
        made["program"] = " ".join(load.command.words)
    return {
        "name": load.name,
        **{key: text for key, text in made.items() if text},
        "workers": workers,
        "busy before": _share(*before),
        "busy under load": busy,
        **({} if own is None else {"busy by the load": own}),
        **({"processors": now.cpus} if load.cpus else {}),
        "load average before": before[1].average_permille / 1000,
        "load average under load": now.average_permille / 1000,
    }


def _await_workers(load: Load, stop: threading.Event) -> None:
    end = time.monotonic() + START_S
    while not stop.is_set():
        now = _read(load.target, load.name)
        if now.workers and now.alive == now.workers:
            return
        if time.monotonic() > end or not now.workers or now.exit_code is not None:
            load.check()
            return
        stop.wait(_POLL_S)


def _watched(target: Loadable, name: str, stop: threading.Event) -> tuple[LoadReading, LoadReading]:
    """Watch for a second; longer where the target's own time passes slowly, as an emulator's."""
    first = _read(target, name)
    for _ in range(_WATCHES_MAX):
        stop.wait(WATCH_S)
        last = _read(target, name)
        if stop.is_set() or last.total_ticks - first.total_ticks >= _WATCHED_TICKS:
            break
    return first, last


def _share(first: LoadReading, last: LoadReading) -> float | None:
    """Return the busy share of all processors' time between two readings."""
    total = last.total_ticks - first.total_ticks
    return round((last.busy_ticks - first.busy_ticks) / total, 3) if total > 0 else None


def _own_share(first: LoadReading, last: LoadReading) -> float | None:
    """Return the share of the load's own processes; None if the agent does not report it."""
    total = last.total_ticks - first.total_ticks
    if total <= 0 or first.load_ticks is None or last.load_ticks is None:
        return None
    return max(0.0, (last.load_ticks - first.load_ticks) / total)


def _task_of(load: Load, place: int) -> LoadTask:
    pairs = dict(load.target.load(f"TASK {place}"))
    try:
        told = {each.name: number(pairs, each.name) for each in fields(LoadTask)}
        if max(told.values()) > _COUNT_MAX:
            raise ProtocolError("a number is out of range")
        return LoadTask(**told)
    except ProtocolError as error:
        raise BenchError(f"load {load.name}: its task {place}: {error}") from None


def _read(target: Loadable, name: str) -> LoadReading:
    pairs = dict(target.load("STATE"))
    keys = ("workers", "alive", "busy_ticks", "total_ticks", "average_permille")
    try:
        workers, alive, busy, total, average = (number(pairs, key) for key in keys)
        return LoadReading(
            workers,
            alive,
            busy,
            total,
            average,
            load_ticks=number(pairs, "load_ticks") if "load_ticks" in pairs else None,
            program=pairs.get("program", "")[:_WORD_MAX],
            version=pairs.get("version", "")[:_WORD_MAX],
            cpus=pairs.get("cpus", "")[:_LIST_MAX],
            exit_code=number(pairs, "exit") if "exit" in pairs else None,
            tasks=number(pairs, "tasks") if "tasks" in pairs else 0,
        )
    except ProtocolError as error:
        raise BenchError(f"load {name}: the agent's account of it: {error}") from None
