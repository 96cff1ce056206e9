# SPDX-License-Identifier: GPL-3.0-or-later
"""Windows of a capture: the samples around an event, as a file that PulseView opens.

A run file holds every edge of every wired channel, glitches too, and between two edges no sample
differs from the one before. So the samples of any stretch can be written at any time after the run,
and nothing needs to be kept aside while it goes on (docs/decisions/0011).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rig.analysis.model.events import EventClass
from rig.analysis.model.settings import Settings
from rig.analysis.statistics.outliers import Outlier, Outliers
from rig.capture.sr_file import write_sr
from rig.capture.vcd_file import write_vcd
from rig.errors import InputError
from rig.record.reader import RunFile
from rig.untrusted.json_reader import json_value

MARGIN_NS = 200_000
"""The time shown before the stimulus and after the answer unless asked otherwise."""
WINDOWS_MAX = 16
"""The most windows that are written after a run; any other event's can be exported."""


@dataclass(frozen=True)
class CaptureWindow:
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


def window_of(
    file: RunFile, settings: Settings, event: int, margin_ns: int = MARGIN_NS
) -> CaptureWindow:
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
    kind = int(columns["status"][0])
    margin = margin_ns * settings.sample_rate_hz // 10**9
    found = Outlier(event, stimulus, response, kind)
    return _around(found, margin, file.covered_samples, _class_name(kind))


def _around(event: Outlier, margin: int, covered_samples: int, reason: str) -> CaptureWindow:
    end = max(event.stimulus_sample, event.response_sample) + margin + 1
    start = max(0, event.stimulus_sample - margin)
    return CaptureWindow(event.event, start, min(end, covered_samples), reason)


def _class_name(number: int) -> str:
    """Return the name of a class, or its number if a newer version has stored it."""
    return EventClass(number).name.lower() if number in set(EventClass) else f"class {number}"


def windows_of(outliers: Outliers, settings: Settings, covered_samples: int) -> list[CaptureWindow]:
    """Windows of what a reader of the report wants to see, at most WINDOWS_MAX, in order.

    The maximum; and every event that stands out, the first ones if there are too many.
    """
    margin = MARGIN_NS * settings.sample_rate_hz // 10**9
    found = {each.event: (each, _reason(each)) for each in outliers.first[: WINDOWS_MAX - 1]}
    if outliers.worst is not None:
        found[outliers.worst.event] = outliers.worst, "maximum"
    return [
        _around(event, margin, covered_samples, reason)
        for _, (event, reason) in sorted(found.items())
    ]


def _reason(outlier: Outlier) -> str:
    return "over limit" if outlier.kind == EventClass.ANSWERED else _class_name(outlier.kind)


def write_window(file: RunFile, settings: Settings, window: CaptureWindow, out: Path) -> None:
    """Write a window as .sr, or as VCD if `out` ends in .vcd. Raises InputError."""
    names = channel_names(file)
    blocks = file.edge_blocks(window.first_sample, window.end_sample)
    if out.suffix == ".vcd":
        write_vcd(out, blocks, settings.sample_rate_hz, names)
    else:
        write_sr(out, blocks, settings.sample_rate_hz, names, unitsize=1 if len(names) <= 8 else 2)


def write_windows(path: Path, settings: Settings, windows: Sequence[CaptureWindow]) -> Path | None:
    """Write these windows of a run beside it; return their folder, or None if there are none."""
    if not windows:
        return None
    folder = folder_of(path)
    try:
        folder.mkdir(exist_ok=True)
        for provisional in folder.glob("event-*.sr"):
            provisional.unlink()
    except OSError as error:
        raise InputError(f"{folder}: windows not written ({error.strerror})") from None
    with RunFile(path, figures=False) as file:
        for window in windows:
            write_window(file, settings, window, folder / window.file_name)
    return folder


def windows_text(path: Path, windows: Sequence[CaptureWindow]) -> str:
    """The list of a run file's windows, as it is stored in it; "" if there are none."""
    if not windows:
        return ""
    name = folder_of(path).name
    return json.dumps([{**asdict(each), "file": f"{name}/{each.file_name}"} for each in windows])


def folder_of(path: Path) -> Path:
    """Return the folder of a run file's windows."""
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
