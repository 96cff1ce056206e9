# SPDX-License-Identifier: GPL-3.0-or-later
"""A skewed, delayed virtual bench, what is true of it, and calibrations that know or do not."""

from __future__ import annotations

import datetime as dt
import threading
from pathlib import Path

from rig.config.calibration import CalibratedQuantity, Calibration, CalibrationRecord
from rig.config.calibration.file import calibration_text
from rig.config.fixture import parse_fixture
from rig.config.plan import parse_plan
from rig.session.run import run
from rig.virtual.clock import VirtualClock
from rig.virtual.target import BOOT_TICKS
from rig.virtual.truth import load_truth
from tests.virtual_bench import virtual_fixture

NAME = "skewed"
RATE_HZ = 24_000_000
SAMPLE_NS = 1e9 / RATE_HZ
TIME_BASE_PPM = 100.0
TICK_HZ, TICK_ERROR_PPB = 1_000_000_000, -12_000
TOGGLE_NS = 400.0
COUNT = 1000
LINES = {"stimulus rising": 15.3, "response rising": 95.0, "response falling": 71.5}
SKEWS = {"D0 rising": 7.0, "D1 rising": 12.25, "D1 falling": 20.0}
"""Whole samples and parts of one, in ns."""
MADE = dt.datetime(2026, 1, 2, tzinfo=dt.UTC)

PLAN = f"""
[plan]
name = "skewed"
title = ""
measurement = "interrupt"
scenario = "idle"
[stimulus]
pattern = "uniform"
interval_min = "0.6 ms"
interval_max = "1.4 ms"
count = {COUNT}
seed = 3
pulse_width = "10 us"
polarity = "positive"
delay = "1 ms"
[capture]
resolution = "50 ns"
glitch_filter = "0 ns"
[response]
timeout = "5 ms"
"""


def fixture_text(truth: Path, uncertainty: str = "", apart_ns: float = 0.0) -> str:
    """The bench; `uncertainty`: what its maker tells of it; `apart_ns`: see records."""
    virtual = f"""\
[virtual.target]
model = "normal"
mean = "400 us"
deviation = "3 us"
minimum = "380 us"
seed = 5
toggle_time = "{TOGGLE_NS:g} ns"
clock = "1 GHz"
clock_error_ppb = {TICK_ERROR_PPB}
[virtual.clocks]
stimulus_error_ppb = 38_000
analyzer_error_ppb = {round(TIME_BASE_PPM * 1000)}
[[virtual.delay]]
channel = "D0"
line_rising = "{LINES["stimulus rising"]} ns"
skew_rising = "{SKEWS["D0 rising"]} ns"
[[virtual.delay]]
channel = "D1"
line_rising = "{LINES["response rising"]} ns"
line_falling = "{LINES["response falling"]} ns"
skew_rising = "{SKEWS["D1 rising"]} ns"
skew_falling = "{SKEWS["D1 falling"] + apart_ns} ns"
"""
    return virtual_fixture(NAME, virtual, truth=truth, uncertainty=uncertainty)


def measure(
    folder: Path,
    uncertainty: str = "",
    calibration: str = "",
    plan: str = PLAN,
    apart_ns: float = 0.0,
) -> tuple[Path, float]:
    """A run on it, in a file, and the true average in ns of what was to be measured."""
    source = folder / "skewed.toml"
    source.write_text(fixture_text(folder / "truth.bin", uncertainty, apart_ns))
    if calibration:
        (folder / "skewed.calibration.toml").write_text(calibration)
    fixture = parse_fixture(source.read_text(), str(source))
    path = folder / "run.h5"
    failure = run(parse_plan(plan, "plan"), fixture, path, lambda _live: None, threading.Event())
    assert failure is None, failure
    return path, true_average_ns(folder / "truth.bin")


def true_average_ns(truth_file: Path) -> float:
    """From the stimulus at the target's line to the moment its pin write begins."""
    wanted_ns = true_values_ns(truth_file)
    return sum(wanted_ns) / len(wanted_ns)


def true_values_ns(truth_file: Path) -> list[float]:
    """The same of each event."""
    truth, _ = load_truth(truth_file)
    clock = VirtualClock(TICK_HZ, TICK_ERROR_PPB, BOOT_TICKS)
    begun_ps = [clock.time_ps(int(ticks)) for ticks in truth["before_ticks"]]
    return [(b - int(s)) / 1e3 for b, s in zip(begun_ps, truth["stimulus_ps"], strict=True)]


def records(u_ns: float = 0.5, apart_ns: float = 0.0) -> tuple[CalibrationRecord, ...]:
    """What a calibration that knows the truth would say.

    `apart_ns`: by how much more the response's channel is late with falling edges.
    """
    skews = SKEWS | {"D1 falling": SKEWS["D1 falling"] + apart_ns}

    def record(step: str, *quantities: CalibratedQuantity) -> CalibrationRecord:
        return CalibrationRecord(
            step, MADE, quantities, instruments={"sample_rate_hz": str(RATE_HZ)}
        )

    return (
        record("time-base", CalibratedQuantity("time_base", TIME_BASE_PPM, "ppm", 0.05, 60)),
        record("channel-skew", *_of("channel_skew", skews, u_ns)),
        record("line-delay", *_of("line_delay", LINES, u_ns)),
        record("toggle", CalibratedQuantity("toggle_overhead", TOGGLE_NS / 2, "ns", 1.0, 1000)),
    )


def _of(name: str, values: dict[str, float], u_ns: float) -> list[CalibratedQuantity]:
    return [
        CalibratedQuantity(name, ns, "ns", u_ns, 1000, subject) for subject, ns in values.items()
    ]


def text(*found: CalibrationRecord, fixture: str = NAME) -> str:
    """A calibration file of these records."""
    return calibration_text(Calibration(fixture, found))
