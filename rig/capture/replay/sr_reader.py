# SPDX-License-Identifier: GPL-3.0-or-later
"""The reader of sigrok's session files (`.sr`), as PulseView, sigrok-cli and `rig export` write.

A zip of `version`, `metadata` (an INI file) and the samples in `logic-1-1`, `logic-1-2` and so on;
version 1 has them in one piece, `logic-1` (libsigrok 0.5.2, src/session_file.c and
src/session_driver.c). Samples are inflated into memory a piece at a time and never put on disk.
What a small file can swell to is bounded: DEFLATE makes at most 1032 bytes of one (RFC 1951), no
other compression is taken, and pieces may not share compressed bytes.
"""

from __future__ import annotations

import configparser
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Literal, cast

from rig.capture.edges import EdgeExtractor
from rig.capture.replay.channels import find_channels
from rig.errors import InputError
from rig.instruments import AnalyzerIdentity, CaptureEnd, CaptureItem, Loss, LossKind

RATE_MAX_HZ = 10**12
_METADATA_MAX_BYTES = 1 << 16
_ENTRIES_MAX = 1 << 20
_READ_BYTES = 1 << 20
_DAMAGE = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, RuntimeError, ValueError)
"""The errors of zipfile for a damaged file; the last two for names, methods and offsets."""
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_SCALES = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}


@dataclass(frozen=True)
class _Metadata:
    sample_rate_hz: int | None
    unitsize: int
    names: dict[int, str]
    """Names of the logic channels by bit number."""
    capture_name: str


class SrSession:
    """Implements rig.capture.replay.capture_file.CaptureSource."""

    def __init__(self, path: Path, wanted: Sequence[str], sample_rate_hz: int | None) -> None:
        """Read names and rate, no samples. Raises InputError for what is no usable session."""
        self._path = path
        with _opened(path) as archive:
            entries = _entries(path, archive)
            about = _metadata(path, _small(path, archive, entries, "metadata"))
            self._pieces = _pieces(path, entries, about.capture_name)
        self._unitsize = about.unitsize
        places = sorted(about.names)
        by_name = {name: bit for bit, name in about.names.items()}
        self.bits = find_channels(path, by_name, range(places[-1] + 1), wanted)
        self.identity = AnalyzerIdentity(
            driver="file",
            vendor="",
            model="session file of sigrok",
            library="",
            sample_rate_hz=_rate(path, about.sample_rate_hz, sample_rate_hz),
            channels=tuple(about.names.get(bit, f"D{bit}") for bit in range(places[-1] + 1)),
        )

    def items(self) -> Iterator[CaptureItem]:
        """Yield the edges of the wanted channels; a Loss if the last sample is cut off."""
        mask = sum(1 << bit for bit in self.bits)
        extractor = EdgeExtractor(cast(Literal[1, 2], self._unitsize), mask)
        with _opened(self._path) as archive:
            for name in self._pieces:
                with archive.open(name) as piece:
                    while samples := piece.read(_READ_BYTES):
                        yield extractor.feed(samples)
        if extractor.partial_bytes:
            text = f"the capture ends within sample {extractor.samples}"
            yield Loss(LossKind.SHORT_COUNT, extractor.samples, text)
        if not extractor.samples:
            raise InputError(f"{self._path}: the session holds no logic samples")
        yield CaptureEnd(extractor.samples, asked=True)


@contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open the archive; every way in which it can be damaged becomes an InputError."""
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except _DAMAGE as error:
        raise InputError(
            f"{path}: damaged session file ({str(error) or 'it ends too early'}); save it again"
        ) from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from None


def _entries(path: Path, archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """Return the entries by name, after a check of what they claim to be."""
    listed = archive.infolist()
    entries = {entry.filename: entry for entry in listed}
    if len(listed) > _ENTRIES_MAX or len(entries) != len(listed):
        raise InputError(f"{path}: no session of sigrok: over {_ENTRIES_MAX} entries, or one twice")
    if sum(entry.compress_size for entry in listed) > path.stat().st_size:
        raise InputError(f"{path}: no session of sigrok: its entries overlap")
    for entry in listed:
        if entry.compress_type not in _METHODS or entry.flag_bits & 1:
            raise InputError(
                f"{path}: {entry.filename!a} is encrypted or not compressed as sigrok does; "
                "valid: stored or deflated entries"
            )
    return entries


def _small(
    path: Path, archive: zipfile.ZipFile, entries: dict[str, zipfile.ZipInfo], name: str
) -> str:
    if name not in entries:
        raise InputError(f"{path}: no session of sigrok: it has no entry {name}")
    with archive.open(name) as file:
        data = file.read(_METADATA_MAX_BYTES + 1)
    if len(data) > _METADATA_MAX_BYTES:
        raise InputError(f"{path}: {name} is over {_METADATA_MAX_BYTES} bytes long")
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise InputError(f"{path}: {name} is not UTF-8 text") from None


def _metadata(path: Path, text: str) -> _Metadata:
    parser = configparser.ConfigParser(interpolation=None, default_section="")
    try:
        parser.read_string(text)
    except configparser.Error as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"{path}: metadata is no INI file ({ascii(reason)[1:-1]})") from None
    if "device 1" not in parser:
        raise InputError(f"{path}: metadata has no [device 1]: the session holds no capture")
    device = parser["device 1"]
    capture_name = device.get("capturefile", "")
    if not re.fullmatch("[A-Za-z0-9_-]{1,64}", capture_name):
        raise InputError(f"{path}: metadata names no logic capture; valid: capturefile=logic-1")
    names = _names(path, device)
    unitsize = device.get("unitsize", str(max(names) // 8 + 1))
    if unitsize not in {"1", "2"} or max(names) >= 8 * int(unitsize):
        raise InputError(
            f"{path}: {ascii(unitsize)[1:-1]} bytes a sample with channels up to D{max(names)}; "
            "valid: 1 or 2 bytes, 8 channels each"
        )
    return _Metadata(_stored_rate(path, device), int(unitsize), names, capture_name)


def _names(path: Path, device: configparser.SectionProxy) -> dict[int, str]:
    names: dict[int, str] = {}
    for key, name in device.items():
        place = re.fullmatch("probe([1-9][0-9]?)", key)
        if place is None:
            continue
        if not name or not name.isprintable():
            raise InputError(f"{path}: metadata: {key} has no printable name")
        if name in names.values():
            raise InputError(f'{path}: metadata: two channels are called "{name}"')
        names[int(place[1]) - 1] = name
    if not names:
        raise InputError(f"{path}: the session holds no logic channels")
    return names


def _stored_rate(path: Path, device: configparser.SectionProxy) -> int | None:
    """Return the rate as libsigrok's sr_parse_sizestring reads it; None if the file has none."""
    text = device.get("samplerate", "")
    if not text:
        return None
    match = re.fullmatch(r"([0-9]{1,15}(?:\.[0-9]{1,9})?) ?([kmg]?)(?:hz)?", text.lower())
    rate = Fraction(match[1]) * _SCALES[match[2]] if match else Fraction(0)
    if rate.denominator != 1 or not 1 <= rate <= RATE_MAX_HZ:
        raise InputError(f"{path}: metadata: samplerate {text[:40]!a}; valid: 1 Hz to 1000 GHz")
    return int(rate)


def _rate(path: Path, stored_hz: int | None, given_hz: int | None) -> int:
    if stored_hz is None and given_hz is None:
        raise InputError(f"{path}: does not tell its sample rate; give it with --sample-rate")
    if stored_hz is not None and given_hz not in {None, stored_hz}:
        raise InputError(f"{path}: was sampled at {stored_hz} Hz; leave --sample-rate out")
    return int(stored_hz or given_hz or 0)


def _pieces(path: Path, entries: dict[str, zipfile.ZipInfo], capture_name: str) -> tuple[str, ...]:
    """Return the entries with the samples, in order."""
    if capture_name in entries:
        return (capture_name,)
    numbers = [
        int(match[1])
        for name in entries
        if (match := re.fullmatch(re.escape(capture_name) + "-([1-9][0-9]{0,8})", name))
    ]
    missing = min(set(range(1, len(numbers) + 2)) - set(numbers))
    if missing <= len(numbers) or not numbers:
        raise InputError(
            f"{path}: incomplete session file, it has no entry {capture_name}-{missing}"
        )
    return tuple(f"{capture_name}-{number}" for number in sorted(numbers))
