# SPDX-License-Identifier: GPL-3.0-or-later
"""The counter over the processor's frequencies: dependence found, named, and all given back."""

from __future__ import annotations

import threading
from functools import partial

import numpy as np
import pytest

from calibration.context import StepContext, StoppedError
from calibration.estimate.estimate import Estimate
from calibration.estimate.stability import by_level, rate_at, spread, surely, there_and_back
from calibration.runner import chosen, run_steps
from calibration.settings import CalibrationSettings
from calibration.steps.counter import STEP, _frequencies
from calibration.steps.counter_frequency import (
    HeldTurn,
    _not_reached,
    stability_findings,
    vary,
)
from calibration.steps.counter_turns import Turn
from rig.analysis.clocks.brackets import Rates
from rig.bench.open import open_bench
from rig.config.calibration.names import COUNTER_STABILITY
from rig.config.fixture import load_fixture, parse_fixture
from rig.instruments import LOG_RECORD
from tests.calibration.measured import PS, PaperBench, PaperTarget, covered

LEVELS = (800_000, 2_200_000, 3_600_000)
COUNT = 200


def drawn(seed: int) -> tuple[PaperBench, PaperTarget]:
    rng = np.random.default_rng(9000 + seed)
    bench = PaperBench(
        rate_hz=int(rng.choice((1_000_000, 24_000_000, 100_000_000))),
        analyzer_ppb=int(rng.integers(-50_000, 50_000)),
        seed=seed,
    )
    return bench, PaperTarget(
        tick_hz=int(rng.choice((25_000_000, 1_000_000_000, 3_000_000_000))),
        error_ppb=int(rng.integers(-50_000, 50_000)),
        drift_ppb_per_s=int(rng.integers(-10, 11)),
        write_ps=int(rng.integers(40_000, 3_000_001)),
    )


def rates_by_level(bench, target, error_ppb_of, count=COUNT, levels=LEVELS) -> dict[int, Estimate]:
    """Turns there and back; the counter of each level has an error of its own."""
    rates = Rates(bench.rate_hz, target.tick_hz, 10.0)
    turns, at_ps = [], PS
    for khz in there_and_back(levels):
        held = PaperTarget(**{**vars(target), "error_ppb": error_ppb_of(khz)})
        pause_ps = int(bench.rng.integers(PS // 100, PS // 2))
        seen, at_ps = held.logged(bench, count, at_ps + pause_ps)
        turns.append(rate_at(khz, seen, rates))
    return by_level(turns)


def test_a_dependence_is_within_its_uncertainty_on_100_benches():
    inside = named = 0
    for seed in range(100):
        bench, target = drawn(seed)
        ppb = int(bench.rng.integers(-80_000, 80_001))

        def error_ppb(khz, own=target.error_ppb, ppb=ppb):
            return own + ppb * (LEVELS[2] - khz) // (LEVELS[2] - LEVELS[0])

        rates = rates_by_level(bench, target, error_ppb)
        found = spread(rates)
        truth = abs(ppb) / 1e3 / (1 + bench.analyzer_ppb * 1e-9)
        inside += covered(found, truth, 1e-6)
        sure = surely(found) > 1
        named += [each.kind for each in stability_findings(rates)] == (
            ["counter varies with frequency"] if sure else []
        )
        assert surely(found) <= truth + 1e-3  # hard limits
    assert inside >= 95
    assert named == 100


@pytest.mark.truth
def test_counters_that_keep_their_rate_are_no_alarm_on_200_benches():
    for seed in range(200):
        bench, target = drawn(seed)
        rates = rates_by_level(
            bench, target, lambda _khz, own=target.error_ppb: own, 40, LEVELS[:2]
        )
        assert stability_findings(rates) == []
        assert covered(spread(rates), 0.0, 1e-3)


def test_drift_that_is_even_is_no_dependence():
    """Half a ppm between the first turn and the last, and a clock for which no line fits."""
    bench = PaperBench(rate_hz=100_000_000)
    target = PaperTarget(drift_ppb_per_s=400)
    rates = rates_by_level(bench, target, lambda _khz: target.error_ppb, 500)
    assert stability_findings(rates) == []
    assert covered(spread(rates), 0.0)


@pytest.mark.parametrize("seed", range(5))
def test_a_counter_that_follows_is_named_by_its_ratio(seed):
    bench, target = drawn(seed)

    def error_ppb(khz):
        return round((1e9 + target.error_ppb) * khz / LEVELS[2]) - 10**9

    rates = rates_by_level(bench, target, error_ppb)
    truth = (1e6 + target.error_ppb / 1e3) * (1 - 800 / 3600) / (1 + bench.analyzer_ppb * 1e-9)
    assert covered(spread(rates), truth, 0.01)
    (finding,) = stability_findings(rates)
    assert finding.kind == "counter follows frequency"
    assert "77.8 %" in finding.text
    assert finding.fault


def test_limits_of_the_spread():
    limits = partial(Estimate.between, n=10)
    found = spread({1: limits(-1.0, 1.0), 2: limits(0.0, 3.0), 3: limits(9.0, 10.0)})
    assert (found.value, found.n) == (pytest.approx((8 + 11) / 2), 30)
    assert surely(found) == pytest.approx(8)
    assert surely(spread({1: limits(-1.0, 1.0), 2: limits(0.0, 3.0)})) == pytest.approx(0, abs=1e-9)


def test_a_processor_that_does_not_run_as_told_is_noted():
    nothing = Turn(0, np.empty(0, LOG_RECORD), 0, 0)
    turns = [
        HeldTurn(khz, ran, nothing)
        for khz, ran in ((800_000, 810_000), (2_200_000, None), (3_600_000, 2_400_000))
    ]
    (finding,) = _not_reached(turns)
    assert not finding.fault
    assert finding.text.endswith("2400 MHz at 3600 MHz")
    assert _not_reached(turns[:2]) == []


def test_the_range_is_told_by_kernels_in_texts():
    cpus = [{"minimum_khz": "800000", "maximum_khz": "3600000"}, {"minimum_khz": "many"}]
    assert _frequencies({"cpus": cpus}) == {"frequency range": "800 to 3600 MHz"}


# --- the virtual bench ---------------------------------------------------------------------------


def fixture(more: str = ""):
    text = load_fixture("virtual").text.replace('"24 MHz"', '"4 MHz"')
    return parse_fixture(f"{text}\n{more}\n", "test")


def outcome_of(more: str):
    opener = partial(open_bench, every_channel=True)
    steps = chosen(["counter"])
    (outcome,) = run_steps(fixture(more), steps, opener, settings=CalibrationSettings(seconds=2))
    return outcome


TRUE_PPM = {
    "": 0.0,
    "counter_error_ppb = -5000": 5.0,
    "counter_follows = true": (1e6 - 12) * (1 - 800 / 3600),
}
_VARIES = "counter_error_ppb = -5000"
KINDS = {
    "": [],
    _VARIES: ["counter varies with frequency"],
    "counter_follows = true": ["counter follows frequency"],
}


@pytest.mark.parametrize(
    "keys", ["", "counter_follows = true", pytest.param(_VARIES, marks=pytest.mark.slow)]
)
def test_the_whole_chain_on_the_virtual_bench(keys):
    outcome = outcome_of(f"[[virtual.core]]\n[[virtual.core]]\n[virtual.frequency]\n{keys}")
    assert [each.kind for each in outcome.findings] == KINDS[keys]
    assert all(each.fault and each.remedy for each in outcome.findings)
    found = outcome.record.quantity(COUNTER_STABILITY)
    assert abs(found.value - TRUE_PPM[keys]) <= 2 * found.standard_uncertainty + 1e-3
    highest = outcome.record.quantity("counter_rate", "3600 MHz")
    assert abs(highest.value + 12) <= 2 * highest.standard_uncertainty
    assert outcome.record.conditions["frequencies held"] == "800 MHz, 2200 MHz, 3600 MHz"
    # What all other turns see is the counter as it is when nothing is held.
    rate = outcome.record.quantity("counter_rate")
    assert abs(rate.value + 12) <= 2 * rate.standard_uncertainty
    assert outcome.record.quantity("core_ahead", "core 1") is not None


def test_what_was_not_tried_is_a_note_with_the_reason():
    outcome = outcome_of('[virtual.frequency]\ncontrol = "refused"')
    (note,) = outcome.findings
    assert (note.kind, note.fault) == ("frequency not varied", False)
    assert note.text.endswith("cpu 0's frequency may not be set; start the agent as root")
    assert note.remedy
    assert note.text in outcome.record.findings
    assert outcome.passed
    assert outcome.record.quantity(COUNTER_STABILITY) is None
    assert outcome.record.quantity("counter_rate") is not None


@pytest.mark.parametrize(
    ("key", "why"),
    [
        ('control = "none"', "cpu 0 has no cpufreq: this kernel does not set its frequency"),
        ('maximum = "800 MHz"', "it is fixed at 800 MHz"),
        ("", "its agent does not know how"),
    ],
)
def test_where_nothing_can_be_set_nothing_is_measured(key, why):
    with open_bench(fixture(f"[virtual.frequency]\n{key}"), every_channel=True) as bench:
        if not key:
            bench.target.greeting = {"loads": "cpu"}  # as that of an older agent
        found = vary(StepContext(fixture(), bench), None, [0], 2, pytest.fail)
    assert found.turns == []
    (note,) = found.findings
    assert (note.kind, note.fault) == ("frequency not varied", False)
    assert note.text.endswith(why)


def test_stopped_in_the_middle_it_is_given_back():
    stop = threading.Event()
    held: list[str] = []
    with open_bench(fixture(), every_channel=True) as bench:
        agent = bench.target

        def progress(text: str) -> None:
            held.append(text)
            if "2200 MHz" in text:
                stop.set()

        with pytest.raises(StoppedError):
            STEP.run(StepContext(fixture(), bench, stop, CalibrationSettings(seconds=2)), progress)
        assert held[-1] == "processor at 2200 MHz"
        state = agent.frequency("STATE cpu=0")
        assert state["held_khz"] == "0"
        assert state["current_khz"] == "3600000"
