# SPDX-License-Identifier: GPL-3.0-or-later
"""Campaigns' plans: which runs come of them, under which names, and what is refused."""

from __future__ import annotations

import re
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.campaign.discovery import campaign_names, find_campaign
from rig.campaign.matrix import cells_of
from rig.campaign.plan import load_campaign
from rig.campaign.toml import leaves, merged, nested, written
from rig.config.plan import parse_plan
from rig.errors import InputError
from tests.campaign import plans


def cells(tmp_path, text=plans.SMALL, count=None):
    return cells_of(load_campaign(plans.written(tmp_path, text), count))


def test_runs_of_a_campaign(tmp_path):
    found = cells(tmp_path)
    assert tuple(cell.name for cell in found) == plans.NAMES
    assert [cell.measurement for cell in found] == [
        "interrupt", "interrupt", "period", "period", "telepathy",
    ]  # fmt: skip
    assert [cell.scenario for cell in found] == ["idle", "cpu", "idle", "idle", "idle"]
    assert [cell.plan and cell.plan.agent.period_ps for cell in found[2:]] == [
        500 * 10**6, 2 * 10**9, None,
    ]  # fmt: skip
    assert {cell.plan.count for cell in found if cell.plan} == {20}
    assert found[1].plan.scenario == "cpu"
    assert found[4].missing == "this version does not measure telepathy"


def test_the_plan_of_a_run_is_whole(tmp_path):
    """What is stored with a run is all that it was made from."""
    for cell in cells(tmp_path)[:4]:
        again = parse_plan(cell.plan.text, cell.plan.source)
        assert again == cell.plan
        assert again.name == cell.name


def test_names_and_plans_do_not_depend_on_when(tmp_path):
    first, again = cells(tmp_path), cells(tmp_path)
    assert first == again
    assert [c.fingerprint for c in first] == [c.fingerprint for c in again]
    other = cells(tmp_path, count=21)
    assert {a.fingerprint for a in first[:4]}.isdisjoint(b.fingerprint for b in other[:4])
    assert {c.plan.count for c in other if c.plan} == {21}


_PERIODS = st.lists(st.integers(10, 10**8), min_size=1, max_size=6, unique=True)
_SCENARIOS = st.lists(
    st.from_regex("[a-z][a-z0-9]{0,8}", fullmatch=True), min_size=1, max_size=4, unique=True
)


@given(_PERIODS, st.lists(st.integers(0, 99), min_size=1, max_size=4, unique=True), _SCENARIOS)
def test_every_combination_is_one_run(tmp_path_factory, periods_us, priorities, loads):
    text = f"""
[campaign]
name = "all"
scenarios = {loads}
[[measure]]
plan = "period"
[measure.vary]
agent.period = {[f"{period} us" for period in periods_us]}
agent.priority = {priorities}
""".replace("'", '"')
    found = cells(tmp_path_factory.mktemp("campaign"), text)
    assert [(c.plan.agent.period_ps, c.plan.agent.priority, c.scenario) for c in found] == [
        (period * 10**6, priority, load)
        for period in periods_us
        for priority in priorities
        for load in loads
    ]
    assert len({cell.name for cell in found}) == len(found)


@pytest.mark.parametrize(
    ("old", "new", "pattern"),
    [
        ('plan = "interrupt"', 'plan = "interupt"', r"small\.toml:9: \[\[measure\]\] plan: no bu"),
        ("agent.period", "agents.period", r"small\.toml:15: .*vary\]+ agents: unknown table"),
        ('["500 us", "2 ms"]', '["500 us", "3 yr"]', r"small\.toml:12: .* period-3yr-idle: .*ag"),
        ('["500 us", "2 ms"]', '["2 ms", "2ms"]', r"two runs would be called period-2ms-idle"),
        ('["500 us", "2 ms"]', '"2 ms"', r"period: no array of values"),
        ("count = 20", "count = 0", r"small\.toml:6: \[campaign\] count: 0 is out of range"),
        ('["idle", "cpu"]', '["idle", "idle"]', r"scenarios: a name twice"),
        ('["idle", "cpu"]', '["idle", "C P U"]', r'scenarios: "C P U" is not allowed'),
        ('["idle", "cpu"]', "[]", r"scenarios: no array of names"),
        ("title =", "titel =", r"small\.toml:4: .*unknown key \(did you mean title\?\)"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_line(tmp_path, old, new, pattern):
    assert old in plans.SMALL
    with pytest.raises(InputError) as raised:
        cells(tmp_path, plans.SMALL.replace(old, new))
    assert re.search(pattern, str(raised.value)), raised.value


def test_a_plan_may_lie_beside_its_campaign(tmp_path):
    from rig.resources import find_plan

    (tmp_path / "mine.toml").write_text(find_plan("interrupt").read_text())
    text = plans.SMALL.replace('plan = "interrupt"', 'plan = "./mine.toml"')
    assert cells(tmp_path, text)[0].name == "mine-idle"


@pytest.mark.parametrize("name", campaign_names())
def test_built_in_campaigns(name):
    campaign = load_campaign(find_campaign(name))
    assert campaign.name == name
    assert campaign.title
    assert all(cell.plan or cell.missing for cell in cells_of(campaign))


def test_the_dissertations_matrix_has_its_periods_and_loads():
    found = cells_of(load_campaign(find_campaign("radder")))
    periods = [c for c in found if c.measurement == "period"]
    assert {(c.plan.agent.period_ps // 10**6, c.scenario) for c in periods} == {
        (us, load) for us in (500, 10_000, 100_000, 1_000_000) for load in ("idle", "cpu", "io")
    }
    assert {c.plan.count for c in periods} == {251}  # 250 intervals
    assert {c.plan.count for c in found if c.plan and c not in periods} == {250}


def test_what_is_a_campaign(tmp_path):
    path = plans.written(tmp_path)
    assert find_campaign(str(path)) == path
    assert find_campaign("interrupt") is None
    assert find_campaign(str(tmp_path / "none.toml")) is None
    path.write_text('[plan]\nname = "no-campaign"\n')
    assert find_campaign(str(path)) is None


_KEYS = st.text(min_size=1, max_size=8)
_PLAIN = st.one_of(
    st.booleans(), st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False), st.text(),
)  # fmt: skip
_ROWS = st.lists(st.dictionaries(_KEYS, _PLAIN, max_size=2), max_size=2)
_TABLES = st.recursive(
    st.dictionaries(_KEYS, st.one_of(_PLAIN, st.lists(_PLAIN, max_size=3), _ROWS), max_size=4),
    lambda inner: st.dictionaries(_KEYS, inner, max_size=3),
    max_leaves=8,
)


@given(_TABLES)
def test_written_toml_is_read_as_it_was(values):
    assert tomllib.loads(written(values)) == values


@given(_TABLES, _TABLES)
def test_merging_keeps_what_is_not_replaced(base, changes):
    found = dict(leaves(merged(base, changes)))
    for path, value in leaves(changes):
        assert found[path] == value
    assert merged(base, {}) == base
    for path, value in leaves(changes):
        assert leaves(nested(path, value)) == [(path, value)]
