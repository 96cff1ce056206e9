# SPDX-License-Identifier: GPL-3.0-or-later
"""Searches on a target with a known service time, made without any part of the virtual bench."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from rig.analysis.model.instrument_counts import InstrumentCounts
from rig.analysis.model.rate_search import RateSearch, RateSearchState
from rig.analysis.model.settings import Limits, Settings
from rig.analysis.model.wiring import Wiring
from rig.instruments import LOG_RECORD
from rig.measurements.evaluate import Evaluation, evaluate
from rig.stimulus.train import Polarity
from tests.analysis.raw_runs import MemoryRun, log_of, toggles
from tests.chip import CLOCK_HZ

RATE_HZ = 48_000_000
TICK_SAMPLES = RATE_HZ // CLOCK_HZ
TICK_HZ = 10**9
REST_S = 0.02
SEARCH = RateSearch(16_000, 320, 200, 10_000, 160, 1_600, Polarity.POSITIVE)

Times = Callable[[int], float]
"""Number of an interrupt to a time in us."""


@dataclass
class Queued:
    """A run of a target whose interrupt line has one latch."""

    raw: MemoryRun
    settings: Settings
    account: InstrumentCounts
    holds: list[tuple[int, int]]
    """Interval in ticks and interrupts that had no answer of their own, of each hold."""

    def evaluated(self) -> Evaluation:
        return evaluate(self.raw, self.settings, self.account)


def served(
    arrivals_us: np.ndarray, service_us: Times, latency_us: Times, first: int
) -> list[float]:
    """When the answers come: one interrupt is served, one may wait, others become one with it.

    `first`: number of the first of them.
    """
    answers: list[float] = []
    free = -1.0
    waiting = False
    taken = 0.0
    for at in arrivals_us.tolist():
        if waiting and at < taken:
            continue  # the line is pending already
        taken = max(at, free)
        waiting = taken > at
        number = first + len(answers)
        answers.append(taken + latency_us(number))
        free = taken + max(service_us(number), latency_us(number))
    return answers


def queued_run(
    service_us: Times, latency_us: Times, search: RateSearch = SEARCH, *, log: bool = True
) -> Queued:
    """Search as the session does, by the answers of each hold."""
    hunt, holds = RateSearchState(search), []
    stimuli: list[float] = []
    answers: list[float] = []
    now_us = 1000.0
    while (ticks := hunt.next_ticks()) is not None:
        arrivals = now_us + np.arange(search.count) * (ticks * 1e6 / CLOCK_HZ)
        mine = served(arrivals, service_us, latency_us, len(answers))
        hunt.learn(ticks, kept=len(mine) == search.count)
        holds.append((ticks, search.count - len(mine)))
        stimuli += arrivals.tolist()
        answers += mine
        now_us = stimuli[-1] + 1e6 * REST_S
    return _captured(stimuli, answers, search, holds, log=log)


def _captured(
    stimuli: list[float],
    answers: list[float],
    search: RateSearch,
    holds: list[tuple[int, int]],
    *,
    log: bool,
) -> Queued:
    edges = toggles([sample_of(at) for at in answers])
    for at in stimuli:
        edges += [(sample_of(at), 0, 1), (sample_of(at + 10), 0, 0)]
    rows = [(n + 1, ticks_of(at) - 50, ticks_of(at) + 50, 0) for n, at in enumerate(answers)]
    records = log_of(rows) if log else np.empty(0, LOG_RECORD)
    settings = Settings(
        measurement="saturation",
        scenario="idle",
        sample_rate_hz=RATE_HZ,
        stimulus_clock_hz=CLOCK_HZ,
        wiring=Wiring(0, 1),
        glitch_samples=5,
        limits=Limits(duplicate=0, spurious=0),
        tick_hz=TICK_HZ,
        source=search,
    )
    handled = len(answers) if log else None
    sent = tuple(search.count for _ in holds)
    account = InstrumentCounts(sent=sum(sent), holds=sent, handled=handled)
    end = sample_of(stimuli[-1] + 1e6 * REST_S)
    return Queued(MemoryRun(edges, end, records), settings, account, holds)


def sample_of(time_us: float) -> int:
    """The first sample at which an edge of that time is seen."""
    return int(np.ceil(time_us * RATE_HZ / 1e6))


def ticks_of(time_us: float) -> int:
    """The target's counter then."""
    return 3_600_000_000_000 + round(time_us * TICK_HZ / 1e6)


# --- lies of the agent ----------------------------------------------------------------------------


def late_stamp(run: Queued, number: int) -> Queued:
    """One pin write is stamped 5 us later than it was."""
    records = run.raw.records.copy()
    for name in ("before_ticks", "after_ticks"):
        records[name][number] += np.uint64(5_000)
    return replace(run, raw=replace(run.raw, records=records))


def skipped_event(run: Queued, number: int) -> Queued:
    """One record is gone, and the rest is numbered as if it had never been."""
    records = np.delete(run.raw.records, number)
    records["sequence"] = np.arange(len(records))
    records["handled"][number:] -= np.uint64(1)
    account = replace(run.account, handled=(run.account.handled or 0) - 1)
    return replace(run, raw=replace(run.raw, records=records), account=account)


def wrong_count(run: Queued, number: int) -> Queued:
    """An interrupt is counted that never came."""
    records = run.raw.records.copy()
    records["handled"][number:] += np.uint64(1)
    return replace(run, raw=replace(run.raw, records=records))


def busy_pin(run: Queued, number: int) -> Queued:
    """Somebody else writes the pin, between two answers."""
    mine = sorted(sample for sample, channel, _ in run.raw.edges if channel == 1)
    others = [edge for edge in run.raw.edges if edge[1] != 1]
    extra = (mine[number] + mine[number + 1]) // 2
    edges = [*others, *toggles(sorted([*mine, extra]))]
    return replace(run, raw=replace(run.raw, edges=edges))


LIES = (late_stamp, skipped_event, wrong_count, busy_pin)
