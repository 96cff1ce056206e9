# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings and account as a run file holds them: there and back, and from a damaged file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.analysis.model.sources import Schedule, SelfTriggers
from rig.config.fixture import load_fixture
from rig.config.plan import load_plan
from rig.errors import InputError
from rig.measurements.registry import measurement_of
from rig.measurements.stored_settings import account_from_json, settings_from_json, settings_to_json
from rig.resources import plan_names
from rig.session.settings import settings_of

PATH = Path("run.h5")


def stored(plan="interrupt"):
    rates_hz = 24_000_000, 16_000_000, 999_999_000
    settings = settings_of(load_plan(plan), load_fixture("virtual"), *rates_hz)
    return settings, json.loads(json.dumps(settings_to_json(settings)))


@pytest.mark.parametrize("plan", plan_names())
def test_there_and_back(plan):
    settings, text = stored(plan)
    assert settings_from_json(PATH, text) == settings


def test_what_the_plan_says_arrives():
    settings, _ = stored()
    assert (settings.wiring.stimulus, settings.wiring.response) == (0, 1)
    assert settings.wiring.sequence == (2, 3, 4)
    assert settings.glitch_samples == 5  # 200 ns at 24 MHz are 4.8 samples
    assert settings.source.interval_max_ticks == 28_800
    assert (settings.limits.missed, settings.limits.max_ns) == (0, None)


NONSENSE = st.one_of(
    st.none(), st.integers(-5, 2**70), st.text(max_size=5), st.lists(st.integers(), max_size=3)
)


@pytest.mark.parametrize("plan", ["interrupt", "period", "interrupt-dispatch", "interrupt-self"])
@given(st.data(), NONSENSE)
def test_damaged_settings_are_one_clear_error(plan, data, value):
    """Any one value replaced: either still usable, or InputError, never anything else."""
    _, text = stored(plan)
    place = text
    while True:
        key = data.draw(st.sampled_from(sorted(place)))
        if not isinstance(place[key], dict) or not place[key]:
            break
        place = place[key]
    place[key] = value
    try:
        settings_from_json(PATH, text)
    except InputError as error:
        assert str(error).startswith("run.h5: damaged run file, settings: ")  # noqa: PT017


def test_a_plan_of_periods_has_a_schedule_and_no_train():
    settings, text = stored("period")
    assert (settings.source, settings.planned) == (Schedule(10_000_000, 1000), 1000)
    assert settings.tick_hz == 999_999_000
    assert settings.agent == {"priority": "80", "period_ns": "10000000", "count": "1000"}
    for key in ("source", "tick_hz", "agent"):  # an older file has none of them
        del text[key]
    assert settings_from_json(PATH, text).source is None


def test_a_target_that_triggers_itself_has_neither():
    settings, text = stored("interrupt-self")
    assert (settings.source, settings.planned) == (SelfTriggers(1_001_000, 1000), 1000)
    asked = measurement_of(settings.measurement).arm_options(settings, 1000)
    assert (asked.measurement, asked.options["self_trigger"]) == ("interrupt", "1")
    assert asked.options["edge"] == "rising"
    assert asked.capacity == 5000  # two records for each, twice as many as that, and some to spare
    del text["source"]
    assert settings_from_json(PATH, text).source is None


OLDER_KEYS = {
    "interrupt": "train",
    "period": "schedule",
    "interrupt-self": "triggers",
    "saturation": "search",
    "timer": "inside",
}


@pytest.mark.parametrize(("plan", "key"), OLDER_KEYS.items())
def test_settings_of_format_versions_1_to_4_tell_the_same(plan, key):
    settings, text = stored(plan)
    source = text.pop("source")
    del source["kind"]
    older = {"train": None, "schedule": None, "triggers": None, **text}
    older[key] = source["count"] if key == "inside" else source
    assert settings_from_json(PATH, older) == settings
    with pytest.raises(InputError, match="valid: one of them at most"):
        settings_from_json(PATH, {**older, "train": {}, "search": {}})
    with pytest.raises(InputError, match=f"{key}: 'x' found" if key != "inside" else "count"):
        settings_from_json(PATH, {**older, key: "x"})


def test_account_ignores_what_it_does_not_know():
    account = account_from_json(PATH, {"sent": 5, "samples": 100, "failure": "unplugged"})
    assert (account.sent, account.failure, account.handled) == (5, "unplugged", None)
