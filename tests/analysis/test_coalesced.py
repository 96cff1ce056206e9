# SPDX-License-Identifier: GPL-3.0-or-later
"""Interrupts that were handled one by one and answered together: the log's flag tells them from
missed ones."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.analysis.model.events import EventClass
from rig.analysis.pairing.deficits import Entered, MergeProfile
from rig.analysis.pairing.pairing import Pairer, latencies

PERIOD = 1000
LATENCY = 50
ANSWERED, _, MISSED, MERGED, _ = EventClass


def scripted(script: str) -> tuple[list[int], list[int], list[bool], list[int], list[int]]:
    """(answer times, their handler counts, flags, classes and latencies of stimuli).

    One letter a stimulus, one period apart: `a`nswered; `m`: handled, never answered; `c`: handled
    and answered with the next that is; `g`: merged in the hardware with the next, not handled.
    """
    response: list[int] = []
    handled: list[int] = []
    flags: list[bool] = []
    kinds: list[int] = []
    delays: list[int] = []
    count, waiting = 0, []
    for number, letter in enumerate(script):
        at = number * PERIOD
        count += letter != "g"
        kinds.append({"a": ANSWERED, "m": MISSED}.get(letter, MERGED))
        if letter in "cg":
            waiting.append((at, letter))
        elif letter == "a":
            response.append(at + LATENCY)
            handled.append(count)
            flags.append(any(one == "c" for _, one in waiting))
            delays += [at + LATENCY - since for since, _ in waiting] + [LATENCY]
            waiting = []
    return response, handled, flags, kinds, delays


def paired(script: str, cuts: list[int]) -> tuple[list[int], list[int]]:
    """Classes and latencies, over stretches that end at the given times."""
    response, handled, flags, _, _ = scripted(script)
    stimuli = np.arange(len(script)) * PERIOD
    answers, counts, flagged = np.array(response, np.int64), np.array(handled), np.array(flags)
    stretches = []
    for low, high in pairwise([0, *sorted(cuts), 10**9]):
        mine = (answers >= low) & (answers < high)
        now = stimuli[(stimuli >= low) & (stimuli < high)]
        stretches.append((now, answers[mine], counts[mine].astype(np.int64)))
    profile = MergeProfile()
    for stretch in stretches:
        entry = stretch[1] - LATENCY // 2  # of the last one handled
        profile.feed(*stretch, Entered(entry - 10, entry))
    profile.finish()
    pairer = Pairer(profile, lambda first, n: flagged[first : first + n].astype(np.bool_))
    events = [pairer.feed(*stretch) for stretch in stretches] + [pairer.finish()]
    kinds = np.concatenate([e.kind for e in events]).tolist()
    return kinds, np.concatenate([latencies(e) for e in events]).tolist()


@pytest.mark.parametrize("script", ["aca", "ccca", "acaaccaa", "amaca", "agcaa", "cgaca"])
def test_known_scripts(script: str) -> None:
    _, _, _, kinds, delays = scripted(script)
    assert paired(script, []) == (kinds, delays)


def test_the_same_edges_without_the_flag_are_missed() -> None:
    assert paired("acaa", [])[0] == [ANSWERED, MERGED, ANSWERED, ANSWERED]
    assert paired("amaa", [])[0] == [ANSWERED, MISSED, ANSWERED, ANSWERED]


@given(
    st.lists(st.sampled_from(["a", "ca", "cca", "ma", "gca"]), max_size=30),
    st.lists(st.integers(0, 60 * PERIOD), max_size=6),
)
def test_any_mixture_over_any_stretches(words: list[str], cuts: list[int]) -> None:
    script = "".join(words) + "a"
    _, _, _, kinds, delays = scripted(script)
    assert paired(script, cuts) == (kinds, delays)
