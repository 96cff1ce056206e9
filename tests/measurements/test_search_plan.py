# SPDX-License-Identifier: GPL-3.0-or-later
"""[search] of plans: the rates between which the highest one is looked for."""

from __future__ import annotations

import pytest

from rig.config.check import check
from rig.config.fixture import load_fixture
from rig.config.plan import load_plan, parse_plan
from rig.errors import InputError
from rig.resources import find_plan


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            '"50 kHz"',
            '"60 MHz"',
            '[search] rate_stop: "60 MHz" is out of range; valid: a rate from',
        ),
        ('"50 kHz"', '"900 Hz"', "[search] rate_stop: below rate_start; valid: rate_start or"),
        ("= 0.01", "= 0.0001", "[search] resolution: 0.0001 is out of range; valid: a number from"),
        ("= 1000", "= 19", "[search] count: 19 is out of range; valid: an integer from 20 to"),
        ('= "handler"', '= "kernel"', "[search] answered_by: unknown answered_by"),
        ("[search]", "[stimulus]\n[search]", "stimulus: the pulses follow from what is kept up"),
        (
            '"saturation"\nscen',
            '"interrupt"\nscen',
            "search: belongs to measurement saturation",
        ),
    ],
)
def test_a_search_is_checked(old: str, new: str, message: str) -> None:
    text = find_plan("saturation").read_text(encoding="utf-8")
    assert old in text
    with pytest.raises(InputError) as caught:
        parse_plan(text.replace(old, new), "p.toml")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            '"50 kHz"',
            '"60 kHz"',
            "[search] rate_stop: 60 kHz is out of the firmware's range; valid: 1 Hz to 50 kHz",
        ),
        ('"10 us"', '"15 us"', "[search] pulse_width: 15 us leaves less than 10 us of rest"),
        (
            '"50 ms"',
            '"3 ms"',
            "[response] timeout: no rest that tells two rates apart; valid: 4 ms",
        ),
        ('"200 ns"', '"6 us"', "[capture] glitch_filter: 6 us may remove stimulus edges"),
    ],
)
def test_a_search_that_the_bench_cannot_make_is_refused(old: str, new: str, message: str) -> None:
    text = find_plan("saturation").read_text(encoding="utf-8").replace(old, new)
    with pytest.raises(InputError) as caught:
        check(parse_plan(text, "p.toml"), load_fixture("virtual"))
    assert message in str(caught.value)


def test_a_search_of_other_length_and_under_load() -> None:
    plan = load_plan("saturation")
    shorter = plan.with_overrides(count=50)
    assert shorter.count == 50 * plan.count // 1000
    with pytest.raises(InputError, match="--count: 10 is out of range; valid: an integer from 20"):
        plan.with_overrides(count=10)
    with pytest.raises(InputError, match="--seed: plan saturation has nothing"):
        plan.with_overrides(seed=3)
    text = plan.text.replace("duplicate = 0", "missed = 3\n[limits.idle]\nmerged = 5\n[limits.x]")
    limits = parse_plan(text, "p.toml").limits
    assert (limits.missed, limits.merged, limits.late) == (3, 5, None)
