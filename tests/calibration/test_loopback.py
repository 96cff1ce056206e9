# SPDX-License-Identifier: GPL-3.0-or-later
"""Loopback and line delay: a wire in place of the target, and a wire seen at both ends."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.estimate.capture import capture_delay
from calibration.estimate.skew import channel_skews
from calibration.fan_out import PULSES, SEED
from calibration.findings import StepOutcome
from calibration.runner import chosen, run_steps
from calibration.settings import CalibrationSettings
from calibration.steps.line_delay import delays_ns
from calibration.steps.loopback import capture_findings, findings, quantities
from calibration.trains import dithering_train, reach_of
from rig.bench.open import open_bench
from rig.config.calibration import CalibratedQuantity, CalibrationRecord
from rig.config.fixture import load_fixture, parse_fixture
from rig.errors import InputError
from tests.calibration.measured import PaperBench, covered
from tests.chip import CHIP


def check(
    more: str, step: str = "loopback", settings: CalibrationSettings | None = None
) -> StepOutcome:
    fixture = parse_fixture(f"{load_fixture('virtual').text}\n{more}\n", "test")
    opener = partial(open_bench, every_channel=True)
    (outcome,) = run_steps(fixture, chosen([step]), opener, settings=settings)
    return outcome


LOOP = '[virtual.jumpers]\nloopback = true\nloopback_delay = "130 ns"\n'
LATE = '[[virtual.delay]]\nchannel = "D1"\nskew_rising = "52.1 ns"\n'


def test_the_whole_chain_on_the_virtual_bench():
    outcome = check(LOOP + LATE)
    assert outcome.passed
    assert [each.kind for each in outcome.findings] == ["delayed", "delayed"]
    for subject, truth_ns in (("response rising", 182.1), ("response falling", 130.0)):
        found = outcome.record.quantity("loopback_delay", subject)
        assert found is not None
        assert abs(found.value - truth_ns) <= 2 * found.standard_uncertainty
        assert found.standard_uncertainty < 0.5
        captured = outcome.record.quantity("capture_delay", subject)
        assert captured is not None
        assert captured.n == 4000
        # 130 ns, to the next tick of 62.5 ns, and the four cycles of the noise canceler.
        assert abs(captured.value - (130 + 4 * 62.5)) <= 2 * captured.standard_uncertainty + 62.5


def test_no_delay_is_no_finding():
    outcome = check("[virtual.jumpers]\nloopback = true\n")
    assert outcome.findings == ()
    found = outcome.record.quantity("loopback_delay", "response rising")
    assert found is not None
    assert abs(found.value) <= 2 * found.standard_uncertainty


@pytest.mark.slow
def test_a_target_in_place_of_the_wire_is_said_and_line_delay_needs_to_know_where():
    opener = partial(open_bench, every_channel=True)
    steps = run_steps(load_fixture("virtual"), chosen(["loopback", "line-delay"]), opener)
    kinds = [each.kind for each in next(steps).findings]
    assert kinds == ["no loopback", "capture open"]
    with pytest.raises(InputError, match="--far D7"):
        next(steps)


def test_line_delay_on_the_virtual_bench():
    wire = '[virtual.jumpers]\nfan_out = "D0 D1 D5"\n[[virtual.delay]]\nchannel = "D1"\n'
    more = wire + 'line_rising = "95 ns"\nline_falling = "71.5 ns"\nskew_rising = "12.25 ns"\n'
    skews = {"D1 rising": 12.25, "D1 falling": 0.0, "D5 rising": 0.0, "D5 falling": 0.0}
    known = CalibrationRecord(
        "channel-skew",
        datetime(2026, 1, 2, tzinfo=UTC),
        tuple(
            CalibratedQuantity("channel_skew", ns, "ns", 0.1, 1000, name)
            for name, ns in skews.items()
        ),
    )
    outcome = check(more, "line-delay", CalibrationSettings(far_channel=5, skew=known))
    assert outcome.passed
    for subject, truth_ns in (("response rising", 95.0), ("response falling", 71.5)):
        found = outcome.record.quantity("line_delay", subject)
        assert found is not None
        assert 0.1 < found.standard_uncertainty < 0.5
        assert abs(found.value - truth_ns) <= 2 * found.standard_uncertainty
    assert outcome.record.conditions["their skew"] == "taken off"


@pytest.mark.parametrize(
    "seeds", [range(25), pytest.param(range(100), marks=pytest.mark.truth)], ids=["25 in CI", "100"]
)
def test_delays_are_within_their_uncertainty_on_100_benches(seeds):
    inside = 0
    for seed in seeds:
        rng = np.random.default_rng(5000 + seed)
        delays = {(1, 1): int(rng.integers(0, 120_000)), (1, 0): int(rng.integers(0, 120_000))}
        bench = PaperBench(
            stimulus_ppb=int(rng.integers(-100_000, 100_000)), delays_ps=delays, seed=seed
        )
        train = dithering_train(CHIP, bench.rate_hz, 1000, seed)
        edges = {channel: bench.channel(train, channel) for channel in (0, 1, 5)}
        skews = channel_skews(edges, 0, bench.pulses(train), reach_of(CHIP, train, bench.rate_hz))
        found = delays_ns(skews[1], skews[5], 1e9 / bench.rate_hz)
        inside += all(covered(found[level], delays[1, level] / 1e3) for level in (1, 0))
    assert inside >= 0.95 * len(seeds)


HEALTHY_IN_CI = 20


@pytest.mark.parametrize(
    "seeds",
    [
        range(HEALTHY_IN_CI),
        pytest.param(range(HEALTHY_IN_CI, 200), marks=pytest.mark.truth),
    ],
    ids=["20 in CI", "180 more"],
)
def test_no_false_alarm_on_200_healthy_benches(seeds):
    """A short wire, clocks that are off as crystals are, the capture's own four cycles."""
    inside = 0
    for seed in seeds:
        rng = np.random.default_rng(6000 + seed)
        bench = PaperBench(
            rate_hz=int(rng.choice((1_000_000, 4_000_000, 24_000_000, 100_000_000))),
            stimulus_ppb=int(rng.integers(-100_000, 100_000)),
            analyzer_ppb=int(rng.integers(-50_000, 50_000)),
            jitter_ps=float(rng.choice((0, 200))),
            start_ps=int(rng.integers(10**8, 10**9)),
            seed=seed,
        )
        train = dithering_train(
            CHIP, bench.rate_hz, PULSES, SEED, CHIP.clock_hz // 1000, CHIP.clock_hz // 3000
        )
        pulses = bench.pulses(train)
        edges = {channel: bench.channel(train, channel) for channel in (0, 1)}
        skews = channel_skews(edges, 0, pulses, reach_of(CHIP, train, bench.rate_hz))
        assert findings(skews[1], 1, 0, bench.rate_hz) == []
        sent = np.sort(np.concatenate((pulses.rising_ticks, pulses.falling_ticks)))
        late = capture_delay(
            sent + 4, pulses.rising_ticks, pulses.falling_ticks, train.width_ticks - 1
        )
        assert capture_findings(late) == []
        found = quantities(skews[1], late, bench.rate_hz, CHIP.clock_hz)
        assert len(found) == 4
        inside += all(
            abs(each.value) <= 2 * each.standard_uncertainty
            for each in found
            if each.name == "loopback_delay"
        )
    assert inside >= 0.95 * len(seeds)


def test_a_second_capture_behind_an_edge_is_too_many():
    rising = np.array([1000, 3000, 5000])
    sent = np.sort(np.concatenate((rising, rising + 700)))
    captured = np.sort(np.append(sent + 4, [3060, 990]))
    found = capture_delay(captured, rising, rising + 700, 699)
    assert (found.missing, found.extra) == (0, 2)
    assert found.rising is not None
    assert found.rising.value == 4
    assert [each.kind for each in capture_findings(found)] == ["capture differs"]


@given(
    delay=st.integers(0, 500),
    gaps=st.lists(st.integers(1500, 5000), min_size=1, max_size=50),
    gone=st.sets(st.integers(0, 99), max_size=5),
)
def test_captures_find_their_edges(delay, gaps, gone):
    rising = np.cumsum(gaps)
    falling = rising + 700
    sent = np.sort(np.concatenate((rising, falling)))
    kept = np.delete(sent, [place for place in gone if place < len(sent)])
    found = capture_delay(kept + delay, rising, falling, 699)
    lost = len(sent) - len(kept)
    assert (found.missing, found.extra) == (lost, 0)
    for each in (found.rising, found.falling):
        if each is not None:
            assert each.value == delay
            assert each.standard_uncertainty > 0.5
    wrong = {each.kind for each in capture_findings(found)}
    if found.rising is None and found.falling is None:
        assert wrong == {"capture open"}
    elif lost:
        assert wrong == {"capture differs"}
    else:
        assert wrong == ({"capture late"} if delay > 8 else set())
