# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs that the target measures by itself: from its log to figures, witnesses and verdict.

The log tells the values. If the pins show the end of each, the analyzer is a witness: edges must be
as many as iterations, each inside its record's bracket, and no value may end behind its edge.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from rig.analysis.clocks.agreement import ClockAgreement
from rig.analysis.crosscheck.clock_rates import ClockComparison, compare_clocks, with_room
from rig.analysis.crosscheck.run_brackets import bracket_agreement
from rig.analysis.crosscheck.sample_grid import repeated_samples
from rig.analysis.crosscheck.witness import log_witnesses
from rig.analysis.inference.extended import Beyond
from rig.analysis.log.responses import CHUNK, AnswerLog
from rig.analysis.log.value_order import ValueOrder
from rig.analysis.log.values import LoggedValues, logged_values
from rig.analysis.measurements.evaluation import Evaluation
from rig.analysis.measurements.limits import counted, judge_limits
from rig.analysis.measurements.measured_rates import counter_rate
from rig.analysis.measurements.start_finish import StartFinish, by_pins, start_finish
from rig.analysis.measurements.values import ValueFigures, ValueRow
from rig.analysis.measurements.verdict import verdict_of
from rig.analysis.model.account import Account
from rig.analysis.model.events import Counts
from rig.analysis.model.run_data import RawRun
from rig.analysis.model.self_measurement import SelfMeasurement
from rig.analysis.model.settings import Settings
from rig.analysis.model.witness import Witness
from rig.analysis.pairing.handler_count import pins_differing
from rig.analysis.signals.decoder import observe
from rig.analysis.signals.filtered import filtered
from rig.analysis.signals.response_times import AnswerTimes
from rig.analysis.statistics.overruns import OverrunCounter
from rig.analysis.uncertainty.bench import Bench
from rig.analysis.uncertainty.clock_limits import ClockLimits
from rig.analysis.uncertainty.contribution import Unknown
from rig.analysis.uncertainty.effects import Effects, of_grid_latency, on_analyzer, on_counter
from rig.analysis.uncertainty.measurand import Measurand, measurand
from rig.analysis.uncertainty.series import Series
from rig.instruments import Int64Array
from rig.limit_names import BY_PINS

CLOCK_HZ = 10**9
"""Of values in ns of a clock of the system."""
_CLOCK_RATE = Unknown("rate of the target's own clock", "let the target keep its time by NTP")


@dataclass
class _Edges:
    """What the analyzer saw of the answering pins."""

    count: int = 0
    differing: int = 0
    first_sample: int = 0
    last_sample: int = 0
    glitches: int = 0
    times: AnswerTimes = field(default_factory=AnswerTimes)


@dataclass
class _Values:
    """What the log says, part by part."""

    series: list[Series]
    order: ValueOrder | StartFinish
    went_on: int = 0
    clocked: int = 0
    at_zero: int = 0
    smallest: int | None = None
    first: int | None = None
    last: int = 0

    def add(self, times: LoggedValues) -> None:
        if not len(times.before):
            return
        if self.first is None:
            self.first = int(times.before[0])
        self.last = int(times.after[-1])
        for number, series in enumerate(self.series):
            mine = times.part == number
            series.add(times.values[mine], times.after[mine])
        self.went_on += int((times.went_on & (times.part == 0)).sum())
        self.clocked += int(times.clocked.sum())
        self._step(times.values)

    def _step(self, values: Int64Array) -> None:
        self.at_zero += int((values == 0).sum())
        above = values[values > 0]
        if len(above):
            least = int(above.min())
            self.smallest = least if self.smallest is None else min(self.smallest, least)


def evaluate_inside(
    raw: RawRun,
    settings: Settings,
    account: Account,
    inside: SelfMeasurement,
    bench: Bench | None = None,
) -> Evaluation:
    """Compute everything from the raw data."""
    bench = bench or Bench(1e9 / settings.sample_rate_hz)
    log = AnswerLog(raw)
    edges = _look(raw, settings, log)
    values = _read_periodic(raw, settings) if inside.periodic else _read(raw, settings, inside)
    clock, _ = bracket_agreement(edges.times, log, settings, account, ())
    limits, rates = bench.clocks or ClockLimits(), counter_rate(clock, settings)
    clocks = compare_clocks(rates, limits, settings.sample_rate_hz)
    bench = with_room(bench, clocks)
    rate_hz = _rate_hz(settings, values)
    effects = _effects(bench, settings, values, clock)
    found = tuple(
        measurand(part.name, series, rate_hz, effects)
        for part, series in zip(inside.parts, values.series, strict=True)
    )
    if inside.periodic:
        found += _seen_by_pins(raw, settings, edges, inside, bench)
    witnesses = _witnesses(raw, settings, account, log, edges, values, clock)
    if clocks is not None and account.handled is not None:
        witnesses = (clocks.witness, *witnesses)
    witnesses = (*witnesses, *repeated_samples(raw, settings.sample_rate_hz, clocks))
    figures = _figures(inside, settings, values, found, clock, account)
    return _conclude(
        raw, settings, account, edges, values, found, witnesses, figures, clock, clocks
    )


def _seen_by_pins(
    raw: RawRun, settings: Settings, edges: _Edges, inside: SelfMeasurement, bench: Bench
) -> tuple[Measurand, ...]:
    """The same parts by the analyzer's clock; none if edges and log do not fit."""
    pins = by_pins(raw, settings, edges.times)
    if pins is None:
        return ()
    seen, rate_hz = pins.seen, settings.sample_rate_hz
    duration_ns = (edges.last_sample - edges.first_sample) * 1e9 / rate_hz
    grid = of_grid_latency(bench, pins.rate_uncertainty_ppm, duration_ns)
    effects = (grid, grid, on_analyzer(bench))
    return tuple(
        measurand(part.name + BY_PINS, series, rate_hz, effect)
        for part, series, effect in zip(
            inside.parts, (seen.start, seen.finish, seen.work), effects, strict=True
        )
    )


def _look(raw: RawRun, settings: Settings, log: AnswerLog) -> _Edges:
    edges = _Edges()
    blocks, glitch = filtered(raw, settings)
    bits = len(settings.wiring.sequence)
    for stretch in observe(blocks, settings.wiring, settings.sample_rate_hz):
        if len(stretch.response):
            edges.first_sample = edges.first_sample or int(stretch.response[0])
            edges.last_sample = int(stretch.response[-1])
        edges.differing += pins_differing(log, edges.count, stretch, bits)
        edges.count += len(stretch.response)
        edges.times.add(stretch.response)
    edges.glitches = sum(glitch.removed.values())
    return edges


def _read(raw: RawRun, settings: Settings, inside: SelfMeasurement) -> _Values:
    on_pins = inside.on_pins(settings.agent)
    by_answers = inside.variant(settings.agent) in inside.by_answers
    parts = len(inside.parts)
    order = ValueOrder(
        parts, shown=on_pins and not by_answers, sequential=_sequential(settings, inside)
    )
    values = _Values([Series() for _ in inside.parts], order)
    for first in range(0, raw.log_count, CHUNK):
        records = raw.log(first, CHUNK)
        times = logged_values(inside, records, settings.agent)
        values.add(times)
        order.feed(times, records)
    return values


def _sequential(settings: Settings, inside: SelfMeasurement) -> bool:
    """No value begins before the one before it is over and shown.

    Tasks of ordinary priority may be torn from each other between two; a clock that is set may go
    back.
    """
    is_ordinary = settings.agent.get("priority", "0") == "0"
    torn = inside.torn_at_ordinary_priority and is_ordinary
    return not torn and inside.variant(settings.agent) not in inside.by_settable_clock


def _read_periodic(raw: RawRun, settings: Settings) -> _Values:
    found = start_finish(raw, settings)
    values = _Values([found.start, found.finish, found.work], found)
    values.first, values.last = found.first_ticks, found.last_ticks
    return values


def _rate_hz(settings: Settings, values: _Values) -> int:
    """Of the clock that the values are in."""
    return CLOCK_HZ if values.clocked else settings.tick_hz or CLOCK_HZ


def _effects(
    bench: Bench, settings: Settings, values: _Values, clock: ClockAgreement | None
) -> Effects:
    if values.clocked:
        return Effects(1.0, unknown_scales=(_CLOCK_RATE,))
    tick_hz = settings.tick_hz or CLOCK_HZ
    duration_ns = 0.0 if values.first is None else (values.last - values.first) * 1e9 / tick_hz
    return on_counter(bench, tick_hz, clock, duration_ns)


def _witnesses(
    raw: RawRun,
    settings: Settings,
    account: Account,
    log: AnswerLog,
    edges: _Edges,
    values: _Values,
    clock: ClockAgreement | None,
) -> tuple[Witness, ...]:
    if account.handled is None:
        return ()
    found = [*log_witnesses(raw, log, account, edges.count, edges.differing)]
    order = values.order
    if isinstance(order, StartFinish):
        missed = account.unanswered or 0
        found.append(order.witness(account.handled, missed, account.log_dropped))
    else:
        found.append(order.witness(account.handled, account.log_dropped))
    if clock is not None:
        found.append(clock.witness)
    if settings.tick_hz is None and not values.clocked:
        found.append(Witness("tick rate", False, "the agent did not tell the rate of its counter"))
    return tuple(found)


def _figures(
    inside: SelfMeasurement,
    settings: Settings,
    values: _Values,
    found: tuple[Measurand, ...],
    clock: ClockAgreement | None,
    account: Account,
) -> ValueFigures:
    variant = inside.variant(settings.agent)
    rows = tuple(
        ValueRow(part.title, each.statistics)
        for part, each in zip(inside.parts, found, strict=False)  # behind them: by pins
    )
    fitted = None if clock is None or not clock.holds else clock.rate_ppm
    return ValueFigures(
        title=inside.title,
        variant=variant,
        variant_words=inside.variants.get(variant, "not known to this rig"),
        rows=rows,
        unit_hz=_rate_hz(settings, values),
        by_clock=bool(values.clocked),
        rate_ppm=None if values.clocked else fitted,
        on_pins=inside.on_pins(settings.agent),
        went_on=values.went_on,
        without_value=account.unanswered,
        at_zero=values.at_zero,
        smallest_step_ns=None
        if values.smallest is None
        else values.smallest * 1e9 / _rate_hz(settings, values),
        both_ends=inside.periodic,
    )


def _conclude(
    raw: RawRun,
    settings: Settings,
    account: Account,
    edges: _Edges,
    values: _Values,
    found: tuple[Measurand, ...],
    witnesses: tuple[Witness, ...],
    figures: ValueFigures,
    clock: ClockAgreement | None,
    clocks: ClockComparison | None,
) -> Evaluation:
    headline, planned = found[0], settings.planned or 0
    n = headline.histogram.n
    over = OverrunCounter().result()
    counts = Counts(max(n, planned), n, 0, max(0, planned - n), 0, 0, 0, edges.glitches)
    limits = judge_limits(settings.limits, found, counted(counts, over))
    verdict, reasons = verdict_of(
        losses=raw.losses(),
        account=account,
        planned=planned,
        witnesses=witnesses,
        limits=limits,
        n=n,
        events="values",
        ended=account.handled is not None,
    )
    duration = 0 if values.first is None else values.last - values.first
    beyond = Beyond(headline.unit_ns, headline.figures, over, clock, None, headline.budgets)
    return Evaluation(
        verdict, reasons, counts, headline.statistics, witnesses, None, headline.histogram,
        duration / _rate_hz(settings, values), "the target's log", beyond=beyond, limits=limits,
        measurands=found, details=figures, clocks=clocks,
    )  # fmt: skip
