# SPDX-License-Identifier: GPL-3.0-or-later
"""The microcontroller's clock against the analyzer's, and either against something better."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime

from calibration import common_findings
from calibration.context import Progress, StepContext
from calibration.estimate.estimate import Estimate
from calibration.estimate.rate import Rate, pps_brackets, rate_of
from calibration.findings import Finding, StepOutcome
from calibration.settings import CalibrationSettings
from calibration.steps.step import Step
from calibration.trains import Sent, dithering_train, send, stimulus_edges
from rig.analysis.clocks.brackets import Rates, stamp_brackets
from rig.config.calibration import CalibratedQuantity, CalibrationRecord
from rig.config.calibration.names import (
    STIMULUS_RATE,
    TIME_BASE,
    TIME_BASE_STEP,
    depends_on,
    pair_of,
)
from rig.config.fixture import STIMULUS

SEED = 3
PULSES_A_SECOND = 1000
DRIFT_PPM_PER_S = 10.0
"""A resonator that warms up drifts so fast; what is not known yet must be allowed for."""
CRYSTAL_PPM = 200.0
"""No quartz crystal is farther off."""
WRONG_PPM = 10_000.0
"""No resonator is farther off: it is set to another rate."""
UNSTEADY_PPB = 50.0
"""At 1 s; a quartz crystal wanders by less than a tenth of it."""
WANDER = "allan_deviation"


@dataclass(frozen=True)
class Compared:
    """What was found of the clocks."""

    own: Rate
    """The microcontroller's, by the analyzer's."""
    time_base: Estimate | None
    """How much too fast the analyzer's is, in ppm; None: nothing better was there."""
    reference: str
    """What was better, in words."""


def run(context: StepContext, progress: Progress) -> StepOutcome:
    """Send pulses for a minute. Raises BenchError, StoppedError."""
    settings, clock_hz = context.settings, context.chip.clock_hz
    rate_hz = context.bench.analyzer.identity.sample_rate_hz
    count = settings.seconds * PULSES_A_SECOND
    progress(f"{count} pulses in {settings.seconds} s")
    train = dithering_train(context.chip, rate_hz, count, SEED, clock_hz // PULSES_A_SECOND)
    sent = send(context, train)
    found = list(common_findings.of_capture(sent))
    rising, _ = stimulus_edges(context, sent)
    compared = None
    if len(rising) != count:
        channel = context.fixture.channel_of(STIMULUS)
        found.append(common_findings.train_not_seen(channel, len(rising), count))
    else:
        rates = Rates(rate_hz, clock_hz, DRIFT_PPM_PER_S)
        try:
            own = rate_of(stamp_brackets(rising, sent.rising_ticks), rates)
            compared, more = compare(own, settings, sent, rate_hz)
            found += [*more, *findings(compared)]
        except ValueError as error:
            found.append(common_findings.no_rate(str(error)))
    drawn = "" if compared is None else drawing(compared.own)
    return StepOutcome(_record(context, compared, found), tuple(found), drawn)


def drawing(own: Rate) -> str:
    """Wander by averaging time, each a tenth of a decade a character, for a terminal."""
    lines = ["Allan deviation in ppb; . what whole samples alone may show" if own.wander else ""]
    for each in own.wander:
        bar, floor = (_decades(ppb) for ppb in (each.deviation.value, each.floor_ppb))
        scale = ("#" * bar).ljust(max(bar, floor))
        scale = scale[:floor] + "." + scale[floor + 1 :]
        lines.append(f"{each.tau_s:6g} s {each.deviation.value:10.3f}  {scale}")
    return "\n".join(lines)


def _decades(ppb: float) -> int:
    """Tenths of a decade above 0.001 ppb."""
    return max(0, round(10 * math.log10(max(ppb, 1e-3) / 1e-3)))


def compare(
    own: Rate, settings: CalibrationSettings, sent: Sent, rate_hz: int
) -> tuple[Compared, tuple[Finding, ...]]:
    """Against the pulse a second, else against the counter's reading, if there is either."""
    if settings.pps_channel is not None:
        index, level = sent.heard.of_channel(settings.pps_channel)
        rates = Rates(rate_hz, 10**9, DRIFT_PPM_PER_S)
        try:
            seconds = pps_brackets(index[level == 1], rates, settings.pps_limit_ns)
            return Compared(own, rate_of(seconds, rates).faster_by_ppm, "pulse a second"), ()
        except ValueError as error:
            return Compared(own, None, ""), (_no_pps(settings.pps_channel, str(error)),)
    if settings.counter is not None:
        reading = settings.counter
        true = Estimate(
            (reading.rate_hz / reading.nominal_hz - 1) * 1e6,
            reading.limit_hz / reading.nominal_hz * 1e6 / math.sqrt(3),
            1,
        )
        seen = own.faster_by_ppm
        product = true.value + seen.value + true.value * seen.value * 1e-6
        u = math.hypot(true.standard_uncertainty, seen.standard_uncertainty)
        return Compared(own, Estimate(product, u, seen.n), "frequency counter"), ()
    return Compared(own, None, ""), ()


def findings(compared: Compared) -> tuple[Finding, ...]:
    """Clocks that are no crystals, or not set to what they say."""
    ppm, base = compared.own.ppm.value, compared.time_base
    if abs(ppm) > WRONG_PPM:
        return (_wrong_rate(ppm),)
    found = []
    own_ppm = ppm if base is None else (1 + ppm * 1e-6) * (1 + base.value * 1e-6) * 1e6 - 1e6
    wander = compared.own.wander[0] if compared.own.wander else None
    unsteady = wander is not None and (
        wander.deviation.value > max(UNSTEADY_PPB, 3 * wander.floor_ppb)
    )
    if base is not None and abs(base.value) > CRYSTAL_PPM:
        found.append(_analyzer_off(base.value))
    if abs(own_ppm) > CRYSTAL_PPM or unsteady:
        said = f", and it wanders by {wander.deviation.value:.3g} ppb at 1 s" if wander else ""
        found.append(_resonator(own_ppm, said, sure=base is not None))
    return tuple(found)


def _wrong_rate(ppm: float) -> Finding:
    return Finding(
        "wrong rate",
        f"the analyzer and the microcontroller differ by {abs(ppm) / 1e4:.3g} %",
        "Set a rate in the fixture that the analyzer really has; check that the microcontroller's "
        "crystal has the rate that its firmware is for.",
    )


def _analyzer_off(ppm: float) -> Finding:
    return Finding(
        "time base off",
        f"the analyzer's clock is off by {ppm:+.1f} ppm, more than a crystal can be",
        "Runs that use this calibration take it off; still, let the analyzer be looked at.",
    )


def _resonator(ppm: float, wander: str, *, sure: bool) -> Finding:
    other = "" if sure else ", by the analyzer's clock"
    return Finding(
        "ceramic resonator",
        f"the microcontroller runs {ppm:+.1f} ppm off{other}{wander}: a ceramic resonator",
        "Nothing, if intervals need not be exact: latencies are measured by the analyzer's clock. "
        "Else take a board with a quartz crystal.",
        fault=False,
    )


def _no_pps(channel: int, why: str) -> Finding:
    return Finding(
        "no pulse a second",
        f"D{channel}: {why}",
        "Check that the receiver has a fix, its level, its ground, and the channel.",
    )


def _record(
    context: StepContext, compared: Compared | None, found: list[Finding]
) -> CalibrationRecord:
    conditions = {"duration": f"{context.settings.seconds} s"}
    if compared is not None:
        unknown = "none: the analyzer's own error stays unknown"
        conditions["reference"] = compared.reference or unknown
        conditions["rate"] = "constant" if compared.own.straight else "drifted"
    return CalibrationRecord(
        step=TIME_BASE_STEP,
        date=datetime.now(UTC),
        quantities=() if compared is None else quantities(compared),
        conditions=conditions,
        instruments=depends_on(TIME_BASE_STEP, context.instruments())
        | pair_of(TIME_BASE_STEP, context.instruments()),
        findings=tuple(finding.text for finding in found),
    )


def quantities(compared: Compared) -> tuple[CalibratedQuantity, ...]:
    """The analyzer's error if it is known, the microcontroller's rate by it, and the wander."""
    made = []
    if compared.time_base is not None:
        made.append(_ppm(TIME_BASE, compared.time_base))
    made.append(_ppm(STIMULUS_RATE, compared.own.ppm))
    for each in compared.own.wander:
        d = each.deviation
        subject = f"{each.tau_s:g} s"
        made.append(
            CalibratedQuantity(WANDER, d.value, "ppb", d.standard_uncertainty, d.n, subject)
        )
    return tuple(made)


def _ppm(name: str, found: Estimate) -> CalibratedQuantity:
    return CalibratedQuantity(name, found.value, "ppm", found.standard_uncertainty, found.n)


STEP = Step(
    name=TIME_BASE_STEP,
    title="Time base",
    does="Sends pulses for a minute (--seconds) and compares the microcontroller's clock with the "
    "analyzer's: rate, and how far they wander. Which of the two is wrong, only something better "
    "tells: a GPS receiver's pulse a second on a free channel (--pps D7), or a frequency counter "
    'at the microcontroller\'s clock (--frequency-counter "16000123.4 Hz +- 0.2 Hz").',
    connect="The stimulus wire from the microcontroller to the analyzer.",
    run=run,
)
