# SPDX-License-Identifier: GPL-3.0-or-later
"""Windows of a capture: the samples around an event, as a file that PulseView opens.

A run file holds every edge of every wired channel, glitches too, and between two edges no sample
differs from the one before. So the samples of any stretch can be written at any time after the run,
and nothing needs to be kept aside while it goes on (docs/decisions/0011).
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from rig.analysis.model.events import EventClass
from rig.analysis.model.settings import Settings
from rig.capture.sr_file import write_sr
from rig.capture.vcd_file import write_vcd
from rig.errors import InputError
from rig.record.amend import amended
from rig.record.digest import seal_figures
from rig.record.reader import RunFile
from rig.untrusted.json_reader import json_value

MARGIN_NS = 200_000
"""Shown before the stimulus and after the answer unless asked otherwise."""
WINDOWS_MAX = 16
"""Written of themselves after a run; any other event's can be exported."""
WINDOWS_BYTES = 1 << 20
"""More than their list takes in the run file."""


@dataclass(frozen=True)
class Window:
    """A stretch of samples [first_sample, end_sample) and why it is of interest."""

    event: int
    """Number of the stimulus, from 0."""
    first_sample: int
    end_sample: int
    reason: str

    @property
    def file_name(self) -> str:
        """Name of its file, sorted by event."""
        return f"event-{self.event:09d}-{self.reason.replace(' ', '-')}.sr"


def window_of(file: RunFile, settings: Settings, event: int, margin_ns: int = MARGIN_NS) -> Window:
    """The window around one event. Raises InputError if the run has no such event."""
    count = file.event_count
    if not 0 <= event < count:
        raise InputError(
            f"{file.path}: no event {event}; "
            + (
                f"valid: 0 to {count - 1}"
                if count
                else "it holds no events, run `rig analyze` first"
            )
        )
    columns = file.events(event, event + 1)
    stimulus, response = (int(columns[f"{n}_sample"][0]) for n in ("stimulus", "response"))
    kind = _class_name(int(columns["class"][0]))
    margin = margin_ns * settings.sample_rate_hz // 10**9
    end = max(stimulus, response) + margin + 1
    return Window(event, max(0, stimulus - margin), min(end, file.covered_samples), kind)


def _class_name(number: int) -> str:
    """Of a class that a newer version stores there is no name here."""
    return EventClass(number).name.lower() if number in set(EventClass) else f"class {number}"


def outliers(file: RunFile, settings: Settings) -> list[Window]:
    """Windows of what a reader of the report wants to see, at most WINDOWS_MAX, in order.

    The maximum; and every event that was late, missed or merged, or exceeds the plan's largest
    latency, the first ones if there are too many.
    """
    found: dict[int, str] = {}
    worst, worst_event = -1, -1
    for first in range(0, file.event_count, 1 << 16):
        columns = file.events(first, first + (1 << 16))
        response, kind = columns["response_sample"], columns["class"]
        latency = np.where(response < 0, -1, response - columns["stimulus_sample"])
        at = int(np.argmax(latency))
        if latency[at] > worst:
            worst, worst_event = int(latency[at]), first + at
        unusual = kind != EventClass.ANSWERED
        if settings.limits.max_ns is not None:
            unusual |= latency * 1e9 > settings.limits.max_ns * settings.sample_rate_hz
        for event in np.flatnonzero(unusual)[: WINDOWS_MAX - 1 - len(found)]:
            found[first + int(event)] = _class_name(int(kind[event]))
    found = {event: "over limit" if k == "answered" else k for event, k in found.items()}
    if worst_event >= 0:
        found[worst_event] = "maximum"
    windows = []
    for event, reason in sorted(found.items()):
        window = window_of(file, settings, event)
        windows.append(Window(event, window.first_sample, window.end_sample, reason))
    return windows


def write_window(file: RunFile, settings: Settings, window: Window, out: Path) -> None:
    """Write a window as .sr, or as VCD if `out` ends in .vcd. Raises InputError."""
    names = channel_names(file)
    blocks = file.edge_blocks(window.first_sample, window.end_sample)
    if out.suffix == ".vcd":
        write_vcd(out, blocks, settings.sample_rate_hz, names)
    else:
        write_sr(out, blocks, settings.sample_rate_hz, names, unitsize=1 if len(names) <= 8 else 2)


def write_outliers(path: Path, settings: Settings) -> Path | None:
    """Write the windows of a stored run beside it; their folder, or None if there are none."""
    with RunFile(path) as file:
        windows = outliers(file, settings)
        if not windows:
            return None
        folder = folder_of(path)
        try:
            folder.mkdir(exist_ok=True)
            for provisional in folder.glob("event-*.sr"):
                provisional.unlink()
        except OSError as error:
            raise InputError(f"{folder}: windows not written ({error.strerror})") from None
        for window in windows:
            write_window(file, settings, window, folder / window.file_name)
        links = [{**asdict(w), "file": f"{folder.name}/{w.file_name}"} for w in windows]
    with amended(path, WINDOWS_BYTES) as file:
        file.writable()["windows"] = json.dumps(links)
        seal_figures(file.writable(), str(path))
    return folder


def folder_of(path: Path) -> Path:
    """Where the windows of a run file lie."""
    return path.with_suffix(".windows")


def channel_names(file: RunFile) -> list[str]:
    """The analyzer's channel names, by bit number. Raises InputError for a damaged file."""
    try:
        names = json_value(file.text("environment/analyzer"))["channels"]
        if not isinstance(names, list) or not 1 <= len(names) <= 16:
            raise ValueError("no list of channel names")
        return [str(name) for name in names]
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{file.path}: damaged run file, no channel names ({error})") from None
