# SPDX-License-Identifier: GPL-3.0-or-later
"""The wiring check as a step."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from calibration.context import Progress, StepContext
from calibration.findings import Finding, StepOutcome
from calibration.steps.step import Step
from calibration.wiring.drawing import drawing
from calibration.wiring.drive import observe
from calibration.wiring.judge import Arrival, arrivals, findings
from calibration.wiring.observed import Observed
from calibration.wiring.rewritten import rewritten
from rig.capture.drivers import rate_with_channels
from rig.config.calibration import CalibrationRecord
from rig.config.calibration.names import WIRING


@dataclass(frozen=True)
class WiresSeen:
    """The arrivals and findings of some wires."""

    findings: tuple[Finding, ...]
    arrivals: Mapping[str, tuple[Arrival, ...]]
    """The arrivals of each signal that was driven."""


def run(context: StepContext, progress: Progress) -> StepOutcome:
    """Drive each wire, find where it arrives. Raises BenchError, StoppedError."""
    observed = _observed(context, progress)
    found = findings(context.fixture, observed)
    record = CalibrationRecord(
        step=WIRING,
        date=datetime.now(UTC),
        conditions={"wires checked": str(len(observed.driven))},
        instruments=context.instruments(),
        findings=tuple(finding.text for finding in found),
    )
    return StepOutcome(
        record,
        found,
        drawing(context.fixture, observed, found),
        rewritten(context.fixture, observed),
    )


def _observed(context: StepContext, progress: Progress) -> Observed:
    """Observe all channels of the analyzer, at a lower rate if they do not go with the fixture's.

    The instruments of `context` may be closed then.
    """
    analyzer = context.fixture.analyzer
    rate_hz = rate_with_channels(
        analyzer.driver,
        analyzer.sample_rate_hz,
        analyzer.channels,
        context.bench.analyzer.identity.sample_rates_hz,
    )
    if rate_hz == analyzer.sample_rate_hz or context.reopen is None:
        return observe(context, progress)
    progress(f"{rate_hz / 1e6:g} MHz, at which all {analyzer.channels} channels can be in use")
    slower = replace(context.fixture, analyzer=replace(analyzer, sample_rate_hz=rate_hz))
    with context.reopen(slower) as bench:
        return observe(replace(context, fixture=slower, bench=bench), progress)


def check_wires(context: StepContext, progress: Progress, signals: Collection[str]) -> WiresSeen:
    """Check these wires while they are being connected; nothing is recorded.

    The stimulus is driven besides, whether it is connected or not. Raises BenchError, StoppedError.
    """
    observed = observe(context, progress, signals)
    return WiresSeen(findings(context.fixture, observed, signals), arrivals(observed))


STEP = Step(
    name=WIRING,
    title="Wiring check",
    does="Drives each wire from its own end with a number of pulses of its own, and finds where "
    "they arrive: on the analyzer, at the microcontroller, at the target's interrupt line.",
    connect="Everything, as for a measurement: microcontroller, target and analyzer, all grounds "
    "together. The target's agent must be running or deployed.",
    run=run,
)
