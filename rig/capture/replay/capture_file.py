# SPDX-License-Identifier: GPL-3.0-or-later
"""A capture in a file, whatever its format: channels by name, then items as an analyzer gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Protocol

from rig.capture.replay.dsl_reader import DsviewCapture
from rig.capture.replay.saleae_reader import SaleaeBinary, SaleaeTable
from rig.capture.replay.session_zip import opened
from rig.capture.replay.sr_reader import SrSession
from rig.capture.replay.vcd_reader import ValueChangeDump
from rig.errors import InputError
from rig.instruments import AnalyzerIdentity, CaptureItem

_MAGIC_BYTES = 8


class FileKind(Enum):
    """What the first bytes of a file say that it is; the values are those bytes."""

    RUN_FILE = b"\x89HDF\r\n\x1a\n"
    ZIPPED_SESSION = b"PK"
    VALUE_CHANGE_DUMP = b"$"
    SALEAE_BINARY = b"<SALEAE>"
    SALEAE_TABLE = b"Time [s]"


class CaptureSource(Protocol):
    """A capture that can be read any number of times."""

    identity: AnalyzerIdentity

    def items(self) -> Iterator[CaptureItem]:
        """The whole capture in order, CaptureEnd last. Raises InputError for a damaged file."""


@dataclass(frozen=True)
class OpenCapture:
    """A capture file and the bits that its wanted channels have in the edges."""

    source: CaptureSource
    bits: tuple[int, ...]


def kind_of(path: Path) -> FileKind:
    """Return a file's kind by its first bytes, not its name. Raises InputError if it is none."""
    try:
        with path.open("rb") as file:
            start = file.read(_MAGIC_BYTES)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    for kind in FileKind:
        if start.lstrip(b" \t\r\n").startswith(kind.value):
            return kind
    raise InputError(
        f"{path}: is no capture; valid: a run file, a session file of sigrok (.sr), a value change "
        "dump (.vcd), a capture of DSView (.dsl), Saleae's digital_0.bin or digital.csv"
    )


def open_capture(path: Path, wanted: Sequence[str], sample_rate_hz: int | None) -> OpenCapture:
    """Open a capture of any kind but a run file.

    `wanted` names the channels to be read: by the capture's own name, or D0, D1, ... by place.
    `sample_rate_hz` is the rate that the capture was made with, for a dump, whose time scale is
    finer, and for a file that does not tell. Raises InputError for a file that is none, a name that
    is not in it, and a rate that contradicts it.
    """
    match kind_of(path):
        case FileKind.ZIPPED_SESSION if not _is_dsview(path):
            session = SrSession(path, wanted, sample_rate_hz)
            return OpenCapture(session, session.bits)
        case FileKind.RUN_FILE:
            raise InputError(f"{path}: is a run file, which has its own wiring: name no channels")
        case kind:
            source = _READERS[kind](path, wanted, sample_rate_hz)
            return OpenCapture(source, tuple(range(len(wanted))))


_READERS: dict[FileKind, Callable[[Path, Sequence[str], int | None], CaptureSource]] = {
    FileKind.ZIPPED_SESSION: DsviewCapture,
    FileKind.VALUE_CHANGE_DUMP: ValueChangeDump,
    FileKind.SALEAE_BINARY: SaleaeBinary,
    FileKind.SALEAE_TABLE: SaleaeTable,
}


def _is_dsview(path: Path) -> bool:
    with opened(path) as archive:
        return "header" in archive.NameToInfo and "metadata" not in archive.NameToInfo
