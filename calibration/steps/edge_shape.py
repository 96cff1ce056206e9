# SPDX-License-Identifier: GPL-3.0-or-later
"""The step that tells whether all samples are alike: intervals, missing codes, dropped blocks."""

from __future__ import annotations

import math
from datetime import UTC, datetime

import numpy as np

from calibration import common_findings
from calibration.context import Progress, StepContext
from calibration.estimate.codes import PERIOD, Codes, Dropped, codes, dropped_blocks
from calibration.findings import Finding, StepOutcome
from calibration.steps.step import Step
from calibration.trains import dithering_train, send, stimulus_edges
from rig.config.calibration import CalibratedQuantity, CalibrationRecord
from rig.config.calibration.names import EDGE_SHAPE_STEP, depends_on
from rig.config.fixture import STIMULUS

PULSES = 8000
SEED = 5
WORTH_SAMPLES = 0.05
"""Unevenness below this is not worth a word."""
COVERAGE = 5.0
"""The coverage factor that of PERIOD codes at once none passes by chance."""
NON_LINEARITY, JITTER = "differential_nonlinearity", "edge_jitter"
_BARS, _BINS = 40, 8


def run(context: StepContext, progress: Progress) -> StepOutcome:
    """Send a train whose every interval is known. Raises BenchError, StoppedError."""
    progress(f"{PULSES} pulses")
    rate_hz = context.bench.analyzer.identity.sample_rate_hz
    sent = send(context, dithering_train(context.chip, rate_hz, PULSES, SEED))
    rising, _ = stimulus_edges(context, sent)
    found = list(common_findings.of_capture(sent))
    seen: Codes | None = None
    if len(rising) != PULSES:
        channel = context.fixture.channel_of(STIMULUS)
        found.append(common_findings.train_not_seen(channel, len(rising), PULSES))
    elif holes := dropped_blocks(rising, sent.rising_ticks):
        found.append(_dropped(holes))
    else:
        seen = codes(rising, sent.rising_ticks)
        found += findings(seen)
    record = CalibrationRecord(
        step=EDGE_SHAPE_STEP,
        date=datetime.now(UTC),
        quantities=() if seen is None else quantities(seen),
        conditions={"pulses": str(PULSES)},
        instruments=depends_on(EDGE_SHAPE_STEP, context.instruments()),
        findings=tuple(finding.text for finding in found),
    )
    if seen is None:
        return StepOutcome(record, tuple(found))
    told = tuple(each for each in record.quantities if each.name == JITTER)
    return StepOutcome(record, tuple(found), drawing(seen), told=told)


def findings(seen: Codes) -> tuple[Finding, ...]:
    """Return findings for samples that never show an edge, or that are taken unevenly."""
    if seen.missing:
        return (_missing(seen),)
    if not seen.steady:
        return (common_findings.unsteady(),)
    uneven = [code for code, w in enumerate(seen.width) if w.differs(WORTH_SAMPLES, COVERAGE)]
    return (_uneven(seen, uneven),) if uneven else ()


def _missing(seen: Codes) -> Finding:
    modulus = seen.missing[0][1]
    gone = [code for code, each in seen.missing if each == modulus]
    left = modulus - len(gone)
    return Finding(
        "missing codes",
        f"of every {modulus} samples only {left} ever show an edge: the true rate is {left}/"
        f"{modulus} of what it seems",
        "Set the rate that the analyzer really has; some repeat samples to make up a higher one.",
    )


def _uneven(seen: Codes, uneven: list[int]) -> Finding:
    worst = max(uneven, key=lambda code: abs(seen.width[code].value))
    return Finding(
        "uneven samples",
        f"samples are not evenly spaced: number {worst} of every {PERIOD} is "
        f"{seen.width[worst].value * 100:+.1f} % of a sample too long, {len(uneven)} are off",
        "Try another rate: some analyzers divide their clock unevenly. Single values may be off by "
        "that much, averages are not.",
        fault=False,
    )


def _dropped(holes: tuple[Dropped, ...]) -> Finding:
    total = sum(abs(hole.samples) for hole in holes)
    return Finding(
        "dropped blocks",
        f"{total} samples are missing in {len(holes)} places, the first {holes[0].samples} behind "
        f"sample {holes[0].sample}, and the driver said nothing",
        "Choose a lower sample rate, another USB port without a hub, or give the computer less "
        "else to do; then run this step again.",
    )


def quantities(seen: Codes) -> tuple[CalibratedQuantity, ...]:
    """Return the width of each code, and how edges scatter beyond whole samples, in samples."""
    made = [
        CalibratedQuantity(
            NON_LINEARITY, w.value, "samples", w.standard_uncertainty, w.n,
            f"sample {code} of {PERIOD}",
        )
        for code, w in enumerate(seen.width)
    ]  # fmt: skip
    if seen.steady:
        u = seen.jitter.standard_uncertainty
        made.append(CalibratedQuantity(JITTER, seen.jitter.value, "samples", u, seen.jitter.n))
    return tuple(made)


def drawing(seen: Codes) -> str:
    """Draw a histogram of the intervals' departures and the worst code's width for a terminal.

    The outermost bins hold all that is beyond them.
    """
    count, edge = np.histogram(np.clip(seen.departures, -1, 1), bins=_BINS, range=(-1, 1))
    most = max(1, int(count.max()))
    lines = ["intervals less what was sent, in samples; a fine analyzer makes a roof from -1 to 1"]
    for number, low in zip(count.tolist(), edge.tolist(), strict=False):
        bar = "#" * math.ceil(number * _BARS / most)
        lines.append(f"{low:+6.2f} {number:6d} {bar}".rstrip())
    if seen.width:
        lines.append(_widths(seen))
    return "\n".join(lines)


def _widths(seen: Codes) -> str:
    """Return the codes' widths from the least to the most, and which is the worst."""
    percent = [100 * each.value for each in seen.width]
    worst = max(range(len(percent)), key=lambda code: abs(percent[code]))
    limits = 200 * seen.width[worst].standard_uncertainty
    return (
        f"width of every {PERIOD} samples less one: {min(percent):+.1f} to {max(percent):+.1f} %, "
        f"of number {worst} {percent[worst]:+.1f} +- {limits:.1f} %"
    )


STEP = Step(
    name=EDGE_SHAPE_STEP,
    title="Samples",
    does="Sends some thousand pulses whose every interval is known, and looks whether all samples "
    "are alike: whether some never show an edge, stand for more time than others, or are missing.",
    connect="The stimulus wire from the microcontroller to the analyzer.",
    run=run,
)
