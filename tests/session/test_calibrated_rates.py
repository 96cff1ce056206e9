# SPDX-License-Identifier: GPL-3.0-or-later
"""Rates that were calibrated hold for the two clocks they were found of, and for no others."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from rig.analysis.model.wiring import Wiring
from rig.analysis.uncertainty.clock_limits import COUNTER, STIMULUS
from rig.analysis.uncertainty.error_model import BenchErrorModel
from rig.config.calibration.names import (
    COUNTER_RATE,
    COUNTER_STEP,
    STIMULUS_RATE,
    TIME_BASE_STEP,
    depends_on,
    pair_of,
)
from rig.config.calibration.record import CalibratedQuantity, Calibration, CalibrationRecord
from rig.config.calibration.validity import judge, valid_records
from rig.session.calibrated_error_model import calibrated_bench

PRESENT = {
    "analyzer_driver": "fx2lafw",
    "analyzer_model": "Saleae Logic",
    "analyzer_connection": "1d50.608c",
    "sample_rate_hz": "24000000",
    "stimulus_model": "uno",
    "stimulus_serial": "7",
    "stimulus_port": "/dev/ttyACM0",
    "target_link": "ssh:board",
    "tick_hz": "1000000000",
}
NOW = datetime(2026, 1, 2, tzinfo=UTC)
BENCH, WIRING = BenchErrorModel(1e9 / 24_000_000), Wiring(0, 1)


def record(step: str, name: str, ppm: float, *, pair: bool = True) -> CalibrationRecord:
    instruments = depends_on(step, PRESENT) | (pair_of(step, PRESENT) if pair else {})
    return CalibrationRecord(
        step, NOW, (CalibratedQuantity(name, ppm, "ppm", 0.1, 1000),), instruments=instruments
    )


def calibrated(present: dict[str, str], *, pair: bool = True) -> dict[str, tuple[float, float]]:
    records = (
        record(TIME_BASE_STEP, STIMULUS_RATE, 1800.0, pair=pair),
        record(COUNTER_STEP, COUNTER_RATE, -40.0, pair=pair),
    )
    holding = valid_records(judge(Calibration("bench", records), present, NOW.date()))
    bench, _ = calibrated_bench(BENCH, holding, WIRING, 16_000_000, present)
    known = () if bench.clocks is None else bench.clocks.calibrated
    return {each.clock: (each.ppm, each.within_ppm) for each in known}


def test_both_hold_on_the_bench_that_they_were_found_on() -> None:
    found = calibrated(PRESENT)
    assert found == {
        STIMULUS: (1800.0, pytest.approx(0.3)),
        COUNTER: (-40.0, pytest.approx(0.3)),
    }


@pytest.mark.parametrize(
    ("changed", "left"),
    [
        ({"stimulus_serial": "8"}, {COUNTER}),
        ({"stimulus_port": "/dev/ttyACM1"}, {COUNTER}),
        ({"analyzer_connection": "1d50.608d"}, set()),
        ({"sample_rate_hz": "12000000"}, set()),
        ({"target_link": "ssh:other"}, {STIMULUS}),
        ({"tick_hz": "1000000001"}, {STIMULUS}),
    ],
)
def test_another_clock_of_the_pair_ends_it(changed: dict[str, str], left: set[str]) -> None:
    assert calibrated(PRESENT | changed).keys() == left


def test_a_record_that_does_not_tell_its_pair_narrows_nothing() -> None:
    assert calibrated(PRESENT, pair=False) == {}
