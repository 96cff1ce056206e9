# SPDX-License-Identifier: GPL-3.0-or-later
"""kill -9 at 50 random moments: of the host, of its capture process, of whoever reads along.

What must hold after each is in tests/record/kills.py: the file is readable at once, recovers to a
normal one, lacks nothing that the host had received more than 0.5 s before, and nobody is left.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from dataclasses import dataclass
from itertools import count

import pytest

from tests.record.kills import (
    SLOW_LOG_S,
    Kill,
    hosting,
    kill_host,
    kill_readers,
    kill_worker,
)

STIMULI = 40_000
HOSTS, HOSTS_AT_THE_END, WORKERS, READERS = 22, 6, 12, 10
READERS_A_RUN = 5


@dataclass(frozen=True)
class Lengths:
    """Of a run that nobody disturbs, as this machine does it now, in seconds."""

    whole_s: float
    end_s: float
    """Of its part after the last sample: reports, figures, windows."""


@pytest.fixture(scope="module")
def lengths(tmp_path_factory):
    with hosting(tmp_path_factory.mktemp("undisturbed") / "run.h5", STIMULI) as host:
        assert host.end() == 0, host.errors
        over_ns = time.monotonic_ns()
        (finishing_ns,) = (at_ns for at_ns, phase in host.phases if phase == "finishing")
    return Lengths((over_ns - host.began_ns) / 1e9, (over_ns - finishing_ns) / 1e9)


def summary(what: str, kills: list[Kill]) -> None:
    """What the moments were: a test that killed in one phase only has shown little."""
    phases = Counter(kill.phase for kill in kills)
    worst_ms = max(kill.age_ms for kill in kills)
    print(f"{len(kills)} x {what}: {dict(phases)}; at most {worst_ms} ms were missing")


@pytest.mark.truth
@pytest.mark.timeout(1200)
def test_the_host_killed(tmp_path, lengths):
    chance = random.Random(1)  # noqa: S311 - repeatable moments
    kills: list[Kill] = []
    for turn in count():
        folder = tmp_path / str(turn)
        folder.mkdir()
        with hosting(folder / "run.h5", STIMULI) as host:
            time.sleep(chance.uniform(0, lengths.whole_s))
            kill = kill_host(host)
        kills += [kill] if kill.phase != "over" else []
        if len(kills) == HOSTS:
            break
        assert turn < 2 * HOSTS
    summary("host", kills)
    assert {"opening", "measuring"} <= {kill.phase for kill in kills}


@pytest.mark.truth
@pytest.mark.timeout(1200)
def test_the_host_killed_after_the_last_sample(tmp_path, lengths):
    """While it waits for the target's log, and while it stores figures."""
    chance = random.Random(2)  # noqa: S311 - repeatable moments
    kills: list[Kill] = []
    for turn in count():
        folder = tmp_path / str(turn)
        folder.mkdir()
        with hosting(folder / "run.h5", STIMULI, SLOW_LOG_S) as host:
            assert host.wait_for(lambda host=host: "finishing" in host.seen_phases)
            time.sleep(chance.uniform(0, SLOW_LOG_S + lengths.end_s))
            kill = kill_host(host)
        kills += [kill] if kill.phase != "over" else []
        if len(kills) == HOSTS_AT_THE_END:
            break
        assert turn < 2 * HOSTS_AT_THE_END
    summary("host after the last sample", kills)
    assert {kill.phase for kill in kills} == {"finishing"}


@pytest.mark.truth
@pytest.mark.timeout(1200)
def test_the_capture_process_killed(tmp_path, lengths):
    chance = random.Random(3)  # noqa: S311 - repeatable moments
    kills: list[Kill] = []
    for turn in count():
        folder = tmp_path / str(turn)
        folder.mkdir()
        with hosting(folder / "run.h5", STIMULI) as host:
            # It lives for a part of the run only: a moment before that is one at its beginning.
            time.sleep(chance.uniform(0, lengths.whole_s))
            host.wait_for(lambda host=host: host.part("rig.capture.worker"))
            worker = host.part("rig.capture.worker")
            kills += [kill_worker(host, worker)] if worker is not None else []
        if len(kills) == WORKERS:
            break
        assert turn < 2 * WORKERS
    summary("capture process", kills)
    assert {"opening", "measuring"} <= {kill.phase for kill in kills}


@pytest.mark.truth
@pytest.mark.timeout(1200)
def test_readers_killed(tmp_path):
    chance = random.Random(4)  # noqa: S311 - repeatable moments
    kills: list[Kill] = []
    for turn in range(READERS // READERS_A_RUN):
        with hosting(tmp_path / f"{turn}.h5", 5 * STIMULI) as host:
            kills += kill_readers(host, [chance.uniform(0, 0.3) for _ in range(READERS_A_RUN)])
    summary("reader", kills)
    assert len(kills) == READERS


def test_there_are_fifty_moments():
    assert HOSTS + HOSTS_AT_THE_END + WORKERS + READERS == 50
