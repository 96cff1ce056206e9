# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run is expected to take, against the train that would be sent."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rig.config.fixture import load_fixture
from rig.config.plan import load_plan
from rig.resources import plan_names
from rig.services.duration import EVALUATE_S, LOAD_S, SETUP_S, expected_s, in_words
from tests.chip import CHIP, CLOCK_HZ


@pytest.mark.parametrize(
    "name", [n for n in plan_names() if n != "interrupt-soak" and load_plan(n).stimulus]
)
def test_expected_time_is_that_of_the_train(name):
    plan = load_plan(name)
    end_s = list(plan.train(CHIP).edge_chunks())[-1][-1] / CLOCK_HZ
    expected = end_s + plan.response.timeout_ps / 1e12 + SETUP_S + plan.count * EVALUATE_S
    assert expected_s(plan) == pytest.approx(expected, rel=0.02)


def test_expected_time_of_periods():
    plan = load_plan("period")
    evaluated_s = plan.count * EVALUATE_S
    assert expected_s(plan) == pytest.approx(10 + 0.1 + SETUP_S + evaluated_s)
    loaded = replace(plan, scenario="cpu")
    assert expected_s(loaded) == pytest.approx(10.1 + SETUP_S + LOAD_S + evaluated_s)


def test_virtual_time_is_not_the_time_that_it_takes():
    """As measured: 10^6 periods of 200 us take the model less than real time, a guest more."""
    plan = load_plan("period").with_overrides(count=1_000_000, period="200 us")
    real_s = expected_s(plan)
    model_s, guest_s = (expected_s(plan, load_fixture(n)) for n in ("virtual", "qemu-debian"))
    assert 20 < model_s < 100 < real_s < 220 < guest_s < 700
    loaded_s = expected_s(replace(plan, scenario="cpu"), load_fixture("qemu-debian"))
    assert guest_s + 300 < loaded_s
    switches = load_plan("task-switch")
    batches = replace(switches, agent=replace(switches.agent, variant="mutex", batch=1000))
    assert expected_s(batches, load_fixture("qemu-debian")) > 400


def test_a_model_has_no_tools_to_wait_for():
    """cyclictest and timerlat are each as long as the periods, on a target that has them."""
    wakeup, plain = (
        load_plan(n).with_overrides(10**6, period="1 ms") for n in ("wakeup", "period")
    )
    assert expected_s(wakeup) == pytest.approx(expected_s(plain) + 2000)
    model = load_fixture("virtual")
    assert expected_s(wakeup, model) == pytest.approx(expected_s(plain, model))
    guest = load_fixture("qemu-debian")
    assert expected_s(wakeup, guest) > expected_s(plain, guest) + 1000


@pytest.mark.parametrize(
    ("seconds", "words"), [(3.2, "3 s"), (99, "99 s"), (120, "2 min"), (20_000, "5.6 h")]
)
def test_in_words(seconds, words):
    assert in_words(seconds) == words
