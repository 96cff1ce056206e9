# SPDX-License-Identifier: GPL-3.0-or-later
"""A run of any length as a finished run file, made at the speed of the disk: edges and events."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from rig.analysis.measurements.evaluation import Evaluation
from rig.analysis.measurements.verdict import Verdict
from rig.analysis.model.events import Counts, EventClass
from rig.analysis.model.settings import Limits, Settings
from rig.analysis.model.wiring import Wiring
from rig.analysis.statistics.descriptive import ExactHistogram, statistics
from rig.analysis.uncertainty.effects import SystematicEffects
from rig.analysis.uncertainty.measurand import Measurand
from rig.instruments import EdgeBlock, Int64Array
from rig.limit_names import LATENCY
from rig.measurements.stored_settings import settings_to_json
from rig.record.computed import ComputedWriter
from rig.record.reader import RunFile
from rig.record.writer import RunWriter
from rig.session.results import evaluation_text

RATE_HZ = 24_000_000
INTERVAL_SAMPLES = 2_400
PULSE_SAMPLES = 240
PART = 1 << 20
"""Events made at a time."""
MISSED_EVERY = 1_000_003
"""One event in so many has no answer."""
SLOW_SAMPLES = 2_000
"""Latency of the one slowest event, number 3/4 of all."""


def latency_of(event: Int64Array, count: int) -> Int64Array:
    """Latency of each event in samples, 70 to 325; the same for the same number."""
    mixed = (event * 2_654_435_761) >> 7
    latency = 70 + (mixed & 127) + ((mixed >> 9) & 127)
    latency[event == slowest(count)] = SLOW_SAMPLES
    return latency


def slowest(count: int) -> int:
    """Number of the slowest event."""
    return count * 3 // 4


def write_long_run(path: Path, count: int) -> None:
    """A run of `count` events with three edges each, its figures stored."""
    settings = Settings(
        measurement="interrupt", scenario="idle", sample_rate_hz=RATE_HZ,
        stimulus_clock_hz=16_000_000, wiring=Wiring(stimulus=0, response=1), glitch_samples=0,
        source=None, limits=Limits(),
    )  # fmt: skip
    analyzer = json.dumps({"channels": ["D0", "D1"]})
    texts = {"plan": "", "fixture": "", "calibration": "", "environment/analyzer": analyzer}
    with RunWriter(path, texts, settings_to_json(settings)) as writer:
        for first in range(0, count, PART):
            writer.edges(_block(first, min(first + PART, count), count))
        writer.finish("imported", {})
    histogram = ExactHistogram()
    with RunFile(path, write=True) as file:
        computed = ComputedWriter(file)
        for first in range(0, count, PART):
            event = np.arange(first, min(first + PART, count))
            computed.events(_columns(event, count))
            histogram.add(latency_of(event, count)[_answered(event)])
        computed.summary(
            evaluation_text(_evaluation(histogram, count)), {},
            (histogram.values, histogram.counts),
        )  # fmt: skip


def _answered(event: Int64Array) -> np.ndarray:
    return event % MISSED_EVERY != MISSED_EVERY - 1


def _stimulus(event: Int64Array) -> Int64Array:
    return (event + 1) * INTERVAL_SAMPLES


def _block(first: int, stop: int, count: int) -> EdgeBlock:
    event = np.arange(first, stop)
    start, answered = _stimulus(event), _answered(event)
    answer = start + np.minimum(latency_of(event, count), INTERVAL_SAMPLES - 1)
    number = event - event // MISSED_EVERY  # of the answer, so its level
    index = np.stack((start, answer, start + PULSE_SAMPLES), axis=1)
    channel = np.tile(np.array([0, 1, 0], np.uint8), (len(event), 1))
    level = np.stack((np.ones_like(event), (number + 1) % 2, np.zeros_like(event)), axis=1)
    keep = np.stack((np.full(len(event), True), answered, np.full(len(event), True)), axis=1)
    order = np.argsort(2 * index + channel, axis=1)
    index, channel, level, keep = (
        np.take_along_axis(a, order, axis=1) for a in (index, channel, level, keep)
    )
    index, channel, level = index[keep], channel[keep], level[keep].astype(np.uint8)
    begin = 0 if first == 0 else int(_stimulus(np.array([first]))[0])
    end = int(_stimulus(np.array([stop]))[0])
    before = (first - first // MISSED_EVERY) % 2 << 1
    return EdgeBlock(begin, end, index, channel, level, before)


def _columns(event: Int64Array, count: int) -> dict[str, np.ndarray]:
    answered, start = _answered(event), _stimulus(event)
    missed = np.where(answered, EventClass.ANSWERED, EventClass.MISSED).astype(np.uint8)
    return {
        "planned_ticks": np.full(len(event), -1),
        "stimulus_sample": start,
        "response_sample": np.where(answered, start + latency_of(event, count), -1),
        "response_edge": np.where(answered, event - event // MISSED_EVERY, -1),
        "status": missed,
    }


def _evaluation(histogram: ExactHistogram, count: int) -> Evaluation:
    missed = count // MISSED_EVERY
    figures = statistics(histogram, RATE_HZ)
    return Evaluation(
        verdict=Verdict.INCONCLUSIVE,
        reasons=("made, not measured",),
        counts=Counts(count, count - missed, 0, missed, 0, 0, 0, 0),
        measurands=(
            Measurand(
                name=LATENCY,
                unit_ns=1e9 / RATE_HZ,
                statistics=figures,
                corrected=figures,
                inference=None,
                effects=SystematicEffects(1e9 / RATE_HZ),
                histogram=histogram,
            ),
        ),
        witnesses=(),
        duration_s=count * INTERVAL_SAMPLES / RATE_HZ,
        paired_by="order",
    )
