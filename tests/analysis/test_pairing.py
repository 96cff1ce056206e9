# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairing against a small target whose every event is known."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rig.analysis.model.events import EventClass, ExtraClass
from rig.analysis.pairing.deficits import Entered, MergeProfile
from rig.analysis.pairing.pairing import Pairer, PinCounter, latencies

PERIOD = 1000
LATENCY = 50
ANSWERED, LATE, MISSED, MERGED, AMBIGUOUS = EventClass


@dataclass
class Truth:
    """What a scripted target did."""

    stimulus: list[int] = field(default_factory=list)
    response: list[int] = field(default_factory=list)
    handled: list[int] = field(default_factory=list)
    kind: list[int] = field(default_factory=list)
    latency: list[int] = field(default_factory=list)
    extras: list[int] = field(default_factory=list)
    entry: list[int] = field(default_factory=list)
    """Of each answer, when its handler was entered; empty: not known."""


def scripted(script: str) -> Truth:
    """One letter a stimulus: `a`nswered, `m`issed, `d`uplicate, `l`ate, `g`: merged with the next,
    `s`: answered, and a spurious interrupt is handled and answered before the next stimulus."""
    truth = Truth()
    handled = 0
    for number, letter in enumerate(script):
        at = number * PERIOD
        truth.stimulus.append(at)
        if letter == "g":
            truth.kind.append(MERGED)
            truth.latency.append(-at)  # waits for the answer still to come
            continue
        handled += 1
        if letter == "m":
            truth.kind.append(MISSED)
            continue
        entry = at + LATENCY // 2
        answer = at + LATENCY + (PERIOD if letter == "l" else 0)
        truth.response.append(answer)
        truth.handled.append(handled)
        truth.entry.append(entry)
        truth.kind.append(LATE if letter == "l" and number + 1 < len(script) else ANSWERED)
        truth.latency = [answer + v if v <= 0 else v for v in truth.latency]
        truth.latency.append(answer - at)
        if letter in "ds":
            handled += letter == "s"
            truth.response.append(answer + 100)
            truth.handled.append(handled)
            truth.entry.append(entry if letter == "d" else answer + 80)
            truth.extras.append(ExtraClass.DUPLICATE if letter == "d" else ExtraClass.SPURIOUS)
    order = np.argsort(truth.response, kind="stable")
    truth.response = [truth.response[i] for i in order]
    truth.handled = [truth.handled[i] for i in order]
    truth.entry = [truth.entry[i] for i in order]
    return truth


def paired(truth: Truth, cuts: list[int], *, counted: bool = True):
    """Kinds, latencies, extras of both passes over stretches cut at the given times."""
    stimulus, response = np.array(truth.stimulus), np.array(truth.response, np.int64)
    handled = np.array(truth.handled, np.int64)
    entry = np.array(truth.entry or truth.response, np.int64)
    bounds = [0, *sorted(cuts), 10**9]
    stretches = []
    for low, high in pairwise(bounds):
        s = stimulus[(stimulus >= low) & (stimulus < high)]
        mine = (response >= low) & (response < high)
        entered = Entered(entry[mine] - 10, entry[mine]) if counted and truth.entry else None
        stretches.append((s, response[mine], handled[mine] if counted else None, entered))
    profile = MergeProfile()
    for stretch in stretches:
        profile.feed(*stretch)
    profile.finish()
    pairer = Pairer(profile)
    events = [pairer.feed(*stretch[:3]) for stretch in stretches] + [pairer.finish()]
    assert [e.first for e in events] == np.cumsum([0, *(len(e.stimulus) for e in events)])[
        :-1
    ].tolist()
    assert np.concatenate([e.stimulus for e in events]).tolist() == truth.stimulus
    kinds = np.concatenate([e.kind for e in events]).tolist()
    delays = np.concatenate([latencies(e) for e in events]).tolist()
    extras = np.concatenate([e.extra_kind for e in events]).tolist()
    return kinds, delays, extras


@pytest.mark.parametrize(
    "script",
    [
        "aaaa",
        "amaa",
        "maaam",
        "adaada",
        "alaala",
        "llla",
        "agaaga",
        "agggaa",
        "gaa",
        "amagaaldaaa",
        "asaa",
        "m",
        "l",
        "aaaaagaaaaalaaaaamaaaaada",
    ],
)
def test_known_scripts(script):
    truth = scripted(script)
    assert paired(truth, []) == (truth.kind, truth.latency, truth.extras)


@settings(max_examples=200)
@given(
    st.lists(st.sampled_from(["a", "ma", "d", "la", "ga", "gga", "lga"]), max_size=30),
    st.lists(st.integers(0, 100 * PERIOD), max_size=12),
)
def test_any_script_in_any_pieces(parts, cuts):
    truth = scripted("a" + "".join(parts))
    assert paired(truth, cuts) == (truth.kind, truth.latency, truth.extras)


def test_what_was_merged_beside_a_missed_one_is_ambiguous():
    """The interrupt that was not answered may have been for one stimulus or for both."""
    truth = scripted("amgaa")
    expected = [ANSWERED, MISSED, AMBIGUOUS, ANSWERED, ANSWERED]
    assert paired(truth, [])[0] == expected


def test_without_entries_a_merged_interrupt_may_have_been_a_late_answer():
    """The first of the two was answered late, or merged; the second then waits for the third."""
    truth = scripted("aagaaaa")
    truth.entry = []
    kinds, delays, _ = paired(truth, [])
    assert kinds == [ANSWERED] * 2 + [AMBIGUOUS] * 3 + [ANSWERED] * 2
    assert max(delays) == PERIOD + LATENCY


def test_latency_above_the_period_throughout():
    """Every answer comes one and a half periods late; only the last says which is whose."""
    truth = Truth(
        stimulus=[i * PERIOD for i in range(50)],
        response=[i * PERIOD + 3 * PERIOD // 2 for i in range(50)],
        handled=list(range(1, 51)),
    )
    kinds, delays, extras = paired(truth, [7 * PERIOD, 20 * PERIOD])
    assert kinds == [LATE] * 49 + [ANSWERED]
    assert set(delays) == {3 * PERIOD // 2}
    assert extras == []


def test_by_order_alone_a_miss_shifts_nothing_behind_it():
    truth = scripted("aamaaaadaaa")
    kinds, delays, _ = paired(truth, [], counted=False)
    assert kinds.count(MISSED) == 0 or set(delays) == {LATENCY}
    truth = scripted("aamaaaa")
    # The missed one, or a late answer to it and the one behind it missed: that one's answer alone
    # does not tell, the next does.
    expected = [ANSWERED] * 2 + [AMBIGUOUS] * 2 + [ANSWERED] * 3
    assert paired(truth, [], counted=False)[0] == expected


def test_by_order_alone_a_second_answer_is_a_duplicate():
    truth = scripted("aadaaa")
    kinds, delays, extras = paired(truth, [], counted=False)
    assert (kinds, set(delays), extras) == ([ANSWERED] * 6, {LATENCY}, [ExtraClass.DUPLICATE])


def test_answer_before_any_stimulus_is_spurious():
    truth = Truth(stimulus=[100, 200], response=[50, 110, 210], handled=[1, 2, 3])
    kinds, delays, extras = paired(truth, [])
    assert (kinds, delays, extras) == ([ANSWERED] * 2, [10, 10], [ExtraClass.SPURIOUS])


@given(
    st.lists(st.integers(0, 5000), max_size=40),
    st.lists(st.tuples(st.integers(0, 6000), st.integers(-5, 60)), max_size=40),
    st.lists(st.integers(0, 6000), max_size=4),
    st.booleans(),
)
def test_nonsense_never_fails_and_loses_nothing(stimuli, answers, cuts, counted):
    """A damaged log or a foreign capture: every stimulus gets one class, every answer one use."""
    answers.sort()
    truth = Truth(stimulus=sorted(stimuli), response=[a for a, _ in answers])
    truth.handled = [c for _, c in answers]
    kinds, delays, extras = paired(truth, cuts, counted=counted)
    assert len(kinds) == len(stimuli)
    if AMBIGUOUS not in kinds:
        assert kinds.count(ANSWERED) + kinds.count(LATE) + len(extras) == len(answers)
    assert all(delay >= 0 for delay in delays)


@given(
    st.lists(st.integers(0, 6), min_size=1, max_size=60),
    st.lists(st.integers(0, 60), max_size=5),
)
def test_pins_unwrap(steps, cuts):
    """Three bits tell up to six interrupts in a row that went unanswered."""
    counts = np.cumsum(steps)
    counter = PinCounter(3)
    pieces = np.split(counts & 7, sorted(min(cut, len(counts)) for cut in cuts))
    assert np.concatenate([counter.feed(piece) for piece in pieces]).tolist() == counts.tolist()
