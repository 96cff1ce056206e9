# SPDX-License-Identifier: GPL-3.0-or-later
"""Error models of benches without a calibration: makers' data, the fixture, a virtual bench.

Makers' data are only what a maker has written down; of others nothing is known until the fixture or
a calibration states it.
"""

from __future__ import annotations

from dataclasses import replace

from rig.analysis.uncertainty.contribution import calibrated, limits
from rig.analysis.uncertainty.error_model import BenchErrorModel, toggle
from rig.instruments import Datasheet

_SALEAE = "Saleae, support pages on time measurement error and worst-case channel skew"
DATASHEETS = {
    # Crystal that the chip asks for: CY7C68013A data sheet, "24 MHz, +-100 ppm".
    "fx2lafw": Datasheet(100.0, None, "FX2LP data sheet: crystal of +-100 ppm"),
    "saleae-logic16": Datasheet(200.0, 1.0, _SALEAE),
    "saleae-logic-pro": Datasheet(50.0, 1.0, _SALEAE),
}
"""Data sheets by libsigrok's name of the driver. Other kinds of analyzers have their own."""


def bench_by_maker(sheet: Datasheet | None, sample_ns: float) -> BenchErrorModel:
    """Return the error model by what the maker of an analyzer has written down of it."""
    if sheet is None:
        return BenchErrorModel(sample_ns)
    bench = BenchErrorModel(sample_ns, limits(sheet.time_base_ppm, "ppm", sheet.source))
    if sheet.skew_samples is None:
        return bench
    return replace(bench, skew_ns=limits(sheet.skew_samples * sample_ns, "ns", sheet.source))


def virtual_bench(
    sample_ns: float, analyzer_error_ppb: int, *, drifts: bool = False
) -> BenchErrorModel:
    """Return a virtual bench's model, without delays, with its fixture's error of the time base.

    If it `drifts`, that error depends on the length of the run: it is not known.
    """
    nothing = calibrated(0.0, 0.0, "ns", "virtual bench: its wires have no delay")
    if drifts:
        return BenchErrorModel(sample_ns, None, nothing, nothing, nothing)
    source = f"virtual bench: set to {analyzer_error_ppb:,} ppb"
    time_base = limits(abs(analyzer_error_ppb) / 1000, "ppm", source)
    return BenchErrorModel(sample_ns, time_base, nothing, nothing, nothing)


def with_log(bench: BenchErrorModel, bracket_ns: float | None) -> BenchErrorModel:
    """Return the model with the pin write's delay by the agent's stamps before and after it.

    A calibration that states where between the two the edge lies is not replaced.
    """
    if bracket_ns is None or bench.pin_write_delay is not None:
        return bench
    source = f"log: {bracket_ns:.4g} ns between the time stamps around the pin write"
    return replace(bench, pin_write_delay=toggle(bracket_ns, source))
