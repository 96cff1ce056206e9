# SPDX-License-Identifier: GPL-3.0-or-later
"""A target with an interrupt controller that holds one pending beside one in service, simulated.

No processes and no clocks: what became of each stimulus is known, and so is what can be seen of it.
Times are in samples of 100 ns.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from rig.analysis.model.events import EventClass
from rig.analysis.pairing.deficits import Entered, MergeProfile
from rig.analysis.pairing.pairing import Events, Pairer

SAMPLE_NS = 100
US = 1000 // SAMPLE_NS
ACKNOWLEDGE = 2 * US
MARGIN = 1 * US


@dataclass(frozen=True)
class Habits:
    """What a target does. Times in samples; faults are probabilities of an interrupt."""

    latency: int = 6 * US
    scatter: int = 4 * US
    service: int = 2 * US
    """From its answer to the end of its handler."""
    acknowledged: int = 1 * US
    """From the acknowledgment to the handler's entry, at most."""
    late: float = 0.0
    late_by: int = 600 * US
    merge: float = 0.0
    mask: int = 600 * US
    miss: float = 0.0
    duplicate: float = 0.0
    again: int = 40 * US
    quiet: int = 0
    """Interrupts without a fault after each one with."""
    queue: bool = False
    """Each interrupt is taken at once, and answered after the ones before."""


@dataclass
class Run:
    """What a target did, and what is seen of it."""

    stimulus: list[int]
    response: list[int] = field(default_factory=list)
    handled: list[int] = field(default_factory=list)
    entry: list[int] = field(default_factory=list)
    kind: list[int] = field(default_factory=list)
    """Of each stimulus."""
    answered: list[int] = field(default_factory=list)
    """Of each stimulus: when its answer came, -1 for never."""
    count: int = 0
    """Interrupts handled."""


def simulate(rng: np.random.Generator, stimulus: list[int], habits: Habits) -> Run:
    """Serve these stimuli."""
    run = Run(stimulus)
    rest, free, answer_free, at = habits.quiet, 0, 0, 0
    while at < len(stimulus):
        fault = _fault(rng, habits) if rest >= habits.quiet else ""
        rest = 0 if fault else rest + 1
        arrived = stimulus[at]
        taken = arrived if habits.queue else max(arrived, free)
        if fault == "merge":
            taken = max(taken, arrived + habits.mask)
        until = at + 1
        while until < len(stimulus) and stimulus[until] <= taken:
            until += 1
        run.count += 1
        entry = taken + int(rng.integers(0, habits.acknowledged + 1))
        written = entry + habits.latency + int(rng.integers(0, habits.scatter + 1))
        written += habits.late_by if fault == "late" else 0
        written = max(written, answer_free)
        if fault == "miss":
            written, free = -1, taken + habits.latency
        else:
            _answer(run, entry, written)
            if fault == "duplicate":
                written_again = written + habits.again
                _answer(run, entry, written_again)
            answer_free = run.response[-1] + 20 * US
            free = run.response[-1] + habits.service
        run.answered += [written] * (until - at)
        run.kind += _kinds(stimulus, at, until, written)
        at = until
    return run


def _answer(run: Run, entry: int, at: int) -> None:
    run.response.append(at)
    run.handled.append(run.count)
    run.entry.append(entry)


def _kinds(stimulus: list[int], first: int, until: int, written: int) -> list[int]:
    if written < 0:
        return [EventClass.MISSED] * (until - first)
    late = until < len(stimulus) and stimulus[until] <= written
    return [
        *[EventClass.MERGED] * (until - first - 1),
        EventClass.LATE if late else EventClass.ANSWERED,
    ]


def _fault(rng: np.random.Generator, habits: Habits) -> str:
    draw = rng.random()
    for name in ("late", "merge", "miss", "duplicate"):
        draw -= getattr(habits, name)
        if draw < 0:
            return name
    return ""


def pair(
    run: Run, *, entries: bool, counted: bool = True, total: bool = True, cuts: list[int] = ()
) -> list[Events]:
    """Both passes, over stretches cut at these times."""
    stimulus, response = np.array(run.stimulus, np.int64), np.array(run.response, np.int64)
    handled, entry = np.array(run.handled, np.int64), np.array(run.entry, np.int64)
    stretches = []
    for low, high in pairwise([-1, *sorted(cuts), 1 << 60]):
        mine = (response >= low) & (response < high)
        entered = None
        if entries:
            earliest = entry[mine] - MARGIN - ACKNOWLEDGE
            latest = np.minimum(entry[mine] + MARGIN, response[mine])
            entered = Entered(earliest, latest)
        part = stimulus[(stimulus >= low) & (stimulus < high)]
        stretches.append((part, response[mine], handled[mine] if counted else None, entered))
    profile = MergeProfile()
    for stretch in stretches:
        profile.feed(*stretch)
    profile.finish(run.count if total and counted else None)
    assert profile.contradictions == 0
    pairer = Pairer(profile)
    return [pairer.feed(*stretch[:3]) for stretch in stretches] + [pairer.finish()]


def faults(run: Run, events: list[Events]) -> tuple[list[str], int]:
    """What is said of a stimulus and is not so, a line each; how many are left ambiguous."""
    found, ambiguous = [], 0
    for part in events:
        early, late = part.readings or (None, None)
        for i, kind in enumerate(part.kind.tolist()):
            event = part.first + i
            true_kind, true_at = run.kind[event], run.answered[event]
            assert part.stimulus[i] == run.stimulus[event]
            if kind != EventClass.AMBIGUOUS:
                if (kind, part.response[i]) != (true_kind, true_at):
                    found.append(
                        f"event {event}: {EventClass(kind).name} at {part.response[i]}, "
                        f"not {EventClass(true_kind).name} at {true_at}"
                    )
                continue
            ambiguous += 1
            ends = early.response[i], late.response[i]
            if true_at >= 0 and not ends[0] <= true_at <= ends[1]:
                found.append(f"event {event}: {true_at} is not in {ends}")
    assert sum(len(part.stimulus) for part in events) == len(run.stimulus)
    return found, ambiguous
