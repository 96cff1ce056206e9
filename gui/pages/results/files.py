# SPDX-License-Identifier: GPL-3.0-or-later
"""The files that can be taken along: pictures, tables, reports. Each is whole or not there."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, QRect, QSize
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgGenerator

from gui.models.runs.entry import RunEntry
from gui.models.runs.notes import RunNote
from gui.theme.palette import LIGHT, Palette
from rig.errors import InputError
from rig.files import replace_atomically

PNG_SCALE = 2
"""The pixels for each unit of length: sharp in print."""
Paint = Callable[[QPainter, float, float, Palette], None]
PICTURE_TYPES = (".png", ".svg")


@dataclass(frozen=True)
class Picture:
    """A picture to be painted into a file."""

    title: str
    paint: Paint
    size: QSize


def save_picture(picture: Picture, path: Path) -> None:
    """Save a PNG or SVG, by the file's name, on light ground as paper is. Raises InputError."""
    if path.suffix not in PICTURE_TYPES:
        raise InputError(f"{path}: valid names end in {' or '.join(PICTURE_TYPES)}")
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    width, height = picture.size.width(), picture.size.height()
    if path.suffix == ".png":
        image = QImage(picture.size * PNG_SCALE, QImage.Format.Format_ARGB32)
        image.setDevicePixelRatio(PNG_SCALE)
        _painted(image, picture, width, height)
        image.save(buffer, "PNG")  # type: ignore[call-overload]
    else:
        drawing = QSvgGenerator()
        drawing.setOutputDevice(buffer)
        drawing.setSize(picture.size)
        drawing.setViewBox(QRect(0, 0, width, height))
        drawing.setTitle(picture.title)
        _painted(drawing, picture, width, height)
    write_whole(path, bytes(buffer.data().data()))


def _painted(device: QImage | QSvgGenerator, picture: Picture, width: int, height: int) -> None:
    painter = QPainter(device)
    picture.paint(painter, width, height, LIGHT)
    painter.end()


_COLUMNS = (
    "file", "started", "measurement", "scenario", "plan", "fixture", "state", "verdict",
    "stimuli", "latencies", "average_ns", "p99_ns", "max_ns", "duration_s", "tags", "note",
)  # fmt: skip


def runs_csv(runs: Iterable[tuple[RunEntry, RunNote]]) -> str:
    """Return a line a run, figures in nanoseconds and not rounded; RFC 4180."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(_COLUMNS)
    for entry, note in runs:
        values = {
            **vars(entry),
            "file": entry.path.name,
            "started": entry.created,
            "tags": " ".join(note.tags),
            "note": note.note,
        }
        writer.writerow(["" if values[name] is None else values[name] for name in _COLUMNS])
    return text.getvalue()


def write_whole(path: Path, data: bytes) -> None:
    """Put a file in place when all of it is written; one of that name is replaced then.

    Raises InputError.
    """
    try:
        with replace_atomically(path) as new:
            new.write_bytes(data)
    except OSError as error:
        raise InputError(f"{path}: not written ({error.strerror}); name another place") from None
