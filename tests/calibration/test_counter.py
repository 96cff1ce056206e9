# SPDX-License-Identifier: GPL-3.0-or-later
"""The target's counter: rate, straightness, and cores that differ, each within its uncertainty."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from calibration import common_findings
from calibration.estimate.cores import ahead
from calibration.estimate.linearity import departure_ns
from calibration.estimate.logged import logged
from calibration.estimate.rate import rate_of
from calibration.runner import chosen, run_steps
from calibration.settings import CalibrationSettings
from calibration.steps.counter import _frequencies, cpus_of, of_environment, rate_findings
from rig.analysis.clocks.brackets import Rates
from rig.bench.open import open_bench
from rig.config.fixture import load_fixture, parse_fixture
from tests.calibration.measured import PS, PaperBench, PaperTarget, covered

COUNT = 100


def drawn(seed: int, ahead_ps: int) -> tuple[PaperBench, PaperTarget, PaperTarget]:
    rng = np.random.default_rng(4000 + seed)
    bench = PaperBench(
        rate_hz=int(rng.choice((1_000_000, 24_000_000, 100_000_000))),
        analyzer_ppb=int(rng.integers(-50_000, 50_000)),
        seed=seed,
    )
    first = PaperTarget(
        tick_hz=int(rng.choice((25_000_000, 1_000_000_000, 3_000_000_000))),
        error_ppb=int(rng.integers(-50_000, 50_000)),
        write_ps=int(rng.integers(40_000, 3_000_001)),
    )
    return bench, first, PaperTarget(**{**vars(first), "ahead_ps": ahead_ps})


def apart(bench: PaperBench, first: PaperTarget, other: PaperTarget):
    before, end_ps = first.logged(bench, COUNT)
    its, end_ps = other.logged(bench, COUNT, end_ps + PS // 5)
    after, _ = first.logged(bench, COUNT, end_ps + PS // 5)
    return ahead((before, after), its, Rates(bench.rate_hz, first.tick_hz, 10.0))


def test_cores_2_us_apart_are_found_on_100_benches():
    inside, surely = 0, 0
    for seed in range(100):
        ahead_ps = int(np.random.default_rng(seed).choice((2_000_000, 17_000_000, 400_000)))
        found = apart(*drawn(seed, ahead_ps))
        inside += covered(found, ahead_ps / 1e3)
        surely += ahead_ps < 2_000_000 or found.value > found.standard_uncertainty * 3**0.5
    assert inside >= 95
    assert surely == 100


def test_crystals_that_drift_a_little_are_allowed_for():
    bench, first = PaperBench(), PaperTarget(drift_ppb_per_s=10)
    before, end_ps = first.logged(bench, COUNT)
    its, end_ps = first.logged(bench, COUNT, end_ps + 20 * PS)
    after, _ = first.logged(bench, COUNT, end_ps + 20 * PS)
    found = ahead((before, after), its, Rates(bench.rate_hz, first.tick_hz, 10.0))
    assert covered(found, 0.0)
    assert found.standard_uncertainty > 500  # 0.01 ppm/s over 40 s is 1 us off the best line


@pytest.mark.truth
def test_cores_that_agree_are_no_alarm_on_200_benches():
    for seed in range(200):
        found = apart(*drawn(seed, 0))
        # Hard limits, which hold the truth always.
        assert abs(found.value) <= found.standard_uncertainty * 3**0.5 + 1e-6


def test_rates_are_within_their_uncertainty_on_100_benches():
    inside = straight = 0
    departures = []
    for seed in range(100):
        bench, target, _ = drawn(seed, 0)
        seen, _ = target.logged(bench, 1200)
        rates = Rates(bench.rate_hz, target.tick_hz, 10.0)
        found = rate_of(seen.brackets, rates)
        truth = ((1e9 + target.error_ppb) / (1e9 + bench.analyzer_ppb) - 1) * 1e6
        inside += covered(found.ppm, truth, 1e-7)
        departure = departure_ns(seen.brackets, rates)
        assert departure is not None
        straight += covered(departure, 0.0)
        departures.append(departure.value / departure.standard_uncertainty)
        assert rate_findings(found, departure) == []
    assert inside >= 95
    assert straight >= 95
    assert np.median(departures) < 0.5  # chance is taken off


def test_a_counter_that_changes_its_rate_is_named_and_measured():
    bench, target = PaperBench(), PaperTarget(drift_ppb_per_s=4000)
    seen, _ = target.logged(bench, 3000)
    rates = Rates(bench.rate_hz, target.tick_hz, 10.0)
    rate, departure = rate_of(seen.brackets, rates), departure_ns(seen.brackets, rates)
    assert departure is not None
    # A parabola c t^2 / 2 over T is c T^2 / 12 off its best line at the ends.
    assert departure.value == pytest.approx(4e-6 * 9 / 12 * 1e9, rel=0.3)
    assert [each.kind for each in rate_findings(rate, departure)] == ["counter not steady"]


def test_a_nominal_rate_that_is_wrong_is_named():
    bench, target = PaperBench(), PaperTarget(error_ppb=8_000_000)
    seen, _ = target.logged(bench, 1200)
    found = rate_of(seen.brackets, Rates(bench.rate_hz, target.tick_hz, 10.0))
    assert [each.kind for each in rate_findings(found, None)] == ["counter rate off"]


NARROW = PaperTarget(tick_hz=1_000_000_000, write_ps=500_000, bits=32)
"""It wraps every 4.3 s."""


@pytest.mark.parametrize("seed", range(5))
def test_a_counter_of_32_bits_has_the_rate_of_one_that_does_not_wrap(seed):
    bench = PaperBench(seed=seed)
    seen, _ = NARROW.logged(bench, 10_000, PS // 2 + seed * PS)
    assert seen.wraps in ("32-bit counter: 2 wraps undone", "32-bit counter: 3 wraps undone")
    assert seen.test.holds
    assert seen.unmatched == ()
    rates = Rates(bench.rate_hz, NARROW.tick_hz, 10.0)
    found = rate_of(seen.brackets, rates)
    assert covered(found.ppm, NARROW.error_ppb / 1e3, 1e-7)
    assert rate_findings(found, departure_ns(seen.brackets, rates)) == []


def test_a_counter_that_wraps_is_followed_over_a_lost_record():
    bench = PaperBench()
    index, level, log, _ = NARROW.answers(bench, 6000, PS // 2)
    seen = logged(index, level, np.delete(log, 4321), Rates(bench.rate_hz, NARROW.tick_hz, 10.0))
    assert seen.wraps == "32-bit counter: 1 wraps undone"
    assert len(seen.brackets) == 5999
    assert len(seen.unmatched) == 1
    assert "4,321" in seen.unmatched[0]
    assert seen.test.holds


@pytest.mark.parametrize("pause_s", [0, 1, 3, 5, 40])
@pytest.mark.parametrize("ahead_ps", [0, 2_000_000])
def test_cores_are_compared_over_wraps_between_their_turns(pause_s, ahead_ps):
    bench = PaperBench(rate_hz=100_000_000)
    other = PaperTarget(**{**vars(NARROW), "ahead_ps": ahead_ps})
    before, end_ps = NARROW.logged(bench, COUNT, 3 * PS)
    its, end_ps = other.logged(bench, COUNT, end_ps + pause_s * PS)
    after, _ = NARROW.logged(bench, COUNT, end_ps + pause_s * PS)
    found = ahead((before, after), its, Rates(bench.rate_hz, NARROW.tick_hz, 10.0))
    assert covered(found, ahead_ps / 1e3)
    assert found.standard_uncertainty < (100 if pause_s < 10 else 10_000)


def test_a_wrap_within_the_last_write_is_undone():
    bench = PaperBench()
    index, level, log, _ = NARROW.answers(bench, COUNT, PS // 2)
    up = (1 << 32) - 1 - int(log["before_ticks"][-1])
    for name in ("before_ticks", "after_ticks"):
        log[name] = (log[name] + np.uint64(up)) % np.uint64(1 << 32)
    assert log["after_ticks"][-1] < log["before_ticks"][-1]
    seen = logged(index, level, log, Rates(bench.rate_hz, NARROW.tick_hz, 10.0))
    assert seen.test.holds


def test_what_the_environment_tells():
    cpus = [{"cpu": 2, "minimum_khz": 800_000, "maximum_khz": 3_600_000}, {"cpu": 0}, {"cpu": True}]
    assert cpus_of({"cpus": cpus}) == [0, 2]
    assert cpus_of({"cpus": "many"}) == cpus_of({}) == cpus_of({"cpus": [3, {"cpu": "x"}]}) == []
    assert of_environment({"cpus": cpus}, {"invariant": "1"}) == []
    told = _frequencies({"cpus": [{"governor": "power\x07save"}, {"governor": "x" * 500}]})
    assert told["governor"].isprintable()
    assert len(told["governor"]) <= 200
    assert common_findings.shown("a\nb\x1b[2J") == "ab[2J"
    (found,) = of_environment({"cpus": cpus}, {"invariant": "0"})
    assert found.kind == "counter varies"
    assert "800 to 3600 MHz" in found.text


BENCH = """
[[virtual.core]]
[[virtual.core]]
ahead = "2 us"
[[virtual.core]]
"""


def test_the_whole_chain_on_the_virtual_bench():
    text = load_fixture("virtual").text.replace('"24 MHz"', '"4 MHz"') + BENCH
    opener = partial(open_bench, every_channel=True)
    settings = CalibrationSettings(seconds=2)
    steps = chosen(["counter"])
    (outcome,) = run_steps(parse_fixture(text, "test"), steps, opener, settings=settings)
    assert [each.kind for each in outcome.findings] == ["core counters apart"]
    rate = outcome.record.quantity("counter_rate")
    assert rate is not None
    assert abs(rate.value + 12) <= 2 * rate.standard_uncertainty < 0.1
    for subject, ahead_ns in (("core 1", 2000), ("core 2", 0)):
        found = outcome.record.quantity("core_ahead", subject)
        assert found is not None
        assert abs(found.value - ahead_ns) <= 2 * found.standard_uncertainty < 100
    assert outcome.record.conditions["cores"] == "0 1 2"
