# SPDX-License-Identifier: GPL-3.0-or-later
"""What a wrong agent may do in any measurement: each is one lie in a run that is true."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from rig.instruments import LOG_TASK, LOG_TRIGGER
from tests.analysis.raw_runs import RESPONSE, STIMULUS, TASK
from tests.measure.true_runs import TrueRun

LATE_NS = 10_000

Lie = Callable[[TrueRun, int], TrueRun]
"""A true run and the number of an answer, from 0, to a run that is false there."""


def _stamped(run: TrueRun, row: int, ns: int) -> TrueRun:
    """One record with its stamps moved."""
    records, tick_hz = run.records.copy(), run.settings.tick_hz or 0
    for name in ("before_ticks", "after_ticks"):
        records[name][row] = int(records[name][row]) + ns * tick_hz // 10**9
    return replace(run, records=records)


def late_stamp(run: TrueRun, number: int) -> TrueRun:
    """One answer is stamped later than it was."""
    return _stamped(run, run.answers[number], LATE_NS)


def early_stamp(run: TrueRun, number: int) -> TrueRun:
    """One answer is stamped earlier than it was."""
    return _stamped(run, run.answers[number], -LATE_NS)


def _handled_less(run: TrueRun, gone: int, records: np.ndarray) -> TrueRun:
    """The rest numbered as if iteration `gone` had never been."""
    records["sequence"] = np.arange(len(records))
    records["handled"][records["handled"] > gone] -= np.uint64(1)
    account = replace(run.account, handled=(run.account.handled or 0) - 1)
    return replace(run, records=records, account=account)


def skipped_event(run: TrueRun, number: int) -> TrueRun:
    """One event was answered, but is neither logged nor counted."""
    gone = int(run.records["handled"][run.answers[number]])
    kept = run.records[_others(run, gone)].copy()
    return _handled_less(run, gone, kept)


def unlogged_event(run: TrueRun, number: int) -> TrueRun:
    """One event was answered and counted, but not logged."""
    gone = int(run.records["handled"][run.answers[number]])
    records = run.records[_others(run, gone)].copy()
    records["sequence"] = np.arange(len(records))
    return replace(run, records=records)


def _others(run: TrueRun, gone: int) -> np.ndarray:
    """Records of other events; a trigger carries the number before it, and stays."""
    trigger = run.records["flags"] & LOG_TRIGGER != 0
    kept: np.ndarray = (run.records["handled"] != gone) | trigger
    return kept


def answer_never_made(run: TrueRun, number: int) -> TrueRun:
    """One answer is logged, but its pin never moved."""
    samples = run.samples()
    return run.with_toggles(samples[:number] + samples[number + 1 :])


def event_never_was(run: TrueRun, number: int) -> TrueRun:
    """One answer more is logged and counted than there was."""
    row = run.answers[number]
    records = np.insert(run.records, row + 1, run.records[row])
    for name in ("before_ticks", "after_ticks"):
        records[name][row + 1] += np.uint64(LATE_NS)
    records["handled"][row + 1 :] += np.uint64(1)
    records["sequence"] = np.arange(len(records))
    account = replace(run.account, handled=(run.account.handled or 0) + 1)
    return replace(run, records=records, account=account)


def count_too_high(run: TrueRun, number: int) -> TrueRun:
    """More events are counted than logged."""
    handled = (run.account.handled or 0) + 1 + number
    return replace(run, account=replace(run.account, handled=handled))


def count_too_low(run: TrueRun, number: int) -> TrueRun:
    """Fewer events are counted than logged."""
    handled = (run.account.handled or 0) - 1 - number % 7
    return replace(run, account=replace(run.account, handled=handled))


def busy_pin(run: TrueRun, number: int) -> TrueRun:
    """Somebody else changes the pin once."""
    return _busy(run, number, RESPONSE)


def busy_pin_twice(run: TrueRun, number: int) -> TrueRun:
    """Somebody else changes the pin and changes it back."""
    return _busy(run, number, RESPONSE, 240)


def _busy(run: TrueRun, number: int, channel: int, *later: int) -> TrueRun:
    samples = run.samples(channel)
    middle = (samples[number] + samples[number + 1]) // 2
    return run.with_toggles([*samples, middle, *(middle + each for each in later)], channel)


ANY: tuple[Lie, ...] = (
    late_stamp, early_stamp, skipped_event, unlogged_event, answer_never_made, event_never_was,
    count_too_high, count_too_low, busy_pin, busy_pin_twice,
)  # fmt: skip
"""Of every measurement."""


# --- of some measurements only -------------------------------------------------------------------


def _flagged(run: TrueRun, flag: int) -> np.ndarray:
    return np.flatnonzero(run.records["flags"] & flag)


def late_trigger_stamp(run: TrueRun, number: int) -> TrueRun:
    """One trigger is stamped later than it was."""
    return _stamped(run, _flagged(run, LOG_TRIGGER)[number], 1_000)


def skipped_trigger(run: TrueRun, number: int) -> TrueRun:
    """One trigger is neither logged nor counted."""
    records = np.delete(run.records, _flagged(run, LOG_TRIGGER)[number])
    records["sequence"] = np.arange(len(records))
    account = replace(run.account, triggers=(run.account.triggers or 0) - 1)
    return replace(run, records=records, account=account)


def trigger_count(run: TrueRun, number: int) -> TrueRun:
    """More triggers are counted than made."""
    triggers = (run.account.triggers or 0) + 1 + number
    return replace(run, account=replace(run.account, triggers=triggers))


def busy_trigger_pin(run: TrueRun, number: int) -> TrueRun:
    """Somebody else makes a pulse on the trigger's pin."""
    return _busy(run, 2 * number + 1, STIMULUS, 48)


def late_task_stamp(run: TrueRun, number: int) -> TrueRun:
    """The interrupted task says that it went on later than it did."""
    return _stamped(run, _flagged(run, LOG_TASK)[number], LATE_NS)


def early_task_stamp(run: TrueRun, number: int) -> TrueRun:
    """The interrupted task says that it went on earlier than it did."""
    return _stamped(run, _flagged(run, LOG_TASK)[number], -LATE_NS // 2)


def busy_task_pin(run: TrueRun, number: int) -> TrueRun:
    """Somebody else changes the interrupted task's pin."""
    return _busy(run, number, TASK)


OF_TRIGGERS = (late_trigger_stamp, skipped_trigger, trigger_count, busy_trigger_pin)
OF_TASK = (late_task_stamp, early_task_stamp, busy_task_pin)


def lies_of(measurement: str, variant: str) -> tuple[Lie, ...]:
    """All that an agent could do wrong in it."""
    more: tuple[Lie, ...] = OF_TRIGGERS if variant == "self-triggered" else ()
    return (*ANY, *more, *(OF_TASK if measurement == "interrupt_dispatch" else ()))
