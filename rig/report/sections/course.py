# SPDX-License-Identifier: GPL-3.0-or-later
"""The course of the run: its timeline, and the waveform of every event that stands out."""

from __future__ import annotations

import numpy as np

from rig.analysis.model.wiring import Wiring
from rig.report.page_data import PageData
from rig.report.plots.timeline import Outlier, Stretches, timeline_svg
from rig.report.plots.waveform import Trace, waveform_svg
from rig.report.sections.distribution import limit_us
from rig.report.sections.html import figure, section
from rig.session.windows import Window

_LEAD, _MISSED_US = 0.3, 60.0
"""Shown before the stimulus, as a share of the latency; shown of an event without an answer."""


def course(data: PageData) -> str:
    """Timeline, and waveforms with the numbers they have there."""
    timeline = data.timeline
    if timeline is None:
        return ""
    count = timeline.count
    with np.errstate(invalid="ignore"):
        average = timeline.total / count * data.sample_us
    stretches = Stretches(
        (timeline.edges - timeline.first_sample) * data.sample_us / 1e6,
        average,
        np.where(count > 0, timeline.maximum, np.nan) * data.sample_us,
    )
    svg = timeline_svg(stretches, _outliers(data), limit_us=limit_us(data), since=_origin(data))
    found = data.outliers
    hidden = found.count - len(found.first)
    caption = "Numbers lead to the waveforms below."
    if hidden:
        caption += f" {found.count:,} events stand out, the first {len(found.first):,} are marked."
    waveforms = "".join(_waveform(data, n, w) for n, w in enumerate(data.windows, 1))
    return section(
        "Course of the run",
        figure(svg, caption),
        f"<h3>Waveforms</h3>\n<div class=waveforms>{waveforms}</div>" if waveforms else "",
    )


def _outliers(data: PageData) -> list[Outlier]:
    """All that are marked, and the events with a waveform, whose mark is the waveform's number."""
    marks = {window.event: str(number) for number, window in enumerate(data.windows, 1)}
    found = [
        _outlier(
            data, each.stimulus_sample, each.response_sample, marks.pop(each.event, ""), grave=True
        )
        for each in data.outliers.first
    ]
    for event, mark in marks.items():
        columns = data.waveforms[event]
        stimulus, response = (int(columns[f"{n}_sample"][0]) for n in ("stimulus", "response"))
        found.append(_outlier(data, stimulus, response, mark, grave=False))
    return found


def _outlier(data: PageData, stimulus: int, response: int, mark: str, *, grave: bool) -> Outlier:
    first = data.timeline.first_sample if data.timeline is not None else 0
    time_s = (stimulus - first) * data.sample_us / 1e6
    latency_us = None if response < 0 else (response - stimulus) * data.sample_us
    return Outlier(time_s, latency_us, mark, grave)


def _waveform(data: PageData, number: int, window: Window) -> str:
    edges = data.waveforms[window.event]
    stimulus, response = (int(edges[f"{n}_sample"][0]) for n in ("stimulus", "response"))
    latency_us = None if response < 0 else (response - stimulus) * data.sample_us
    shown_us = _MISSED_US if latency_us is None else max(latency_us, 1.0)
    time_us = (edges["index"] - stimulus) * data.sample_us
    traces = [
        Trace(name, time_us[edges["channel"] == channel], data.levels[window.event] >> channel & 1)
        for name, channel in _wires(data.result.settings.wiring, stimulus=not _is_period(data))
    ]
    title = f"{number}: event {window.event:,}, {window.reason}"
    first_us = (window.first_sample - stimulus) * data.sample_us
    last_us = (window.end_sample - 1 - stimulus) * data.sample_us
    svg = waveform_svg(
        f"waveform{number}",
        title,
        traces,
        max(first_us, -_LEAD * shown_us),
        min(last_us, shown_us * (1 + 1.5 * _LEAD)),
        latency_us,
        origin="when it was due" if _is_period(data) else "the stimulus edge",
    )
    return figure(svg, title)


def _is_period(data: PageData) -> bool:
    return data.result.settings.schedule is not None


def _origin(data: PageData) -> str:
    return "the first period was due" if _is_period(data) else "the first stimulus"


def _wires(wiring: Wiring, *, stimulus: bool) -> list[tuple[str, int]]:
    return [
        *([("stimulus", wiring.stimulus)] if stimulus else []),
        ("response", wiring.response),
        *([("task", wiring.task)] if wiring.task is not None else []),
        *((f"sequence{bit}", channel) for bit, channel in enumerate(wiring.sequence)),
    ]
