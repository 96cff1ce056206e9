# SPDX-License-Identifier: GPL-3.0-or-later
"""Channel skew: known below a sample, by edge; every late channel named, and no other."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.estimate.skew import channel_skews, paired
from calibration.runner import chosen, run_steps
from calibration.steps.channel_skew import findings
from calibration.trains import dithering_train, reach_of
from rig.bench.open import open_bench
from rig.config.fixture import load_fixture, parse_fixture
from tests.calibration.measured import PaperBench, covered
from tests.chip import CHIP

RATES_HZ = (50_000, 1_000_000, 12_000_000, 24_000_000, 100_000_000)
COUNT = 1000


def skews_of(bench: PaperBench, channels=(0, 1, 2), count=COUNT):
    train = dithering_train(CHIP, bench.rate_hz, count, bench.seed)
    edges = {channel: bench.channel(train, channel) for channel in channels}
    return channel_skews(edges, 0, bench.pulses(train), reach_of(CHIP, train, bench.rate_hz))


def drawn(seed: int) -> PaperBench:
    """Clocks off, and skews of up to 3 samples, many of them less than one."""
    rng = np.random.default_rng(1000 + seed)
    rate_hz = int(rng.choice(RATES_HZ))
    sample_ps = 10**12 // rate_hz
    keys = [(0, 0), (1, 1), (1, 0), (2, 1), (2, 0)]
    delays = {key: int(rng.choice([0.3, 1, 3]) * rng.random() * sample_ps) for key in keys}
    return PaperBench(
        rate_hz=rate_hz,
        stimulus_ppb=int(rng.integers(-5_000_000, 5_000_000)),
        analyzer_ppb=int(rng.integers(-50_000, 50_000)),
        delays_ps=delays,
        seed=seed,
    )


SHARES = pytest.mark.parametrize(
    "seeds", [range(25), pytest.param(range(100), marks=pytest.mark.truth)], ids=["25 in CI", "100"]
)


@SHARES
def test_values_are_within_their_uncertainty_on_100_benches(seeds):
    inside, ratio = 0, []
    for seed in seeds:
        bench = drawn(seed)
        sample_ps = 1e12 / bench.rate_hz
        fine = True
        for channel, skew in skews_of(bench).items():
            for level, offset in ((1, skew.rising), (0, skew.falling)):
                assert offset is not None
                truth = bench.delays_ps.get((channel, level), 0) / sample_ps
                fine = fine and covered(offset.mean, truth, 1 / sample_ps)
                ratio.append(offset.mean.standard_uncertainty)
        inside += fine
    assert inside >= 0.95 * len(seeds)
    assert np.median(ratio) < 0.01  # a hundredth of a sample, from a thousand pulses


def test_late_channels_are_named_and_no_other():
    fixture = load_fixture("virtual")
    channels = tuple(range(5))
    for seed in range(12):
        bench = drawn(seed)
        found = findings(fixture, skews_of(bench, channels), 0, bench.rate_hz)
        named = {each.text.split(" edges")[0] for each in found}
        for (channel, level), delay_ps in bench.delays_ps.items():
            samples = delay_ps * bench.rate_hz / 1e12
            text = f"D{channel} shows {('falling', 'rising')[level]}"
            if samples > 0.1:
                assert text in named, (seed, samples)
            named.discard(text)
        assert not named


@pytest.mark.parametrize(
    "seeds",
    [range(20), pytest.param(range(20, 200), marks=pytest.mark.truth)],
    ids=["20 in CI", "180 more"],
)
def test_no_false_alarm_on_200_healthy_benches(seeds):
    fixture = load_fixture("virtual")
    for seed in seeds:
        bench = drawn(seed)
        bench.delays_ps = {}
        skews = skews_of(bench, tuple(range(5)), count=250)
        assert findings(fixture, skews, 0, bench.rate_hz) == ()


def test_a_train_that_never_slides_says_how_little_it_tells():
    bench = PaperBench(rate_hz=16_000_000, stimulus_ppb=0, delays_ps={(1, 1): 31_000})
    rising = skews_of(bench)[1].rising
    assert rising is not None
    assert rising.mean.standard_uncertainty > 0.3
    assert covered(rising.mean, 31_000 * 16e6 / 1e12)


@SHARES
@pytest.mark.parametrize("jitter_ns", [0.0, 0.3])
def test_a_train_that_hardly_slides_is_still_right(seeds, jitter_ns):
    """Clocks within 1 ppm of each other: edges meet few phases of the samples, and those slowly."""
    inside = 0
    for seed in seeds:
        rng = np.random.default_rng(9000 + seed)
        ppb = int(rng.integers(-1000, 1001))
        bench = PaperBench(
            stimulus_ppb=ppb, delays_ps={(1, 1): 31_000}, jitter_ps=1e3 * jitter_ns, seed=seed
        )
        rising = skews_of(bench, channels=(0, 1))[1].rising
        assert rising is not None
        inside += covered(rising.mean, 31_000 * 24e6 / 1e12)
    assert inside >= 0.95 * len(seeds)


@pytest.mark.slow
def test_noise_of_single_edges_becomes_the_spread():
    inside = 0
    for seed in range(12):
        bench = PaperBench(jitter_ps=4000, delays_ps={(1, 1): 20_000}, seed=seed)
        rising = skews_of(bench)[1].rising
        assert rising is not None
        inside += covered(rising.mean, 20_000 * 24e6 / 1e12)
        # Both channels' edges scatter alike.
        assert rising.spread.value == pytest.approx(4e-9 * 24e6, rel=0.3)
    assert inside >= 11


def test_a_drifting_resonator_is_followed():
    bench = PaperBench(stimulus_drift_ppb_per_s=9_000, delays_ps={(1, 1): 52_000})
    skew = skews_of(bench, count=4000)[1]
    assert skew.steady
    assert skew.rising is not None
    assert covered(skew.rising.mean, 52_000 * 24e6 / 1e12)


def test_edges_that_are_missing_or_too_many_are_counted():
    bench = PaperBench()
    train = dithering_train(CHIP, bench.rate_hz, COUNT, 1)
    index, level = bench.channel(train, 1)
    keep = np.ones(len(index), bool)
    keep[[10, 11, 400]] = False
    extra = (np.append(index[keep], index[600] + 200), np.append(level[keep], np.uint8(1)))
    order = np.argsort(extra[0], kind="stable")
    edges = {1: (extra[0][order], extra[1][order])}
    skew = channel_skews(edges, 0, bench.pulses(train), 480)[1]
    assert (skew.missing, skew.extra) == (3, 1)
    found = findings(load_fixture("virtual"), {0: skew, 1: skew}, 0, bench.rate_hz)
    assert [each.kind for each in found].count("edges differ") == 2
    assert [each.kind for each in found].count("not connected") == 3


@given(
    gaps=st.lists(st.integers(50, 500), min_size=1, max_size=60),
    shifts=st.lists(st.integers(-24, 24), min_size=60, max_size=60),
    gone=st.sets(st.integers(0, 59)),
)
def test_each_edge_is_paired_with_its_own(gaps, shifts, gone):
    reference = np.cumsum(gaps)
    there = [number for number in range(len(gaps)) if number not in gone]
    index = np.array([reference[number] + shifts[number] for number in there], np.int64)
    pairs = paired(reference, index, 24)
    for number, pair in enumerate(pairs.tolist()):
        assert pair == (there.index(number) if number in there else -1)


BENCH = """
[virtual.jumpers]
fan_out = "D0 D1 D2 D3 D4"
[[virtual.delay]]
channel = "D0"
skew_falling = "3.7 ns"
[[virtual.delay]]
channel = "D1"
skew_rising = "52.1 ns"
skew_falling = "12.5 ns"
"""


def test_the_whole_chain_on_the_virtual_bench():
    fixture = parse_fixture(load_fixture("virtual").text + BENCH, "test")
    opener = partial(open_bench, every_channel=True)
    (outcome,) = run_steps(fixture, chosen(["channel-skew"]), opener)
    assert outcome.passed
    assert [each.kind for each in outcome.findings] == ["skewed"] * 3
    truth = {"D0 falling": 3.7, "D1 rising": 52.1, "D1 falling": 12.5, "D2 rising": 0.0}
    for subject, skew_ns in truth.items():
        found = outcome.record.quantity("channel_skew", subject)
        assert found is not None
        assert abs(found.value - skew_ns) <= 2 * found.standard_uncertainty + 0.001
        assert found.standard_uncertainty < 0.5
    assert set(outcome.record.instruments) == {
        "analyzer_driver", "analyzer_model", "analyzer_connection", "sample_rate_hz",
    }  # fmt: skip


def test_a_train_that_is_not_fanned_out_is_said():
    fixture = load_fixture("virtual")
    (outcome,) = run_steps(
        fixture, chosen(["channel-skew"]), partial(open_bench, every_channel=True)
    )
    assert [each.kind for each in outcome.findings] == ["not connected"] * 4
