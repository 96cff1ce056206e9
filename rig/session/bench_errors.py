# SPDX-License-Identifier: GPL-3.0-or-later
"""What is known of the errors of the bench that a run was made on."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from dataclasses import replace

from rig.analysis.budget.analyzers import bench_by_maker, virtual_bench
from rig.analysis.budget.bench import Bench, edge_shape
from rig.analysis.budget.contribution import Quantity, limits
from rig.config.fixture import Fixture, parse_fixture
from rig.config.uncertainty import EdgeShape, LineDelay
from rig.errors import InputError

_SOURCE = "fixture"


def bench_of(fixture: Fixture | None, driver: str, sample_rate_hz: int) -> Bench:
    """The fixture's word goes before the maker's. `fixture` None: not known, as of a capture."""
    sample_ns = 1e9 / sample_rate_hz
    if fixture is None:
        return bench_by_maker(driver, sample_ns)
    if fixture.virtual is not None:
        virtual = fixture.virtual
        drifts = virtual.analyzer_drift_ppb_per_s != 0
        bench = virtual_bench(sample_ns, virtual.analyzer_error_ppb, drifts=drifts)
        if virtual.delays:  # made to be found by a calibration: the rig is not told
            bench = replace(bench, skew_ns=None, line_ns=None)
    else:
        bench = bench_by_maker(driver, sample_ns)
    known = fixture.uncertainty
    if (clock := fixture.clocks.analyzer) is not None:
        time_base = limits(clock.ppb / 1000, "ppm", "fixture: kind of the analyzer's clock")
        bench = replace(bench, time_base_ppm=time_base)
    if known.time_base_ppb is not None:
        time_base = limits(known.time_base_ppb / 1000, "ppm", _SOURCE)
        bench = replace(bench, time_base_ppm=time_base)
    if known.channel_skew_ps is not None:
        bench = replace(bench, skew_ns=limits(known.channel_skew_ps / 1000, "ns", _SOURCE))
    if known.edges is not None:
        bench = replace(bench, edge_shape_ns=_edge_shape(known.edges))
    if known.line is not None:
        bench = replace(bench, line_ns=_line_delay(known.line))
    return bench


def bench_of_run(texts: Mapping[str, str], sample_rate_hz: int) -> Bench:
    """From the texts that a run file holds; those of an older rig may not be readable any more."""
    fixture = None
    with contextlib.suppress(InputError):
        fixture = parse_fixture(texts.get("fixture", ""), "fixture")
    driver = ""
    with contextlib.suppress(ValueError, RecursionError):
        analyzer = json.loads(texts.get("environment/analyzer", ""))
        driver = str(analyzer.get("driver", "")) if isinstance(analyzer, dict) else ""
    return bench_of(fixture, driver, sample_rate_hz)


def _edge_shape(edges: EdgeShape) -> Quantity:
    return edge_shape(
        edges.stimulus_rise_ps / 1000,
        edges.response_rise_ps / 1000,
        edges.threshold_low_percent / 100,
        edges.threshold_high_percent / 100,
    )


def _line_delay(line: LineDelay) -> Quantity:
    return limits(line.tolerance_ps / 1000, "ns", _SOURCE, estimate=line.delay_ps / 1000)
