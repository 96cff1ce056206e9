# SPDX-License-Identifier: GPL-3.0-or-later
"""The zip files of sigrok and DSView: texts in INI form, and samples in pieces.

Samples are inflated into memory a piece at a time and never put on disk. What a small file can
swell to is bounded: DEFLATE makes at most 1032 bytes of one (RFC 1951), no other compression is
taken, and pieces may not share compressed bytes.
"""

from __future__ import annotations

import configparser
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

from rig.capture.rates import RATE_MAX_HZ
from rig.errors import InputError

_METADATA_MAX_BYTES = 1 << 16
_ENTRIES_MAX = 1 << 20
READ_BYTES = 1 << 20
"""The bytes of a piece to inflate at once."""
_DAMAGE = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, RuntimeError, ValueError)
"""The errors of zipfile for a damaged file; the last two for names, methods and offsets."""
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_SCALES = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}

Section = Mapping[str, str]
"""The values of a section of a text in INI form, by key."""


@contextmanager
def opened(path: Path) -> Iterator[zipfile.ZipFile]:
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


def entries_of(path: Path, archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
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


def text_of(
    path: Path, archive: zipfile.ZipFile, entries: dict[str, zipfile.ZipInfo], name: str
) -> str:
    """Return the text of a small entry."""
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


def sections_of(path: Path, name: str, text: str) -> dict[str, Section]:
    """Return the sections of a text in INI form; old writers indent some of the keys."""
    parser = configparser.ConfigParser(interpolation=None, default_section="")
    try:
        parser.read_string("\n".join(line.strip() for line in text.splitlines()))
    except configparser.Error as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"{path}: {name} is no INI file ({ascii(reason)[1:-1]})") from None
    return {section: dict(parser[section]) for section in parser.sections()}


def stored_rate(path: Path, section: Section) -> int | None:
    """Return the rate as libsigrok's sr_parse_sizestring reads it; None if the file has none."""
    text = section.get("samplerate", "")
    if not text:
        return None
    match = re.fullmatch(r"([0-9]{1,15}(?:\.[0-9]{1,9})?) ?([kmg]?)(?:hz)?", text.lower())
    rate = Fraction(match[1]) * _SCALES[match[2]] if match else Fraction(0)
    if rate.denominator != 1 or not 1 <= rate <= RATE_MAX_HZ:
        raise InputError(f"{path}: samplerate {text[:40]!a}; valid: 1 Hz to 1000 GHz")
    return int(rate)


def chosen_rate(path: Path, stored_hz: int | None, given_hz: int | None) -> int:
    """Return the rate of the file, or the one that was given for a file that does not tell it."""
    if stored_hz is None and given_hz is None:
        raise InputError(f"{path}: does not tell its sample rate; give it with --sample-rate")
    if stored_hz is not None and given_hz not in {None, stored_hz}:
        raise InputError(f"{path}: was sampled at {stored_hz} Hz; leave --sample-rate out")
    return int(stored_hz or given_hz or 0)
