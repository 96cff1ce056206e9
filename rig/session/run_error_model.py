# SPDX-License-Identifier: GPL-3.0-or-later
"""The errors of the bench that a run was made on, as far as they are known."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import replace

from rig.analysis.uncertainty.analyzers import bench_by_maker, virtual_bench
from rig.analysis.uncertainty.chips import CAPTURE_TIMINGS, emulated_capture
from rig.analysis.uncertainty.clock_limits import ClockLimits
from rig.analysis.uncertainty.contribution import UncertainQuantity, limits
from rig.analysis.uncertainty.error_model import BenchErrorModel, edge_shape
from rig.config.fixture import Fixture
from rig.config.uncertainty import EdgeShape, LineDelay, UncertaintySettings
from rig.config.virtual.bench import VirtualSettings
from rig.session.clock_bounds import clock_limits, sheet_of
from rig.stimulus.chip import StimulusChip
from rig.untrusted.json_reader import json_value

_SOURCE = "fixture"


def bench_of(fixture: Fixture | None, driver: str, sample_rate_hz: int) -> BenchErrorModel:
    """Return a bench's errors, by its fixture before its maker. `fixture` None: a capture's."""
    sample_ns = 1e9 / sample_rate_hz
    clocks = clock_limits(fixture, driver)
    if fixture is None:
        return replace(bench_by_maker(sheet_of(driver), sample_ns), clocks=clocks)
    bench = (
        _virtual(fixture.virtual, fixture.stimulus.chip, sample_ns)
        if fixture.virtual
        else _real(fixture, driver, sample_ns)
    )
    bench = replace(bench, clocks=clocks)
    known = fixture.uncertainty
    if (clock := fixture.clocks.analyzer) is not None:
        time_base = limits(clock.ppb / 1000, "ppm", "fixture: kind of the analyzer's clock")
        bench = replace(bench, time_base_ppm=time_base)
    if known.time_base_ppb is not None:
        time_base = limits(known.time_base_ppb / 1000, "ppm", _SOURCE)
        bench = replace(bench, time_base_ppm=time_base)
    return _with_delays(bench, known)


def _real(fixture: Fixture, driver: str, sample_ns: float) -> BenchErrorModel:
    timing = CAPTURE_TIMINGS.get(fixture.stimulus.chip.name)
    return replace(bench_by_maker(sheet_of(driver), sample_ns), capture_timing=timing)


def _virtual(virtual: VirtualSettings, chip: StimulusChip, sample_ns: float) -> BenchErrorModel:
    """Return a virtual bench's errors without those that a calibration or a witness shall find."""
    drifts = virtual.analyzer_drift_ppb_per_s != 0
    bench = virtual_bench(sample_ns, virtual.analyzer_error_ppb, drifts=drifts)
    bench = replace(
        bench, capture_timing=emulated_capture(chip.title), capture_line_ns=bench.line_ns
    )
    if virtual.wiring.analyzer_rate_hz:
        bench = replace(bench, time_base_ppm=None)
    if virtual.delays or virtual.wiring.capture_is_late:
        bench = replace(bench, skew_ns=None, line_ns=None, capture_line_ns=None)
    return bench


def _with_delays(bench: BenchErrorModel, known: UncertaintySettings) -> BenchErrorModel:
    """Return the bench with what a fixture states of its channels, edges and wires."""
    if known.channel_skew_ps is not None:
        bench = replace(bench, skew_ns=limits(known.channel_skew_ps / 1000, "ns", _SOURCE))
    if known.edges is not None:
        bench = replace(bench, edge_shape_ns=_edge_shape(known.edges))
    if known.line is not None:
        bench = replace(bench, line_ns=_line_delay(known.line))
    if known.capture_line is not None:
        bench = replace(bench, capture_line_ns=_line_delay(known.capture_line))
    if known.delay_allowance_ps is not None:
        bench = replace(bench, delay_allowance_ns=known.delay_allowance_ps / 1000)
    return bench


def bench_of_run(
    fixture: Fixture | None, texts: Mapping[str, str], sample_rate_hz: int
) -> BenchErrorModel:
    """Return the bench of a run's fixture, if it can be read, and the texts that its file holds."""
    driver = ""
    with contextlib.suppress(ValueError):
        analyzer = json_value(texts.get("environment/analyzer", ""))
        driver = str(analyzer.get("driver", "")) if isinstance(analyzer, dict) else ""
    bench = bench_of(fixture, driver, sample_rate_hz)
    clocks = (bench.clocks or ClockLimits()).with_counter_rate_from(_rate_source(texts))
    return replace(bench, clocks=clocks)


def _rate_source(texts: Mapping[str, str]) -> str:
    """Return where the agent has its counter's rate from, by its own report; "" if not reported."""
    with contextlib.suppress(ValueError):
        target = json_value(texts.get("environment/target", ""))
        if isinstance(target, dict):
            return str(target.get("rate", ""))
    return ""


def _edge_shape(edges: EdgeShape) -> UncertainQuantity:
    return edge_shape(
        edges.stimulus_rise_ps / 1000,
        edges.response_rise_ps / 1000,
        edges.threshold_low_percent / 100,
        edges.threshold_high_percent / 100,
    )


def _line_delay(line: LineDelay) -> UncertainQuantity:
    return limits(line.tolerance_ps / 1000, "ns", _SOURCE, estimate=line.delay_ps / 1000)
