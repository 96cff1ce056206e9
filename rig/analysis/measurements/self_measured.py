# SPDX-License-Identifier: GPL-3.0-or-later
"""The evaluation of runs that the target measures by itself, from its log to the verdict.

The log has the values. If the pins show the end of each, the analyzer is a witness: edges must be
as many as iterations, each inside its record's bracket, and no value may end behind its edge.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from rig.analysis.clocks.agreement import ClockAgreement
from rig.analysis.crosscheck.witness import log_witnesses
from rig.analysis.log.responses import CHUNK
from rig.analysis.log.value_order import ValueOrder
from rig.analysis.log.values import LoggedValues, logged_values
from rig.analysis.measurements.limits import counted
from rig.analysis.measurements.pipeline import (
    Aligned,
    Evaluator,
    RecordedRun,
    RunFindings,
    planned_counts,
    tick_rate_witness,
)
from rig.analysis.measurements.start_finish import (
    StartFinishSeries,
    by_pins,
    period_ns_of,
    start_finish,
)
from rig.analysis.measurements.values import ValueFigures, ValueRow
from rig.analysis.model.instrument_counts import InstrumentCounts
from rig.analysis.model.run_data import RawRun
from rig.analysis.model.self_measurement import IterationPart, SelfMeasurement, whole_word
from rig.analysis.model.settings import Settings
from rig.analysis.model.witness import Witness
from rig.analysis.statistics.overruns import Overruns
from rig.analysis.uncertainty.contribution import Unknown
from rig.analysis.uncertainty.effects import (
    SystematicEffects,
    of_grid_latency,
    on_analyzer,
    on_counter,
)
from rig.analysis.uncertainty.error_model import BenchErrorModel
from rig.analysis.uncertainty.measurand import Measurand, measurand
from rig.analysis.uncertainty.series import MeasurandSeries
from rig.formatting import time_text
from rig.instruments import Int64Array
from rig.limit_names import BY_PINS, FAILED, INTERVAL_ERROR

CLOCK_HZ = 10**9
"""Rate of values in ns of a clock of the system."""
_CLOCK_RATE = Unknown("rate of the target's own clock", "let the target keep its time by NTP")


@dataclass
class _Values:
    """The values of the log, part by part."""

    series: list[MeasurandSeries]
    warm_up: int
    """Number of the last iteration whose values are in no figure."""
    order: ValueOrder | StartFinishSeries
    went_on: int = 0
    failed: int = 0
    clocked: int = 0
    at_zero: int = 0
    smallest: int | None = None
    first: int | None = None
    last: int = 0
    dropped: int = 0
    dropped_max: int | None = None

    def add(self, times: LoggedValues) -> None:
        if not len(times.before):
            return
        if self.first is None:
            self.first = int(times.before[0])
        self.last = int(times.after[-1])
        warm = times.iteration > self.warm_up
        self._drop(times.values[~warm & (times.part == 0)])
        for number, series in enumerate(self.series):
            mine = warm & (times.part == number)
            series.add(times.values[mine], times.after[mine])
        self.went_on += int((times.went_on & (times.part == 0)).sum())
        self.clocked += int(times.clocked.sum())
        self._step(times.values[warm])

    def _drop(self, values: Int64Array) -> None:
        if len(values):
            self.dropped += len(values)
            self.dropped_max = max(int(values.max()), self.dropped_max or 0)

    def _step(self, values: Int64Array) -> None:
        self.at_zero += int((values == 0).sum())
        above = values[values > 0]
        if len(above):
            least = int(above.min())
            self.smallest = least if self.smallest is None else min(self.smallest, least)


class ValueEvaluator(Evaluator):
    """The evaluator of the log's values; edges, where there are any, are their witness."""

    events = "values"
    rereads = False

    def __init__(self, run: RecordedRun, inside: SelfMeasurement) -> None:
        super().__init__(run)
        self._inside = inside

    def scan(self) -> None:
        self.scan_answers()
        read = _read_periodic if self._inside.periodic else _read
        self._values = read(self.raw, self.settings, self._inside)

    def measure(self, aligned: Aligned) -> RunFindings:
        settings, values, inside = self.settings, self._values, self._inside
        rate_hz, batch = _rate_hz(settings, values), _batch(settings)
        effects = _effects(aligned.bench, settings, values, aligned.agreement)
        found = tuple(
            measurand(part.name, series, rate_hz, _of_part(part, settings, effects), parts=batch)
            for part, series in zip(inside.parts, values.series, strict=True)
        )
        if isinstance(values.order, StartFinishSeries):
            found += (
                _interval(values.order, "", rate_hz, effects.reaching(period_ns_of(settings))),
            )
            found += self.seen_by_pins(aligned.bench)
        n, planned = found[0].histogram.n, max(0, (settings.planned or 0) - values.failed)
        counts = planned_counts(n, planned, self.stretches.glitches)
        duration = 0 if values.first is None else values.last - values.first
        return RunFindings(
            measurands=found,
            counts=counts,
            counted={**counted(counts, Overruns()), FAILED: values.failed},
            seen=n + values.failed if n else 0,
            paired_by="the target's log",
            duration_s=duration / rate_hz,
            details=_figures(inside, settings, values, found, aligned.agreement, self.account),
            witnesses=self._witnesses(aligned.agreement),
        )

    def seen_by_pins(self, bench: BenchErrorModel) -> tuple[Measurand, ...]:
        """Return the parts by the analyzer's clock; none if edges and log do not fit."""
        answers, rate_hz = self.answers, self.settings.sample_rate_hz
        pins = by_pins(self.raw, self.settings, answers.times)
        if pins is None:
            return ()
        seen = pins.seen
        duration_ns = (answers.last_sample - answers.first_sample) * 1e9 / rate_hz
        grid = of_grid_latency(bench, pins.rate_uncertainty_ppm, duration_ns)
        effects = (grid, grid, on_analyzer(bench))
        parts = tuple(
            measurand(part.name + BY_PINS, series, rate_hz, effect)
            for part, series, effect in zip(
                self._inside.parts, (seen.start, seen.finish, seen.work), effects, strict=True
            )
        )
        intervals = on_analyzer(bench).reaching(period_ns_of(self.settings))
        return (*parts, _interval(seen, BY_PINS, rate_hz, intervals))

    def _witnesses(self, agreement: ClockAgreement | None) -> tuple[Witness, ...]:
        account, answers, values = self.account, self.answers, self._values
        if account.handled is None:
            return ()
        found = [
            *log_witnesses(self.raw, self.log, account, answers.count, answers.differing),
            values.order.witness(account.handled, account.unanswered or 0, account.log_dropped),
        ]
        if agreement is not None:
            found.append(agreement.witness)
        if not values.clocked:
            found += tick_rate_witness(self.settings)
        return tuple(found)


def _interval(
    series: StartFinishSeries, suffix: str, rate_hz: int, effects: SystematicEffects
) -> Measurand:
    """Return the interval errors of the starts. But for two edges, quantization averages out."""
    errors, parts = series.interval, series.interval_parts
    kept = 1 / max(1, errors.histogram.n)
    return measurand(INTERVAL_ERROR + suffix, errors, rate_hz, effects, parts=parts, kept=kept)


def _read(raw: RawRun, settings: Settings, inside: SelfMeasurement) -> _Values:
    on_pins = inside.on_pins(settings.agent)
    by_answers = inside.variant(settings.agent) in inside.by_answers
    parts = len(inside.parts)
    order = ValueOrder(
        parts,
        shown=on_pins and not by_answers,
        sequential=_sequential(settings, inside),
        can_fail=inside.can_fail(settings.agent),
    )
    warm_up = whole_word(settings.agent, "warm_up")
    values = _Values([MeasurandSeries() for _ in inside.parts], warm_up, order)
    for first in range(0, raw.log_count, CHUNK):
        records = raw.log(first, CHUNK)
        times = logged_values(inside, records, settings.agent, settings.tick_hz)
        values.add(times)
        order.feed(times, records)
    values.failed = order.failed
    return values


def _sequential(settings: Settings, inside: SelfMeasurement) -> bool:
    """Return whether no value begins before the one before it is over and shown.

    Tasks of ordinary priority may be torn from each other between two; a clock that is set may go
    back.
    """
    is_ordinary = settings.agent.get("priority", "0") == "0"
    torn = inside.torn_at_ordinary_priority and is_ordinary
    return not torn and inside.variant(settings.agent) not in inside.by_settable_clock


def _read_periodic(raw: RawRun, settings: Settings, _inside: SelfMeasurement) -> _Values:
    found = start_finish(raw, settings)
    values = _Values([found.start, found.finish, found.work], 0, found)
    values.first, values.last = found.first_ticks, found.last_ticks
    return values


def _of_part(
    part: IterationPart, settings: Settings, effects: SystematicEffects
) -> SystematicEffects:
    """Return the effects on a part, which may be beyond what was asked for, or a batch's mean."""
    asked = effects.reaching(whole_word(settings.agent, part.beyond))
    return replace(asked, resolution_ns=asked.resolution_ns / _batch(settings))


def _batch(settings: Settings) -> int:
    """Return the number of switches that a value is the mean of."""
    return max(1, whole_word(settings.agent, "batch", 1))


def _title(part: IterationPart, settings: Settings) -> str:
    asked_ns = whole_word(settings.agent, part.beyond)
    return f"{part.title} beyond {time_text(asked_ns)}" if asked_ns else part.title


def _rate_hz(settings: Settings, values: _Values) -> int:
    """Return the rate of the clock that the values are in."""
    return CLOCK_HZ if values.clocked else settings.tick_hz or CLOCK_HZ


def effects_of_clock() -> SystematicEffects:
    """Return the effects on times by the system's own clock, whose rate nobody has compared."""
    return SystematicEffects(1.0, unknown_scales=(_CLOCK_RATE,))


def _effects(
    bench: BenchErrorModel, settings: Settings, values: _Values, clock: ClockAgreement | None
) -> SystematicEffects:
    if values.clocked:
        return effects_of_clock()
    tick_hz = settings.tick_hz or CLOCK_HZ
    duration_ns = 0.0 if values.first is None else (values.last - values.first) * 1e9 / tick_hz
    return on_counter(bench, tick_hz, clock, duration_ns)


def _figures(
    inside: SelfMeasurement,
    settings: Settings,
    values: _Values,
    found: tuple[Measurand, ...],
    clock: ClockAgreement | None,
    account: InstrumentCounts,
) -> ValueFigures:
    variant, batch = inside.variant(settings.agent), _batch(settings)
    unit_hz = _rate_hz(settings, values) * batch
    rows = tuple(
        ValueRow(_title(part, settings), each.statistics)
        for part, each in zip(inside.parts, found, strict=False)  # behind them: by pins
    )
    if isinstance(values.order, StartFinishSeries):
        rows += (ValueRow("interval error", found[len(inside.parts)].statistics),)
    fitted = None if clock is None or not clock.holds else clock.rate_ppm
    return ValueFigures(
        title=inside.title,
        variant=variant,
        variant_words=inside.variants.get(variant, "not known to this rig"),
        rows=rows,
        unit_hz=unit_hz,
        by_clock=bool(values.clocked),
        rate_ppm=None if values.clocked else fitted,
        on_pins=inside.on_pins(settings.agent),
        went_on=values.went_on,
        without_value=None if inside.can_fail(settings.agent) else account.unanswered,
        batch=batch if batch > 1 else None,
        warm_up=values.dropped or None,
        warm_up_max_ns=None if values.dropped_max is None else values.dropped_max * 1e9 / unit_hz,
        failed=values.failed if inside.can_fail(settings.agent) else None,
        at_zero=values.at_zero,
        smallest_step_ns=None if values.smallest is None else values.smallest * 1e9 / unit_hz,
        both_ends=inside.periodic,
    )
