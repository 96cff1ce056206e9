# SPDX-License-Identifier: GPL-3.0-or-later
"""The times of an answer by the other witnesses: the target's log and the input capture.

Each has its own clock. It is fitted to the analyzer's by the events around this one, so that a
clock's drift over the run does not matter and no more than a thousand events are read.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gui.models.runs.opened import Columns, Event, OpenedRun
from rig.analysis.clocks.brackets import log_brackets, stamp_brackets
from rig.analysis.clocks.line import Line, corners_of, fit_line
from rig.analysis.log.responses import are_answers
from rig.instruments import Int64Array, LogArray

AROUND = 256
"""The events on either side by which clocks are fitted."""


@dataclass(frozen=True)
class Mark:
    """A stretch, in samples, that a witness puts the answer in."""

    witness: str
    """The witness: `log` or `capture`."""
    first: float
    end: float
    agrees: bool
    """Whether it holds the analyzer's edge, which lies in (sample - 1, sample]."""


def marks_of(run: OpenedRun, event: Event) -> tuple[Mark, ...]:
    """Return the marks of an event's answer; none without an answer or a witness of it.

    Raises InputError if the run file is damaged there.
    """
    if event.answer < 0 or event.response_sample < 0:
        return ()
    around = run.events(event.number - AROUND, event.number + AROUND + 1)
    found = (_log_mark(run, event, around), _capture_mark(run, event, around))
    return tuple(mark for mark in found if mark is not None)


def _log_mark(run: OpenedRun, event: Event, around: Columns) -> Mark | None:
    answers = np.unique(around["response_edge"][around["response_edge"] >= 0])
    first, stop = int(answers[0]), int(answers[-1]) + 1
    log = run.file.log(first, stop - first)
    if event.answer - first >= len(log) or not are_answers(log).all():
        return None  # records of other things lie between: numbers alone do not tell the answer's
    sample, rows = _matched(around, log, first)
    try:
        brackets, origin = log_brackets(sample, rows["before_ticks"], rows["after_ticks"])
        line = fit_line(corners_of(brackets))
    except ValueError:  # numbers that no clock shows: a damaged log
        return None
    record = log[event.answer - first]
    before, after = (int(record[n]) - origin for n in ("before_ticks", "after_ticks"))
    nominal = (run.settings.tick_hz or 10**9) / run.settings.sample_rate_hz
    start, end = (_sample_at(line, ticks, nominal) for ticks in (before, after + 1))
    return _mark("log", start, end, event.response_sample)


def _matched(around: Columns, log: LogArray, first: int) -> tuple[Int64Array, LogArray]:
    """Return the samples of answer edges, each once, and their records."""
    answered = (around["response_edge"] >= first) & (around["response_edge"] < first + len(log))
    answer, place = np.unique(around["response_edge"][answered], return_index=True)
    sample = around["response_sample"][answered][place]
    rising = np.concatenate(([True], np.diff(np.maximum.accumulate(sample)) > 0))
    return sample[rising], log[answer[rising] - first]


def _sample_at(line: Line, ticks: float, nominal: float) -> float:
    """Return where the clock shows these ticks; `nominal` ticks a sample if one event is all."""
    per_sample = float(line.ticks_per_sample or nominal)
    return line.sample + (ticks - float(line.ticks)) / per_sample


def _capture_mark(run: OpenedRun, event: Event, around: Columns) -> Mark | None:
    """Return the mark of the stimulus's clock, fitted to the train's planned edges.

    Input capture answers a constant time later; the run's own comparison tells it.
    """
    comparison = None if run.result is None else run.result.evaluation.capture
    if comparison is None or event.planned_ticks < 0:
        return None
    captured = run.file.captures(event.answer, 1)
    known = around["planned_ticks"] >= 0
    origin = event.planned_ticks
    try:
        brackets = stamp_brackets(
            around["stimulus_sample"][known], around["planned_ticks"][known] - origin
        )
        line = fit_line(corners_of(brackets))
    except ValueError:
        return None
    if not len(captured):
        return None
    nominal = run.settings.stimulus_clock_hz / run.settings.sample_rate_hz
    at = _sample_at(line, float(captured[0]) - origin + 0.5, nominal)
    middle = at - comparison.offset_ns / run.sample_ns
    half = comparison.allowed_ns / run.sample_ns / 2
    return _mark("capture", middle - half, middle + half, event.response_sample)


def _mark(witness: str, first: float, end: float, sample: int) -> Mark:
    return Mark(witness, first, end, agrees=first <= sample and end >= sample - 1)
