# SPDX-License-Identifier: GPL-3.0-or-later
"""Run files to be damaged: by patches that know where HDF5's structures lie.

HDF5 protects its structures by checksums, so damage at random ends at the first of them. A patch
can mend the checksum of what it changed, as whoever makes up a file would.
"""

from __future__ import annotations

import json
import shutil
import struct
import tempfile
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np

from rig.config.fixture import load_fixture
from rig.config.plan import load_plan
from rig.instruments import LOG_RECORD, EdgeBlock, Loss, LossKind
from rig.measurements.stored_settings import settings_to_json
from rig.record.layout import OVERRIDES
from rig.record.unclosed_files import lookup3
from rig.record.writer import RunWriter
from rig.session.results import store
from rig.session.settings import settings_of
from tests.chip import CLOCK_HZ

_SIGNATURES = (
    b"\x89HDF", b"OHDR", b"OCHK", b"FRHP", b"FHDB", b"FHIB", b"BTHD", b"BTIN", b"BTLF", b"FSHD",
    b"FSSE", b"FAHD", b"FADB", b"EAHD", b"EAIB", b"EASB", b"EADB",
)  # fmt: skip
"""Each begins a structure that ends with a checksum (HDF5 File Format Specification 3.0)."""
_STRUCTURE_MAX = 1024
LIVE = 2
"""Place among the originals of the one whose writer died."""
_EVENTS = 60
_PERIOD = 24_000
SAMPLE_RATE_HZ, TICK_HZ = 24_000_000, 10**9
ENVIRONMENT = {
    "environment/analyzer": json.dumps({
        "driver": "demo", "vendor": "v", "model": "m", "library": "0.5",
        "sample_rate_hz": SAMPLE_RATE_HZ, "channels": [f"D{bit}" for bit in range(8)],
    }),
    "environment/stimulus": json.dumps({
        "maker": "m", "model": "m", "serial": "1", "firmware": "1", "interface_level": 1,
        "clock_hz": CLOCK_HZ,
    }),
    "environment/target": json.dumps({
        "agent": "a", "version": "1", "tick_hz": TICK_HZ, "log_format": 1,
        "environment": {"kernel": "6.1", "cpus": [{"minimum_khz": 1, "maximum_khz": 1}]},
    }),
    "environment/host": json.dumps({"kernel": "6.1", "cpu": "x"}),
}  # fmt: skip
PATCH = struct.Struct("<BIQ")
"""Bytes written and where to look for the place, the place, the value."""


@dataclass(frozen=True)
class Original:
    """A sound run file, and where its structures are."""

    data: bytes
    structures: tuple[tuple[int, int], ...]
    """First byte of each and that of its checksum, in order."""
    places: tuple[tuple[int, ...], tuple[int, ...]]
    """Bytes within structures; bytes anywhere that are not 0."""


@cache
def originals() -> tuple[Original, ...]:
    """A file without figures, one with figures, one whose writer died."""
    with tempfile.TemporaryDirectory(prefix="rig-fuzz-") as folder:
        plain, live, stored = (Path(folder) / f"{name}.h5" for name in ("plain", "live", "stored"))
        writer = RunWriter(plain, _texts(), _settings(), attributes={"created": "2026-01-01"})
        with writer:
            _fill(writer)
            shutil.copyfile(plain, live)
            writer.finish("complete", {"sent": _EVENTS, "handled": _EVENTS})
        shutil.copyfile(plain, stored)
        store(stored)
        return tuple(_original(path.read_bytes()) for path in (plain, stored, live))


def _texts() -> dict[str, str]:
    plan, fixture = load_plan("interrupt"), load_fixture("virtual")
    return {
        "plan": plan.text,
        "fixture": fixture.text,
        "calibration": "",
        OVERRIDES: json.dumps({"count": _EVENTS}),
        **ENVIRONMENT,
    }


def _settings() -> dict[str, object]:
    plan = load_plan("interrupt").with_overrides(count=_EVENTS)
    return settings_to_json(
        settings_of(plan, load_fixture("virtual"), SAMPLE_RATE_HZ, CLOCK_HZ, TICK_HZ)
    )


def _fill(writer: RunWriter) -> None:
    """Pulses and answers in two parts, written out after each."""
    fixture = load_fixture("virtual")
    stimulus, response = fixture.channel_of("stimulus"), fixture.channel_of("response")
    rows = []
    for number in range(_EVENTS):
        at = number * _PERIOD + 100
        rows += [
            (at, stimulus, 1),
            (at + 200, stimulus, 0),
            (at + 300 + number, response, 1 - number % 2),
        ]
    index, channel, level = np.array(rows, np.int64).T
    parts = (0, len(rows) // 2, len(rows))
    for first, stop in pairwise(parts):
        start = int(index[first]) if first else 0
        end = int(index[stop]) if stop < len(rows) else _EVENTS * _PERIOD
        at = slice(first, stop)
        mine = (index[at], channel[at].astype(np.uint8), level[at].astype(np.uint8))
        writer.edges(EdgeBlock(start, end, *mine, levels_before=0))
        writer.flush()
    log = np.zeros(_EVENTS, LOG_RECORD)
    log["sequence"], log["handled"] = np.arange(_EVENTS), np.arange(_EVENTS) + 1
    log["before_ticks"] = np.arange(_EVENTS) * 100
    log["after_ticks"] = log["before_ticks"] + 5
    writer.log(log)
    writer.captures(np.arange(_EVENTS, dtype=np.int64) * 16_000)
    writer.loss(Loss(LossKind.STALL, 3, "no samples for 5 s"))
    writer.flush()


def _original(data: bytes) -> Original:
    structures = tuple(sorted(filter(None, (_structure(data, at) for at in _signed(data)))))
    inside = tuple(at for first, end in structures for at in range(first, end))
    return Original(data, structures, (inside, tuple(np.flatnonzero(bytearray(data)).tolist())))


def _signed(data: bytes) -> list[int]:
    """Where a signature stands."""
    found = []
    for signature in _SIGNATURES:
        at = data.find(signature)
        while at >= 0:
            found.append(at)
            at = data.find(signature, at + 1)
    return found


def _structure(data: bytes, first: int) -> tuple[int, int] | None:
    """Where the structure that begins here has its checksum, told by trying."""
    for end in range(first + 4, min(first + _STRUCTURE_MAX, len(data) - 4)):
        (stored,) = struct.unpack_from("<I", data, end)
        if stored and lookup3(data[first:end]) == stored:
            return first, end
    return None


def patched(original: Original, patches: bytes, *, mend: bool) -> bytes:
    """The file with these patches; with `mend`, all checksums are right again."""
    data = bytearray(original.data)
    for at in range(0, len(patches) - PATCH.size + 1, PATCH.size):
        choice, place, value = PATCH.unpack_from(patches, at)
        places = original.places[choice >> 7]
        first = places[place % len(places)]
        width = min(1 << (choice & 3), len(data) - first)
        data[first : first + width] = value.to_bytes(8, "little")[:width]
    if mend:
        for first, end in original.structures:
            if data[first:end] != original.data[first:end]:
                struct.pack_into("<I", data, end, lookup3(bytes(data[first:end])))
    return bytes(data)
