# SPDX-License-Identifier: GPL-3.0-or-later
"""The latency over a run, and the waveforms of outliers."""

from __future__ import annotations

from functools import partial
from typing import Final

import numpy as np

from rig.analysis.model.settings import Settings
from rig.analysis.statistics.outliers import Outlier
from rig.document import Heading, Plot, Section, section
from rig.measurements.registry import measurement_of
from rig.plots.timeline import LatencyStretches, MarkedEvent, timeline_svg
from rig.plots.waveform import Trace, waveform_svg
from rig.report.pictures import LatencyTimeline, Pictures
from rig.session.windows import CaptureWindow

_LEAD: Final = 0.3
"""Time shown before the stimulus, as a share of the latency."""
_MISSED_US: Final = 60.0
"""Time shown of an event without an answer."""


def timeline(settings: Settings, pictures: Pictures) -> tuple[Section, ...]:
    """Return the whole run, and waveforms with the numbers that they have there."""
    if pictures.timeline is None:
        return ()
    outliers = pictures.outliers
    caption = "Numbers lead to the waveforms below."
    if outliers.count > len(outliers.first):
        marked = f"the first {len(outliers.first):,} are marked"
        caption += f" {outliers.count:,} events stand out, {marked}."
    waveforms = [_waveform(settings, pictures, n, w) for n, w in enumerate(pictures.windows, 1)]
    return section(
        "timeline",
        "Course of the run",
        Plot(caption, partial(_timeline, settings, pictures, pictures.timeline)),
        Heading("Waveforms") if waveforms else None,
        *waveforms,
    )


def _timeline(settings: Settings, pictures: Pictures, found: LatencyTimeline) -> str:
    sample_us = 1e6 / settings.sample_rate_hz
    with np.errstate(invalid="ignore"):
        average = found.total / found.count * sample_us
    stretches = LatencyStretches(
        (found.edges - found.first_sample) * sample_us / 1e6,
        average,
        np.where(found.count > 0, found.maximum, np.nan) * sample_us,
    )
    limit_ns = settings.limits.max_ns
    return timeline_svg(
        stretches,
        _marked(pictures, sample_us, found.first_sample),
        limit_us=None if limit_ns is None else limit_ns / 1e3,
        since=measurement_of(settings.measurement).run_zero,
    )


def _marked(pictures: Pictures, sample_us: float, first: int) -> list[MarkedEvent]:
    """Return all outliers, and the maximum; the mark is the number of the waveform."""
    numbers = {window.event: str(number) for number, window in enumerate(pictures.windows, 1)}
    found, worst = pictures.outliers.first, pictures.outliers.worst
    unusual = {each.event for each in found}
    others = () if worst is None or worst.event in unusual else (worst,)
    return [
        MarkedEvent(
            (each.stimulus_sample - first) * sample_us / 1e6,
            _latency_us(each, sample_us),
            numbers.get(each.event, ""),
            grave=each.event in unusual,
        )
        for each in (*found, *others)
    ]


def _latency_us(event: Outlier, sample_us: float) -> float | None:
    """Return the latency of an event; None without an answer."""
    late = event.response_sample - event.stimulus_sample
    return None if event.response_sample < 0 else late * sample_us


def _waveform(settings: Settings, pictures: Pictures, number: int, window: CaptureWindow) -> Plot:
    shown = pictures.waveforms[window.event]
    measurement = measurement_of(settings.measurement)
    sample_us = 1e6 / settings.sample_rate_hz
    zero, latency_us = shown.outlier.stimulus_sample, _latency_us(shown.outlier, sample_us)
    title = f"{number}: event {window.event:,}, {window.reason}"

    def draw() -> str:
        wide_us = _MISSED_US if latency_us is None else max(latency_us, 1.0)
        time_us = (shown.index - zero) * sample_us
        traces = [
            Trace(name, time_us[shown.channel == channel], shown.levels_before >> channel & 1)
            for name, channel in settings.wiring.named()
            if name != "stimulus" or measurement.has_stimulus_wire
        ]
        return waveform_svg(
            f"waveform{number}",
            title,
            traces,
            max((window.first_sample - zero) * sample_us, -_LEAD * wide_us),
            min((window.end_sample - 1 - zero) * sample_us, wide_us * (1 + 1.5 * _LEAD)),
            latency_us,
            origin=measurement.time_zero,
        )

    return Plot(title, draw, is_small=True)
