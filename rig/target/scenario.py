# SPDX-License-Identifier: GPL-3.0-or-later
"""The load on a target while it is measured: started, seen to run, and taken down on every path.

The agent starts it (docs/scenarios.md) and ends it with itself, so no load outlives its link.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final, Protocol, runtime_checkable

from rig.errors import BenchError, RigError
from rig.target.protocol import ProtocolError, number

IDLE: Final = "idle"
LOADS: Final = ("cpu", "io", "half", "copy", "rt-tasks", "network")
"""Those of the agent for Linux that comes with this rig."""
WATCH_S: Final = 1.0
"""How long the system is watched, before and under load."""
START_S: Final = 10.0
"""All workers must be there by then."""
_POLL_S: Final = 0.05


@runtime_checkable
class Loadable(Protocol):
    """A target whose agent can start loads; replayed and modelled ones cannot."""

    greeting: Mapping[str, str]

    def load(self, words: str) -> Mapping[str, str]:
        """`START NAME`, `STATE` or `STOP`; what the agent says of the load then."""


@dataclass(frozen=True)
class Reading:
    """The system at one moment, by the agent."""

    workers: int
    alive: int
    busy_ticks: int
    total_ticks: int
    """Of all processors together, since boot."""
    average_permille: int
    """Load average over a minute."""


@dataclass
class Load:
    """A load that runs."""

    name: str
    target: Loadable
    measured: dict[str, object] = field(default_factory=dict)
    """What was seen before and after it was started, for the run file."""

    def check(self) -> int:
        """Workers that are alive. Raises BenchError if any has ended."""
        now = _read(self.target, self.name)
        if now.alive < now.workers or not now.workers:
            raise BenchError(
                f"load {self.name} did not last: {now.alive} of its {now.workers} workers are "
                "alive; look at memory, disk space and permissions on the target"
            )
        return now.alive


def loads_of(target: object) -> tuple[str, ...]:
    """Names of the loads that a target's agent can start."""
    if not isinstance(target, Loadable):
        return ()
    return tuple(filter(None, target.greeting.get("loads", "").split(",")))


@contextmanager
def load_on(target: object, scenario: str, stop: threading.Event) -> Iterator[Load | None]:
    """The scenario's load while the context lasts; None if it is idle, or not the agent's to start.

    `stop` cuts the watching short. Raises BenchError if the load does not run.
    """
    if scenario == IDLE or not isinstance(target, Loadable) or scenario not in loads_of(target):
        yield None
        return
    load = Load(scenario, target)
    before = _watched(target, scenario, stop)
    try:
        target.load(f"START {scenario}")
        _await_workers(load, stop)
        during = _watched(target, scenario, stop)
        load.measured = {
            "name": scenario,
            "workers": load.check(),
            "busy before": _share(*before),
            "busy under load": _share(*during),
            "load average before": before[1].average_permille / 1000,
            "load average under load": during[1].average_permille / 1000,
        }
        yield load
    finally:
        with contextlib.suppress(RigError):  # a link that is lost has ended it, too
            target.load("STOP")


def _await_workers(load: Load, stop: threading.Event) -> None:
    end = time.monotonic() + START_S
    while not stop.is_set():
        now = _read(load.target, load.name)
        if now.workers and now.alive == now.workers:
            return
        if time.monotonic() > end or not now.workers:
            load.check()
            return
        stop.wait(_POLL_S)


def _watched(target: Loadable, name: str, stop: threading.Event) -> tuple[Reading, Reading]:
    first = _read(target, name)
    stop.wait(WATCH_S)
    return first, _read(target, name)


def _share(first: Reading, last: Reading) -> float | None:
    """Of all processors' time between two readings, the part that was not idle."""
    total = last.total_ticks - first.total_ticks
    return round((last.busy_ticks - first.busy_ticks) / total, 3) if total > 0 else None


def _read(target: Loadable, name: str) -> Reading:
    pairs = dict(target.load("STATE"))
    keys = ("workers", "alive", "busy_ticks", "total_ticks", "average_permille")
    try:
        return Reading(*(number(pairs, key) for key in keys))
    except ProtocolError as error:
        raise BenchError(f"load {name}: the agent's account of it: {error}") from None
