# SPDX-License-Identifier: GPL-3.0-or-later
"""[limits] of plans: any statistic, any measurement, any scenario; what is wrong is one line."""

from __future__ import annotations

import pytest

from rig.analysis.model.settings import LIMIT_FIELDS, Limits
from rig.config.plan import parse_plan
from rig.errors import InputError
from rig.limit_names import COUNTS, STATISTICS
from rig.measurements.registry import MEASUREMENTS

HEAD = """
[plan]
name = "mine"
measurement = "{measurement}"
scenario = "load-2"
[capture]
resolution = "50 ns"
glitch_filter = "200 ns"
[response]
timeout = "100 ms"
"""
STIMULUS = """
[stimulus]
pattern = "periodic"
period = "1 ms"
count = 100
seed = 7
pulse_width = "10 us"
polarity = "positive"
delay = "1 ms"
"""
OWN = '[agent]\nperiod = "1 ms"\ncount = 100\n'


def limits_of(text: str, measurement: str = "interrupt", agent: str = "") -> Limits:
    by_target = bool(agent)
    if not agent and measurement == "interrupt_dispatch":
        agent = "[agent]\ncpu = 1\n"
    head = HEAD.format(measurement=measurement) + ("" if by_target else STIMULUS) + agent
    return parse_plan(f"{head}[limits]\n{text}", "p.toml").limits


@pytest.mark.parametrize(
    ("measurement", "agent", "measurands"),
    [
        ("interrupt", "", ("latency",)),
        ("interrupt_to_task", "", ("latency",)),
        ("interrupt_dispatch", "", MEASUREMENTS["interrupt_dispatch"].measurands),
        ("interrupt", OWN + "self_trigger = true\n", ("latency", "internal_latency")),
        ("period", OWN, MEASUREMENTS["period"].measurands),
    ],
)
def test_every_statistic_of_all_that_is_measured(measurement, agent, measurands) -> None:
    names = [f"{s}_{m}" for m in measurands for s in STATISTICS]
    text = "\n".join(f'{name} = "{number + 1} us"' for number, name in enumerate(names))
    found = limits_of(text, measurement, agent)
    wanted = {name: (number + 1) * 10**3 for number, name in enumerate(names)}
    for name in ("max_latency", "p99_latency", "average_latency", "max_interval_error"):
        assert getattr(found, LIMIT_FIELDS[name]) == wanted.pop(name, None)
    assert found.others == wanted


def test_counts() -> None:
    text = "\n".join(f"{name} = {number}" for number, name in enumerate(COUNTS, 1))
    found = limits_of(text)
    assert (found.missed, found.late, found.merged, found.duplicate) == (1, 2, 3, 4)
    assert found.spurious == 5
    own = ("glitches", "overruns", "overruns_in_a_row", "failed", "missed_periods")
    assert found.others == dict(zip(own, range(6, 11), strict=True))
    assert limits_of("") == Limits(missed=0, late=0, merged=0, duplicate=0, spurious=0)


def test_a_scenario_of_its_own_goes_first() -> None:
    text = """
max_latency = "50 us"
p95_latency = "20 us"
missed = 0
[limits.idle]
max_latency = "10 us"
p90_latency = "10 us"
[limits.load-2]
max_latency = "80 us"
p99_9_latency = "60 us"
p95_latency = "any"
missed = 3
"""
    found = limits_of(text)
    assert (found.max_ns, found.missed, found.late) == (80_000, 3, 0)
    assert found.others == {"p99_9_latency": 60_000}


EVERY = f"{', '.join(COUNTS)}, or a statistic ({', '.join(STATISTICS)}), an underscore and "


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            'p98_latency = "1 us"',
            "p98_latency: unknown key (did you mean p99_latency?); valid: " + EVERY + "what it is "
            "of (latency)",
        ),
        ('max_interval_error = "1 us"', "max_interval_error: unknown key"),
        ("average_latency = 5", "average_latency: 5 is an integer; valid: a time"),
        ('p99_9_latency = "61 s"', 'p99_9_latency: "61 s" is out of range; valid: a time from'),
        ("overruns = -1", "overruns: -1 is out of range; valid: an integer from 0"),
        ('missed = "some"', 'missed: "some" is a string; valid: an integer from 0'),
        ("[limits.load-2]\nmisst = 1", "misst: unknown key (did you mean missed?)"),
        ('[limits.other]\nmax_latency = "5"', 'max_latency: "5"'),
        ("[limits.max_latency]\nmissed = 1", "max_latency: is a table"),
        ("[limits.Load]\nmissed = 1", "Load: unknown table"),
    ],
)
def test_what_is_wrong_is_one_line(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        limits_of(text)
    found = str(caught.value)
    assert message in found
    assert found.startswith("p.toml:")
    assert "\n" not in found
