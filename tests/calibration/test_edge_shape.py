# SPDX-License-Identifier: GPL-3.0-or-later
"""Samples that are not alike: uneven ones measured, missing codes and dropped blocks named."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.estimate.codes import PERIOD, codes, dropped_blocks
from calibration.formatting import lines_of
from calibration.runner import chosen, run_steps
from calibration.steps.edge_shape import findings
from calibration.trains import dithering_train
from rig.bench.open import open_bench
from rig.config.fixture import load_fixture, parse_fixture
from tests.calibration.measured import PaperBench, covered
from tests.chip import CHIP

COUNT = 4000


def unevenly(times_ps, late: np.ndarray, rate_hz: int) -> np.ndarray:
    """Indexes by samples of which number k is taken late[k % PERIOD] of a sample too late."""
    x = np.array([float(time) for time in times_ps]) * rate_hz / 1e12
    guess = np.floor(x).astype(np.int64) - 1
    index = np.full(len(x), -1, np.int64)
    for ahead in range(5):
        sample = guess + ahead
        there = (index < 0) & (sample + late[sample % PERIOD] >= x)
        index[there] = sample[there]
    return index


def train_of(bench: PaperBench, count: int = COUNT):
    ticks = dithering_train(CHIP, bench.rate_hz, count, bench.seed).edges(0, count)
    return ticks, bench.times_ps(ticks)


def test_uneven_samples_are_within_their_uncertainty_on_100_benches():
    inside = total = 0
    for seed in range(100):
        bench = PaperBench(rate_hz=24_000_000, seed=seed, stimulus_ppb=20_000 + 1000 * seed)
        late = bench.rng.uniform(-0.2, 0.2, PERIOD)
        ticks, times = train_of(bench)
        seen = codes(unevenly(times, late, bench.rate_hz), ticks)
        width = late - np.roll(late, 1)
        fine = [covered(each, truth) for each, truth in zip(seen.width, width, strict=True)]
        inside += sum(fine)
        total += PERIOD
        assert [each.kind for each in findings(seen)] == ["uneven samples"]
    assert inside >= 0.95 * total


@pytest.mark.truth
def test_no_false_alarm_on_200_healthy_benches():
    for seed in range(200):
        rng = np.random.default_rng(seed)
        bench = PaperBench(
            rate_hz=int(rng.choice((50_000, 1_000_000, 24_000_000, 100_000_000))),
            stimulus_ppb=int(rng.integers(-5_000_000, 5_000_000)),
            seed=seed,
        )
        ticks, _ = train_of(bench, 2000)
        sample = bench.shown(ticks, 0, 1)
        assert dropped_blocks(sample, ticks) == ()
        seen = codes(sample, ticks)
        assert findings(seen) == ()
        assert covered(seen.jitter, 0.0)


@pytest.mark.parametrize("repeat", [2, 3, 4, 5, 8])
def test_a_rate_that_is_made_up_is_named(repeat):
    bench = PaperBench()
    ticks, _ = train_of(bench)
    sample = -(-bench.shown(ticks, 0, 1) // repeat) * repeat
    (found,) = findings(codes(sample, ticks))
    assert found.kind == "missing codes"
    if repeat < 4:
        assert f"of every {repeat} samples only 1" in found.text


@given(
    places=st.dictionaries(st.integers(0, 398), st.integers(4, 5000), max_size=8),
    rate_hz=st.sampled_from((50_000, 1_000_000, 24_000_000)),
    ppb=st.integers(-5_000_000, 5_000_000),
)
def test_dropped_blocks_are_found_where_they_are(places, rate_hz, ppb):
    bench = PaperBench(rate_hz=rate_hz, stimulus_ppb=ppb)
    ticks, _ = train_of(bench, 400)
    sample = bench.shown(ticks, 0, 1)
    lost = {
        place: min(size, int(sample[place + 1] - sample[place])) for place, size in places.items()
    }
    gone = np.zeros(400, np.int64)
    for place, size in lost.items():
        gone[place + 1 :] += size
    found = dropped_blocks(sample - gone, ticks)
    assert [each.sample for each in found] == [int((sample - gone)[p]) for p in sorted(lost)]
    for each, place in zip(found, sorted(lost), strict=True):
        assert abs(each.samples - lost[place]) <= 2


@pytest.mark.parametrize(
    ("more", "kinds"),
    [
        ("", []),
        ("[virtual.sampling]\nrepeat = 2", ["missing codes"]),
        ('[virtual.sampling]\nodd_early = "8 ns"', ["uneven samples"]),
        ('[virtual.misbehave]\ndrop = 0.002\ndrop_length = "20 us"', ["dropped blocks"]),
    ],
)
def test_the_whole_chain_on_the_virtual_bench(more, kinds):
    fixture = parse_fixture(f"{load_fixture('virtual').text}\n{more}\n", "test")
    opener = partial(open_bench, every_channel=True)
    (outcome,) = run_steps(fixture, chosen(["edge-shape"]), opener)
    assert [each.kind for each in outcome.findings] == kinds
    expected = 0.008 * 24 if "odd_early" in more else 0.0
    if kinds in ([], ["uneven samples"]):
        fine = [
            abs(abs(found.value) - expected) <= 2.5 * found.standard_uncertainty
            for found in outcome.record.quantities
            if found.name == "differential_nonlinearity"
        ]
        assert len(fine) == PERIOD
        assert sum(fine) >= PERIOD - 2
        assert "roof" in outcome.drawing
        lines = lines_of(outcome)
        assert len(lines) <= 12
        assert lines[-1] == f"{PERIOD} more values are in the record"
        assert len(outcome.record.quantities) == PERIOD + 1
