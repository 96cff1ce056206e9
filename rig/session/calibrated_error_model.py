# SPDX-License-Identifier: GPL-3.0-or-later
"""The errors of a bench in one run, from a calibration's records.

Skew, line and pin write are of single channels, pins and edges there; here they become differences
between the edges that a run's latencies lie between. A target that toggles answers with a rising
and a falling edge in turn: the mean of both is corrected, and half of their difference too where it
is known of each answer which edge it was; else that half is left.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from rig.analysis.model.wiring import Wiring
from rig.analysis.uncertainty.chips import CaptureTiming
from rig.analysis.uncertainty.clock_limits import (
    COUNTER,
    CRYSTAL_CHANGE_PPM,
    STIMULUS,
    CalibratedRate,
    ClockLimit,
    ClockLimits,
)
from rig.analysis.uncertainty.contribution import UncertainQuantity, calibrated
from rig.analysis.uncertainty.error_model import BenchErrorModel
from rig.config.calibration.names import (
    CAPTURE_DELAY,
    CHANNEL_SKEW,
    COUNTER_RATE,
    EDGES,
    LINE_DELAY,
    LOOPBACK_DELAY,
    STIMULUS_RATE,
    TIME_BASE,
    TIME_BASE_STEP,
    TOGGLE_OVERHEAD,
    is_pair_of,
)
from rig.config.calibration.record import CalibratedQuantity, CalibrationRecord, quantities_named
from rig.config.fixture import RESPONSE
from rig.config.fixture import STIMULUS as STIMULUS_SIGNAL

_THRICE = 3.0
_Find = Callable[[str], CalibratedQuantity | None]
"""The function that finds an edge's quantity by the edge's name, `rising` or `falling`."""


@dataclass(frozen=True)
class _Delay:
    """The delay that one effect adds to answers that rise and that fall."""

    rising_ns: float
    falling_ns: float
    u_ns: float
    n: int
    source: str

    def known(self) -> UncertainQuantity:
        """Return the mean of both edges."""
        middle = (self.rising_ns + self.falling_ns) / 2
        return calibrated(middle, self.u_ns, "ns", self.source, degrees_of_freedom=_freedom(self.n))


def calibrated_bench(
    bench: BenchErrorModel,
    records: Iterable[CalibrationRecord],
    wiring: Wiring,
    stimulus_clock_hz: int,
    present: Mapping[str, str] = MappingProxyType({}),
) -> tuple[BenchErrorModel, tuple[str, ...]]:
    """Return the bench with valid records in place of tolerances, and what these lack, in words.

    `present`: what is on the bench, by which it is known whether two clocks were calibrated
    together. A loopback holds skew, edge shape and lines in one, with these very wires: it is used
    in place of their own records.
    """
    known = tuple(records)
    missing: list[str] = []
    bench = _with_time_base(bench, known, missing)
    bench = _with_rates(bench, known, present)
    edges = _answer_edges(wiring)
    toggle = _of_response(known, TOGGLE_OVERHEAD, edges, missing)
    loopback = _of_response(known, LOOPBACK_DELAY, edges, missing)
    skew = _skew(known, wiring, edges, missing)
    line = _line(known, wiring, edges, missing)
    if loopback is not None:
        bench = replace(bench, skew_ns=None, edge_shape_ns=None, line_ns=None, is_calibrated=True)
        skew = line = None
    bench = replace(
        bench,
        pin_write_delay=bench.pin_write_delay if toggle is None else toggle.known(),
        calibration_ns=bench.calibration_ns if loopback is None else loopback.known(),
        skew_ns=bench.skew_ns if skew is None else skew.known(),
        line_ns=bench.line_ns if line is None else line.known(),
    )
    bench = _with_capture(bench, known, stimulus_clock_hz)
    found = [each for each in (toggle, loopback, skew, line) if each is not None]
    bench = replace(bench, task_skew_ns=_task_skew(known, wiring))
    bench = _with_direction(bench, found, [each for each in found if each is not toggle])
    return bench, tuple(dict.fromkeys(missing))


def _with_direction(
    bench: BenchErrorModel, found: list[_Delay], shown: list[_Delay]
) -> BenchErrorModel:
    """Return the bench with what differs between answers' edges; `shown`: that behind the pin."""
    half = _half(found)
    if not half.estimate:
        return bench
    source = "calibration: the edges take turns, and differ by twice this"
    return replace(
        bench,
        edge_direction_ns=calibrated(0.0, abs(half.estimate), "ns", source),
        edge_later_ns=half,
        edge_shown_ns=_half(shown),
    )


def _half(found: list[_Delay]) -> UncertainQuantity:
    """Return half of the difference between rising and falling answers."""
    estimate = math.fsum(each.rising_ns - each.falling_ns for each in found) / 2
    u_ns = math.hypot(*(each.u_ns for each in found))
    return calibrated(estimate, u_ns, "ns", "calibration, by the level of each answer")


def _with_capture(
    bench: BenchErrorModel, records: tuple[CalibrationRecord, ...], clock_hz: int
) -> BenchErrorModel:
    """Return the bench with the input capture's delay, wire included, of edges sent back to it.

    Those had one place in a tick, which is not known; the answers of a run have any.
    """
    found = quantities_named(records, CAPTURE_DELAY)
    edges = [q.value * clock_hz / 1e9 for q in found.values()]
    if not edges or bench.capture_timing is None:
        return bench
    timing = CaptureTiming(0.0, min(edges) - 1, max(edges) + 1, _source(records, CAPTURE_DELAY))
    wire = calibrated(0.0, 0.0, "ns", timing.source)
    return replace(bench, capture_timing=timing, capture_line_ns=wire)


def _with_time_base(
    bench: BenchErrorModel, records: tuple[CalibrationRecord, ...], missing: list[str]
) -> BenchErrorModel:
    found = quantities_named(records, TIME_BASE)
    if not found:
        _note_if_taken(records, TIME_BASE_STEP, TIME_BASE, missing)
        return bench
    base = next(iter(found.values()))
    half_ppm = _THRICE * base.standard_uncertainty + CRYSTAL_CHANGE_PPM
    limit = ClockLimit(
        base.value - half_ppm, base.value + half_ppm, _source(records, TIME_BASE), is_stated=True
    )
    return replace(
        bench,
        clocks=replace(bench.clocks or ClockLimits(), analyzer=limit),
        time_base_ppm=calibrated(
            base.value,
            base.standard_uncertainty,
            "ppm",
            _source(records, TIME_BASE),
            degrees_of_freedom=_freedom(base.n),
        ),
    )


def _with_rates(
    bench: BenchErrorModel, records: tuple[CalibrationRecord, ...], present: Mapping[str, str]
) -> BenchErrorModel:
    """Return the bench with the rates of clocks calibrated together with this analyzer."""
    found = []
    for clock, name in ((STIMULUS, STIMULUS_RATE), (COUNTER, COUNTER_RATE)):
        for record in records:
            quantity = record.quantity(name)
            if quantity is None or not is_pair_of(record.instruments, present):
                continue
            within_ppm = _THRICE * quantity.standard_uncertainty
            if not (abs(quantity.value) < 1e6 and within_ppm < 1e6):
                continue
            source = _source((record,), name)
            found.append(CalibratedRate(clock, quantity.value, within_ppm, source))
            break
    return (
        replace(bench, clocks=replace(bench.clocks or ClockLimits(), calibrated=tuple(found)))
        if found
        else bench
    )


def _answer_edges(wiring: Wiring) -> tuple[str, str]:
    """Return the edges that stand for rising and for falling answers: one if only that counts."""
    if wiring.answer_level is None:
        return EDGES[1], EDGES[0]
    return EDGES[wiring.answer_level], EDGES[wiring.answer_level]


def _skew(
    records: tuple[CalibrationRecord, ...],
    wiring: Wiring,
    edges: tuple[str, str],
    missing: list[str],
) -> _Delay | None:
    """Return the delay of the response channel less that of the stimulus channel."""
    found = quantities_named(records, CHANNEL_SKEW)

    def of(channel: int) -> _Find:
        return lambda edge: found.get(f"D{channel} {edge}") or found.get(f"D{channel}")

    both = of(wiring.response), of(wiring.stimulus)
    return _difference(records, CHANNEL_SKEW, both, wiring, edges, missing)


def _task_skew(records: tuple[CalibrationRecord, ...], wiring: Wiring) -> UncertainQuantity | None:
    """Return the task channel's skew less the response channel's; None if not wired, or unknown."""
    found = quantities_named(records, CHANNEL_SKEW)
    if wiring.task is None:
        return None
    of = {
        channel: [found.get(f"D{channel} {edge}") or found.get(f"D{channel}") for edge in edges]
        for channel, edges in (
            (wiring.task, (EDGES[1], EDGES[0])),
            (wiring.response, _answer_edges(wiring)),
        )
    }
    pairs = [(each[0], each[1]) for each in of.values() if each[0] and each[1]]
    if len(pairs) < len(of):
        return None
    (task, response) = ((rise.value + fall.value) / 2 for rise, fall in pairs)
    u_ns = math.hypot(
        *(each.standard_uncertainty / math.sqrt(2) for pair in pairs for each in pair),
        *((rise.value - fall.value) / 2 for rise, fall in pairs),
    )
    return calibrated(task - response, u_ns, "ns", _source(records, CHANNEL_SKEW))


def _line(
    records: tuple[CalibrationRecord, ...],
    wiring: Wiring,
    edges: tuple[str, str],
    missing: list[str],
) -> _Delay | None:
    """Return the delay of the response path less that of the stimulus path."""
    found = quantities_named(records, LINE_DELAY)
    both = _of_signal(found, RESPONSE), _of_signal(found, STIMULUS_SIGNAL)
    return _difference(records, LINE_DELAY, both, wiring, edges, missing)


def _difference(
    records: tuple[CalibrationRecord, ...],
    name: str,
    both: tuple[_Find, _Find],
    wiring: Wiring,
    edges: tuple[str, str],
    missing: list[str],
) -> _Delay | None:
    rising, falling = (both[0](edge) for edge in edges)
    stimulus = both[1](EDGES[wiring.active_level])
    if rising is None or falling is None or stimulus is None:
        _note_if_named(records, name, missing)
        return None
    u_response_ns = (rising.standard_uncertainty + falling.standard_uncertainty) / 2
    return _Delay(
        rising.value - stimulus.value,
        falling.value - stimulus.value,
        math.hypot(u_response_ns, stimulus.standard_uncertainty),
        min(rising.n, falling.n, stimulus.n),
        _source(records, name),
    )


def _of_response(
    records: tuple[CalibrationRecord, ...], name: str, edges: tuple[str, str], missing: list[str]
) -> _Delay | None:
    find = _of_signal(quantities_named(records, name), RESPONSE)
    rising, falling = (find(edge) for edge in edges)
    if rising is None or falling is None:
        _note_if_named(records, name, missing)
        return None
    return _Delay(
        rising.value,
        falling.value,
        (rising.standard_uncertainty + falling.standard_uncertainty) / 2,
        min(rising.n, falling.n),
        _source(records, name),
    )


def _of_signal(found: dict[str, CalibratedQuantity], signal: str) -> _Find:
    """Return a function that finds a signal's quantity: of an edge, of both, or of the bench."""
    return lambda edge: found.get(f"{signal} {edge}") or found.get(signal) or found.get("")


def _freedom(n: int) -> float:
    """Return the degrees of freedom of a mean of n observations; stated values count as exact."""
    return n - 1 if n > 1 else math.inf


def _source(records: tuple[CalibrationRecord, ...], name: str) -> str:
    of = next(record for record in records if any(q.name == name for q in record.quantities))
    return f"calibration {of.step} of {of.date.date().isoformat()}"


def _note_if_named(records: tuple[CalibrationRecord, ...], name: str, missing: list[str]) -> None:
    if quantities_named(records, name):
        missing.append(f"{name} is not told of each edge and channel that this run needs")


def _note_if_taken(
    records: tuple[CalibrationRecord, ...], step: str, name: str, missing: list[str]
) -> None:
    if any(record.step == step for record in records):
        missing.append(f"the record of {step} tells no {name}")
