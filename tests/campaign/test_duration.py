# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run is expected to take, against the train that would be sent."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rig.config.plan import load_plan
from rig.resources import plan_names
from rig.services.duration import BOOT_S, LOAD_S, SETUP_S, expected_s, in_words
from tests.chip import CHIP, CLOCK_HZ


@pytest.mark.parametrize(
    "name", [n for n in plan_names() if n != "interrupt-soak" and load_plan(n).stimulus]
)
def test_expected_time_is_that_of_the_train(name):
    plan = load_plan(name)
    end_s = list(plan.train(CHIP).edge_chunks())[-1][-1] / CLOCK_HZ
    expected = end_s + plan.response.timeout_ps / 1e12 + SETUP_S
    assert expected_s(plan) == pytest.approx(expected, rel=0.02)


def test_expected_time_of_periods():
    plan = load_plan("period")
    assert expected_s(plan) == pytest.approx(10 + 0.1 + SETUP_S)
    loaded = replace(plan, scenario="cpu")
    assert expected_s(loaded, guest=True) == pytest.approx(10.1 + SETUP_S + BOOT_S + LOAD_S)


@pytest.mark.parametrize(
    ("seconds", "words"), [(3.2, "3 s"), (99, "99 s"), (120, "2 min"), (20_000, "5.6 h")]
)
def test_in_words(seconds, words):
    assert in_words(seconds) == words
