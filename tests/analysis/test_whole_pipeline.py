# SPDX-License-Identifier: GPL-3.0-or-later
"""From the virtual bench's model to the verdict: clocks that skew and drift, all faults."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rig.analysis.log.contingency import Accounts, ContingencyTally, evidence
from rig.analysis.measurements.verdict import Verdict
from rig.analysis.model.events import EventClass
from rig.analysis.pairing.handler_count import handled_of
from rig.measurements.evaluate import Evaluation, EventColumns, evaluate
from tests.analysis.lies import LIES
from tests.analysis.whole_bench import ORIGIN_PS, WholeRun, faults, train_of, whole_run
from tests.truth.bench import expected_classes

OFTEN = faults(2e-3, late=2e-3)
"""Each some tens of times in 20,000 events."""
RARE = faults(1e-4, late=0.0)
RATE_PPM = 0.01


def evaluated(run: WholeRun) -> tuple[Evaluation, EventColumns]:
    """The evaluation, and all its events."""
    parts: list[EventColumns] = []
    found = evaluate(run.raw, run.settings, run.account, parts.append)
    return found, {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def check(run: WholeRun) -> None:
    """Every event, class and witness, and the clock, against what was true."""
    found, events = evaluated(run)
    truth = run.truth
    assert events["status"].tolist() == expected_classes(truth)
    served = truth["response_ps"] >= 0
    analyzer = run.clocks.analyzer
    for name in ("stimulus", "response"):
        true_ps = truth[f"{name}_ps"][served].tolist()
        samples = [analyzer.ticks_at_or_after(time_ps - ORIGIN_PS) for time_ps in true_ps]
        assert events[f"{name}_sample"][served].tolist() == samples
    assert (events["response_sample"][~served] == -1).all()
    counts = found.counts
    assert counts.duplicate == truth["duplicates"].sum()
    assert counts.glitches == truth["glitches"].sum()
    assert counts.spurious == 0
    assert (found.verdict, found.reasons) == (Verdict.PASS, ())
    check_clock(run, found)
    check_evidence(run, found)


def check_clock(run: WholeRun, found: Evaluation) -> None:
    """No event is called false, and the rate is right."""
    clock = found.clock_agreement
    assert (clock.n, clock.of, clock.holds, clock.findings) == (
        len(run.raw.records), len(run.answers), True, (),
    )  # fmt: skip
    true_ppm = run.clocks.rate_ppm(int(run.answers[0]), int(run.answers[-1]))
    assert clock.rate_ppm == pytest.approx(true_ppm, abs=RATE_PPM)
    assert clock.slack_ns >= 0


def check_evidence(run: WholeRun, found: Evaluation) -> None:
    """Edges and log tell the same of each class that both can know."""
    counts, account = found.counts, run.account
    log = ContingencyTally()
    log.feed(handled_of(run.raw.records))
    accounts = Accounts(
        run.settings.planned, account.sent, counts.n, len(run.answers), account.handled,
        len(run.raw.captured),
    )  # fmt: skip
    rows = {row.name: row for row in evidence(accounts, counts, log)}
    both = ("sent", "seen", "answers", "missed", "merged", "duplicate", "spurious")
    assert [rows[name].agrees for name in both] == [True] * len(both)
    named = {name: rows[name].internal for name in ("missed", "merged", "duplicate")}
    expected = np.bincount(expected_classes(run.truth), minlength=len(EventClass))
    assert named == {
        "missed": expected[EventClass.MISSED],
        "merged": expected[EventClass.MERGED],
        "duplicate": run.truth["duplicates"].sum(),
    }


@pytest.mark.parametrize("seed", range(4))
def test_20_000_events_with_every_fault(seed: int, tmp_path: Path) -> None:
    """Seeds rotate the sequence pins: none, one, two, three."""
    run = whole_run(tmp_path, seed, train_of(seed, 20_000), misbehavior=OFTEN, sequence_bits=seed)
    kinds = np.bincount(expected_classes(run.truth), minlength=len(EventClass))
    assert (
        min(
            *kinds[: EventClass.AMBIGUOUS],
            run.truth["duplicates"].sum(),
            run.truth["glitches"].sum(),
        )
        >= 20
    )
    check(run)


def check_decided(run: WholeRun) -> None:
    """As check(), but for events of which two readings are possible."""
    found, events = evaluated(run)
    if not found.counts.ambiguous:
        check(run)
        return
    # The log has no entries of handlers: what was late and what merged may have two readings.
    decided = events["status"] != EventClass.AMBIGUOUS
    assert (events["status"] == expected_classes(run.truth))[decided].all()
    assert found.verdict is Verdict.INCONCLUSIVE


@pytest.mark.truth
@pytest.mark.parametrize("seed", range(100, 200))
def test_no_false_alarm_in_100_seeds(seed: int, tmp_path: Path) -> None:
    train = train_of(seed, 20_000)
    run = whole_run(tmp_path, seed, train, misbehavior=OFTEN, sequence_bits=seed % 4)
    check_decided(run)


@pytest.mark.truth
@pytest.mark.parametrize("seed", range(200, 210))
def test_a_million_events_with_rare_faults(seed: int, tmp_path: Path) -> None:
    train = train_of(seed, 1_000_000)
    check_decided(whole_run(tmp_path, seed, train, misbehavior=RARE, sequence_bits=seed % 4))


@pytest.fixture(scope="module", params=[0, 3], ids=["no pins", "3 pins"])
def honest(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> WholeRun:
    """A run with all faults of a target, and no lie."""
    folder, bits = tmp_path_factory.mktemp("honest"), request.param
    return whole_run(folder, 50 + bits, train_of(50, 4_000), misbehavior=OFTEN, sequence_bits=bits)


@pytest.mark.parametrize("way", [1, -1])
@pytest.mark.parametrize("kind", LIES)
def test_each_single_lie_is_found_and_named(honest: WholeRun, kind: str, way: int) -> None:
    last = len(honest.raw.records) - 1
    for number in (0, 1_234, last):
        lie = LIES[kind](honest.raw, number, way)
        found, _ = evaluated(honest.with_raw(lie.raw))
        assert found.verdict is Verdict.INCONSISTENT, number
        told = "; ".join(found.reasons)
        assert all(words in told for words in lie.named), (lie.named, told)


def test_the_run_without_a_lie_passes(honest: WholeRun) -> None:
    """So it is the lie that is found, not the faults around it."""
    found, _ = evaluated(honest)
    assert (found.verdict, found.reasons) == (Verdict.PASS, ())
