# SPDX-License-Identifier: GPL-3.0-or-later
"""The agent's pin write: overhead and spread within their uncertainty, slow writes named."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from calibration.estimate.logged import deviation_beyond, logged, other_pin_write
from calibration.runner import chosen, run_steps
from calibration.steps import toggle_overhead as step
from calibration.steps.toggle_overhead import Writes, contradictions, findings
from rig.analysis.clocks.brackets import Rates
from rig.bench.open import open_bench
from rig.config.fixture import load_fixture, parse_fixture
from tests.calibration.measured import PaperBench, PaperTarget, covered

COUNT = 600


def writes_of(bench: PaperBench, target: PaperTarget, count: int = COUNT) -> Writes:
    seen, _ = target.logged(bench, count)
    assert contradictions(seen) == []
    return step.writes_of(seen, {})


def drawn(seed: int) -> tuple[PaperBench, PaperTarget]:
    """Writes of 0.3 to 3 us; the edge anywhere in them, or in a part of them only."""
    rng = np.random.default_rng(3000 + seed)
    bench = PaperBench(
        rate_hz=int(rng.choice((4_000_000, 24_000_000, 100_000_000))),
        analyzer_ppb=int(rng.integers(-50_000, 50_000)),
        seed=seed,
    )
    where = sorted(rng.random(2)) if rng.random() < 0.5 else (0.0, 1.0)
    target = PaperTarget(
        tick_hz=int(rng.choice((10_000_000, 1_000_000_000, 3_000_000_000))),
        error_ppb=int(rng.integers(-50_000, 50_000)),
        write_ps=int(rng.integers(300_000, 3_000_001)),
        where=(float(where[0]), float(where[1])),
    )
    return bench, target


def test_values_are_within_their_uncertainty_on_100_benches():
    inside, spreads, slow = 0, 0, 0
    for seed in range(100):
        bench, target = drawn(seed)
        found = writes_of(bench, target)
        low, high = target.where
        truth_ns = (low + high) / 2 * target.write_ps / 1e3
        spread_ns = (high - low) / 12**0.5 * target.write_ps / 1e3
        inside += all(covered(each.overhead, truth_ns) for each in found.values())
        # The deviation itself is that of the draws, known to a twentieth or so.
        spreads += all(
            abs(each.spread.value - spread_ns)
            <= 2 * each.spread.standard_uncertainty + 0.06 * spread_ns
            for each in found.values()
        )
        slow += len(findings(found)) == 2
    assert inside >= 95
    assert spreads >= 95
    assert slow == 100


def test_writes_that_vary_are_known_to_a_few_hundredths_of_their_length():
    for seed in range(20):
        target = PaperTarget(write_ps=1_000_000)
        for each in writes_of(PaperBench(seed=seed), target).values():
            assert covered(each.overhead, 500)
            assert each.overhead.standard_uncertainty < 30
            assert abs(each.overhead.value - 500) < 90


@pytest.mark.truth
def test_no_false_alarm_on_200_healthy_benches():
    for seed in range(200):
        bench = PaperBench(seed=seed, analyzer_ppb=seed * 300)
        target = PaperTarget(write_ps=40_000 + 500 * seed, error_ppb=seed * 100 - 9000)
        assert findings(writes_of(bench, target, 120)) == []


def test_an_edge_always_at_one_place_says_how_little_that_tells():
    found = writes_of(PaperBench(), PaperTarget(write_ps=1_000_000, where=(0.8, 0.8)))
    for each in found.values():
        assert covered(each.overhead, 800)
        assert each.overhead.standard_uncertainty > 200  # nearly all of 1000 / sqrt(12)
        assert each.spread.value < 2 * each.spread.standard_uncertainty + 5


def test_a_log_that_contradicts_the_edges_is_said():
    bench, target = PaperBench(), PaperTarget()
    index, level, log, _ = target.answers(bench, COUNT, 10**12)
    log["before_ticks"][300] += 5000
    log["after_ticks"][300] += 5000

    seen = logged(index, level, log, Rates(bench.rate_hz, target.tick_hz, 10.0))
    said = contradictions(seen)
    assert len(said) == 1
    assert "300" in said[0].text
    with pytest.raises(ValueError, match="at least 16"):
        logged(index[:5], level[:5], log, Rates(bench.rate_hz, target.tick_hz, 10.0))


def test_another_pin_of_the_same_write_has_its_own_overhead():
    """It moves 120 ns after the response's, and every other time only."""
    bench, target = PaperBench(), PaperTarget(write_ps=1_000_000, where=(0.0, 0.8))
    index, level, log, _ = target.answers(bench, 2 * COUNT, 10**12)
    seen = logged(index, level, log, Rates(bench.rate_hz, target.tick_hz, 10.0))
    times = [(each - bench.rng.random()) / bench.rate_hz for each in index[::2]]
    other = np.ceil((np.array(times) + 120e-9) * bench.rate_hz).astype(np.int64)
    found = other_pin_write(seen, other, np.arange(COUNT).astype(np.uint8) % 2, 1)
    assert found is not None
    assert found.overhead.n == COUNT // 2
    assert covered(found.overhead, 400 + 120)


@pytest.mark.parametrize("seed", range(10))
def test_a_counter_that_wraps_tells_the_same(seed):
    wide, narrow = (
        writes_of(
            PaperBench(seed=seed),
            PaperTarget(tick_hz=3_000_000_000, write_ps=1_000_000, bits=bits),
            4000,
        )
        for bits in (64, 32)
    )
    assert narrow == wide
    for each in narrow.values():
        assert covered(each.overhead, 500)


def test_a_known_variance_is_taken_off():
    rng = np.random.default_rng(5)
    values = rng.uniform(-0.5, 0.5, 20_000) + rng.normal(0, 0.2, 20_000)
    found = deviation_beyond(values, 1 / 12)
    assert covered(found, 0.2)
    assert found.standard_uncertainty < 0.01
    nothing = deviation_beyond(rng.uniform(-0.5, 0.5, 20_000), 1 / 12)
    assert covered(nothing, 0.0)


@pytest.mark.parametrize(("write_ns", "kinds"), [(50, []), (2000, ["slow pin write"] * 2)])
def test_the_whole_chain_on_the_virtual_bench(write_ns, kinds):
    text = load_fixture("virtual").text.replace(
        'toggle_time = "50 ns"', f'toggle_time = "{write_ns} ns"'
    )
    opener = partial(open_bench, every_channel=True)
    (outcome,) = run_steps(parse_fixture(text, "test"), chosen(["toggle"]), opener)
    assert outcome.passed
    assert [each.kind for each in outcome.findings] == kinds
    for subject in ("response rising", "response falling"):
        found = outcome.record.quantity("toggle_overhead", subject)
        took = outcome.record.quantity("toggle_time", subject)
        assert found is not None
        assert took is not None
        assert abs(found.value - write_ns / 2) <= 2 * found.standard_uncertainty
        assert found.standard_uncertainty < max(8, write_ns / 20)
        assert abs(took.value - write_ns) <= 2 * took.standard_uncertainty
    assert outcome.record.instruments["agent"] == "rig-virtual-agent"
