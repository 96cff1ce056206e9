# SPDX-License-Identifier: GPL-3.0-or-later
"""Captures that were made without this rig: the same figures, and a run file if one is wanted.

There is no plan, no stimulus account and no log, so the verdict can be `inconclusive` at best.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from rig.analysis.model.instrument_counts import InstrumentCounts
from rig.analysis.model.settings import Limits, Settings
from rig.analysis.model.wiring import Wiring
from rig.capture.replay.capture_file import CaptureSource, OpenCapture, open_capture
from rig.errors import InputError
from rig.instruments import LOG_RECORD, CaptureEnd, EdgeBlock, Int64Array, LogArray, Loss
from rig.measurements.evaluate import evaluate
from rig.measurements.stored_settings import settings_to_json
from rig.record.free_space import check_new_file
from rig.record.writer import RunWriter
from rig.session.results import Result, store

SEQUENCE_MAX = 8
STATE = "imported"
_NO_CLOCK_HZ = 10**6
"""The stimulus's clock rate, which is of no use without a train."""


@dataclass(frozen=True)
class CaptureSignals:
    """The signals of a capture: their channels, and the edges that count."""

    stimulus: str
    response: str
    sequence: tuple[str, ...] = ()
    """Channels of the sequence bits, least significant first."""
    active_level: int = 1
    """Level of the stimulus line after its leading edge."""
    answer_level: int | None = None
    """Level of the response line after an answer; None: every edge of it is one."""
    glitch_filter_ps: int = 0
    sample_rate_hz: int | None = None
    """The rate that the capture was made with, if its file does not tell."""


def analyze_capture(path: Path, signals: CaptureSignals) -> Result:
    """Compute everything; nothing is written. Raises InputError."""
    capture = _opened(path, signals)
    settings = _settings(path, signals, capture)
    evaluation = evaluate(_RawCapture(capture.source), settings, InstrumentCounts())
    created = datetime.now(UTC).isoformat(timespec="seconds")
    return Result(path, created, STATE, settings, InstrumentCounts(), evaluation)


def import_capture(path: Path, signals: CaptureSignals, out: Path) -> Result:
    """Write a run file with the wanted channels' raw edges, and store the figures in it.

    Raises InputError, and then leaves no run file behind, for a capture that cannot be used;
    BenchError if the disk is full.
    """
    capture = _opened(path, signals)
    check_new_file(out)
    settings = _settings(path, signals, capture)
    texts = {
        "plan": "",
        "fixture": "",
        "calibration": "",
        "environment/analyzer": json.dumps(asdict(capture.source.identity), sort_keys=True),
    }
    with RunWriter(out, texts, settings_to_json(settings)) as writer:
        try:
            samples = _record(capture.source, writer)
        except InputError:
            out.unlink()
            raise
        writer.finish(STATE, {"samples": samples, "imported_from": path.name[:200]})
    return store(out)


def _opened(path: Path, signals: CaptureSignals) -> OpenCapture:
    if len(signals.sequence) > SEQUENCE_MAX:
        raise InputError(
            f"--sequence: {len(signals.sequence)} channels; valid: up to {SEQUENCE_MAX}"
        )
    wanted = (signals.stimulus, signals.response, *signals.sequence)
    return open_capture(path, wanted, signals.sample_rate_hz)


def _settings(path: Path, signals: CaptureSignals, capture: OpenCapture) -> Settings:
    stimulus, response, *sequence = capture.bits
    rate_hz = capture.source.identity.sample_rate_hz
    return Settings(
        measurement="capture",
        scenario="".join(c if c.isprintable() else "?" for c in path.name),
        sample_rate_hz=rate_hz,
        stimulus_clock_hz=_NO_CLOCK_HZ,
        wiring=Wiring(
            stimulus=stimulus,
            response=response,
            sequence=tuple(sequence),
            active_level=signals.active_level,
            answer_level=signals.answer_level,
        ),
        glitch_samples=-(-signals.glitch_filter_ps * rate_hz // 10**12),
        source=None,
        limits=Limits(),
    )


def _record(source: CaptureSource, writer: RunWriter) -> int:
    """Everything into the run file; the number of samples."""
    samples = 0
    for item in source.items():
        match item:
            case EdgeBlock():
                writer.edges(item)
            case Loss():
                writer.loss(item)
            case CaptureEnd():
                samples = item.samples
    return samples


class _RawCapture:
    """Implements rig.analysis.model.run_data.RawRun: the file is read again for each pass."""

    def __init__(self, source: CaptureSource) -> None:
        self._source = source
        self._losses: list[tuple[str, int, str]] = []

    def edge_blocks(self) -> Iterator[EdgeBlock]:
        losses = []
        for item in self._source.items():
            if isinstance(item, EdgeBlock):
                yield item
            elif isinstance(item, Loss):
                losses.append((item.kind.value, item.sample, item.text))
        self._losses = losses  # not those of a pass that was left before its end

    def losses(self) -> list[tuple[str, int, str]]:
        """The losses of the last pass over all edges."""
        return self._losses

    log_count = 0
    capture_count = 0

    def log(self, _first: int, _count: int) -> LogArray:
        return np.empty(0, LOG_RECORD)

    def captures(self, _first: int, _count: int) -> Int64Array:
        return np.empty(0, np.int64)
