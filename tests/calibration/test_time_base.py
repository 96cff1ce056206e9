# SPDX-License-Identifier: GPL-3.0-or-later
"""Time base: rates within their uncertainty, resonators and wrong rates named, wander known."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from calibration.estimate.rate import Rate, pps_brackets, rate_of
from calibration.runner import chosen, run_steps
from calibration.settings import CalibrationSettings, CounterReading, parse_channel, parse_counter
from calibration.steps.time_base import Compared, compare, findings
from calibration.trains import Sent, dithering_train
from rig.analysis.clocks.brackets import Rates, stamp_brackets
from rig.bench.open import open_bench
from rig.config.fixture import load_fixture, parse_fixture
from rig.errors import InputError
from tests.calibration.measured import PS, PaperBench, covered
from tests.chip import CHIP, CLOCK_HZ

SECONDS = 12
PULSES_A_SECOND = 50


def drawn(seed: int, resonator: bool | None = None) -> PaperBench:
    rng = np.random.default_rng(2000 + seed)
    wide = rng.random() < 0.5 if resonator is None else resonator
    limit = 5_000_000 if wide else 80_000
    return PaperBench(
        rate_hz=int(rng.choice((50_000, 1_000_000, 24_000_000, 100_000_000))),
        stimulus_ppb=int(rng.integers(-limit, limit)),
        analyzer_ppb=int(rng.integers(-50_000, 50_000)),
        start_ps=int(rng.integers(0, PS)),
        seed=seed,
    )


def rate_on(bench: PaperBench, seconds: int = SECONDS) -> Rate:
    interval = CLOCK_HZ // PULSES_A_SECOND
    train = dithering_train(CHIP, bench.rate_hz, seconds * PULSES_A_SECOND, 3, interval)
    ticks = train.edges(0, train.count)
    brackets = stamp_brackets(bench.shown(ticks, 0, 1), ticks)
    return rate_of(brackets, Rates(bench.rate_hz, CLOCK_HZ, 10.0))


def true_ppm(bench: PaperBench) -> float:
    return ((1e9 + bench.stimulus_ppb) / (1e9 + bench.analyzer_ppb) - 1) * 1e6


def test_rates_are_within_their_uncertainty_on_100_benches():
    inside, relative = 0, []
    for seed in range(100):
        bench = drawn(seed)
        found = rate_on(bench)
        assert found.straight
        inside += covered(found.ppm, true_ppm(bench), 1e-7)
        relative.append(found.ppm.standard_uncertainty)
    assert inside >= 95
    assert np.median(relative) < 0.1


@pytest.mark.truth
def test_resonators_are_named_and_no_crystal_is():
    for seed in range(40):
        bench = drawn(seed, resonator=True)
        found = findings(Compared(rate_on(bench), None, ""))
        if abs(true_ppm(bench)) > 201:
            assert [each.kind for each in found] == ["ceramic resonator"]
    for seed in range(200):
        bench = drawn(seed, resonator=False)
        assert findings(Compared(rate_on(bench, 6), None, "")) == ()


@pytest.mark.parametrize("rate_hz", [50_000, 1_000_000, 12_000_000, 24_000_000, 100_000_000])
def test_a_wrong_rate_is_named(rate_hz):
    bench = PaperBench(rate_hz=rate_hz)
    interval = CLOCK_HZ // PULSES_A_SECOND
    train = dithering_train(CHIP, rate_hz, 300, 3, interval)
    ticks = train.edges(0, train.count)
    brackets = stamp_brackets(bench.shown(ticks, 0, 1), ticks)
    for said_hz in (rate_hz * 2, rate_hz * 51 // 50, rate_hz // 3):
        found = rate_of(brackets, Rates(said_hz, CLOCK_HZ, 10.0))
        assert [each.kind for each in findings(Compared(found, None, ""))] == ["wrong rate"]


def test_a_resonator_that_drifts_gives_its_mean_and_is_named():
    for drift_ppb_per_s in (300, 3_000, 9_000):
        bench = PaperBench(
            rate_hz=1_000_000, stimulus_ppb=10_000, stimulus_drift_ppb_per_s=drift_ppb_per_s
        )
        found = rate_on(bench)
        span_s = found.seconds
        mean_ppm = 10 + drift_ppb_per_s / 1000 * (0.002 + span_s / 2)
        assert not found.straight
        assert covered(found.ppm, mean_ppm, 1e-3)
        # Of a linear drift D the Allan deviation is D tau / sqrt(2): NIST SP 1065, 5.2.
        wander = next(each for each in found.wander if each.tau_s == 4)
        expected_ppb = drift_ppb_per_s * 4 / 2**0.5
        assert wander.deviation.value == pytest.approx(expected_ppb, rel=0.1, abs=wander.floor_ppb)
        kinds = [each.kind for each in findings(Compared(found, None, ""))]
        assert kinds == (["ceramic resonator"] if drift_ppb_per_s > 1000 else [])


def compared(bench: PaperBench, own: Rate, settings: CalibrationSettings, pps=None) -> Compared:
    heard = None if pps is None else _Heard(pps)
    sent = Sent(dithering_train(CHIP, bench.rate_hz, 2, 1), heard, None, None)  # type: ignore[arg-type]
    found, said = compare(own, settings, sent, bench.rate_hz)
    assert said == ()
    return found


class _Heard:
    """Only a pulse a second."""

    def __init__(self, index):
        self._index = index

    def of_channel(self, channel):
        assert channel == 7
        return self._index, np.ones(len(self._index), np.uint8)


def test_the_time_base_is_known_by_a_counter():
    inside = 0
    for seed in range(100):
        bench = drawn(seed)
        limit_hz = 0.5
        true_hz = CLOCK_HZ * (1 + bench.stimulus_ppb / 1e9)
        reading = CounterReading(
            true_hz + bench.rng.uniform(-limit_hz, limit_hz), limit_hz, CLOCK_HZ
        )
        found = compared(bench, rate_on(bench, 6), CalibrationSettings(counter=reading)).time_base
        assert found is not None
        inside += covered(found, bench.analyzer_ppb / 1e3, 1e-7)
    assert inside >= 95


def test_the_time_base_is_known_by_a_pulse_a_second():
    inside = 0
    for seed in range(100):
        bench = drawn(seed)
        times = np.arange(60) * PS + bench.rng.integers(-50_000, 50_001, 60) + bench.start_ps
        kept = np.delete(times, [20, 21, 33])  # a receiver may lose its fix for a moment
        settings = CalibrationSettings(pps_channel=7, pps_limit_ns=50)
        own = rate_on(bench, 6)
        found = compared(bench, own, settings, bench.samples(kept)).time_base
        assert found is not None
        inside += covered(found, bench.analyzer_ppb / 1e3, 1e-7)
    assert inside >= 95


def test_pulses_that_are_no_seconds_are_refused():
    rates = Rates(1_000_000, 10**9, 10.0)
    for index in ([0], [0, 500_000], [0, 1_000_000, 1_010_000]):
        with pytest.raises(ValueError, match="one second apart"):
            pps_brackets(np.array(index, np.int64), rates, 100)


def test_an_analyzer_that_is_off_is_named_with_what_knows_better():
    bench = PaperBench(stimulus_ppb=38_000, analyzer_ppb=700_000)
    reading = CounterReading(CLOCK_HZ * (1 + 38e-6), 0.2, CLOCK_HZ)
    found = compared(bench, rate_on(bench, 6), CalibrationSettings(counter=reading))
    assert [each.kind for each in findings(found)] == ["time base off"]


def test_samples_that_were_lost_leave_no_rate():
    bench = PaperBench(rate_hz=1_000_000)
    ticks = dithering_train(CHIP, bench.rate_hz, 600, 3, CLOCK_HZ // PULSES_A_SECOND).edges(0, 600)
    sample = bench.shown(ticks, 0, 1)
    sample[300:] -= 5000
    with pytest.raises(ValueError, match="no one clock"):
        rate_of(stamp_brackets(sample, ticks), Rates(bench.rate_hz, CLOCK_HZ, 10.0))


def test_what_is_typed_in():
    assert parse_counter("16000123.4 Hz +- 0.2 Hz", CLOCK_HZ) == CounterReading(
        16000123.4, 0.2, CLOCK_HZ
    )
    assert parse_counter("15999000Hz ± 1e-1Hz", CLOCK_HZ) == CounterReading(
        15999000.0, 0.1, CLOCK_HZ
    )
    assert parse_channel("--pps", "D7") == 7
    for text in ("16000123.4", "16 MHz +- 1 Hz", "8000000 Hz +- 1 Hz", "16000000 Hz +- 0 Hz",
                 "16000000 Hz +- . Hz", "16000000 Hz +- 1e999 Hz"):  # fmt: skip
        with pytest.raises(InputError, match=r"valid: .*Hz \+- "):
            parse_counter(text, CLOCK_HZ)
    for text in ("7", "D64", "D-1", ""):
        with pytest.raises(InputError, match="valid: D0 to D63"):
            parse_channel("--pps", text)
    with pytest.raises(InputError, match="valid: 2 to"):
        CalibrationSettings(seconds=1)


BENCH = """
[virtual.jumpers]
pps = "D7"
pps_jitter = "30 ns"
"""


def test_samples_lost_in_silence_are_said():
    text = load_fixture("virtual").text.replace('"24 MHz"', '"1 MHz"')
    text += '[virtual.misbehave]\ndrop = 0.002\ndrop_length = "300 us"\n'
    opener = partial(open_bench, every_channel=True)
    steps = chosen(["time-base"])
    (outcome,) = run_steps(
        parse_fixture(text, "test"), steps, opener, settings=CalibrationSettings(seconds=2)
    )
    assert not outcome.passed
    assert {each.kind for each in outcome.findings} <= {"no rate", "train not seen"}


def test_the_whole_chain_on_the_virtual_bench():
    text = load_fixture("virtual").text.replace('"24 MHz"', '"1 MHz"')
    text = text.replace("analyzer_error_ppb = 0", "analyzer_error_ppb = 20_000") + BENCH
    settings = CalibrationSettings(seconds=6, pps_channel=7, pps_limit_ns=40)
    opener = partial(open_bench, every_channel=True)
    steps = chosen(["time-base"])
    (outcome,) = run_steps(parse_fixture(text, "test"), steps, opener, settings=settings)
    assert outcome.findings == ()
    base, own = (outcome.record.quantity(name) for name in ("time_base", "stimulus_rate"))
    assert base is not None
    assert own is not None
    assert abs(base.value - 20) <= 2 * base.standard_uncertainty < 0.5
    truth = ((1 + 38e-6) / (1 + 20e-6) - 1) * 1e6
    assert abs(own.value - truth) <= 2 * own.standard_uncertainty < 0.05
    assert outcome.record.conditions["reference"] == "pulse a second"
    assert outcome.record.quantity("allan_deviation", "1 s") is not None
