# SPDX-License-Identifier: GPL-3.0-or-later
"""Digests of a run file's parts, computed from the bytes that are stored.

A part is a dataset, or a few that belong together. Its digest is SHA-256 (FIPS 180-4, hashlib) over
the description of each of its objects (name, type, shape, chunks, filters, attributes) and what is
stored in it: texts as UTF-8, other values as they lie in memory, compressed columns as compressed,
chunk by chunk in the order of their rows. Where in the file HDF5 put something does not matter, so
a copy of a file has the digests of the original. docs/reference/run-file.md has the list of parts.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from math import prod
from typing import Any

import h5py
import numpy as np

from rig.record.layout import (
    DIGESTS,
    DIGESTS_BYTES,
    FIGURES,
    FIGURES_ATTRIBUTES,
    FIGURES_DIGESTS,
    TAIL,
)
from rig.record.stored import as_line, damage_told, damaged, is_plain, stored_bytes, stored_text
from rig.untrusted.json_reader import json_value

ATTRIBUTES = "attributes"
"""The part of the file's own attributes and of the groups of raw data."""
_SHOWN = "shown"
"""The part of the attributes that whoever stored the figures set."""
_DEPTH_MAX = 4
_PART_NAMES = 2
"""The names of a dataset's path that name its part: what a column is coded in is one part."""
_OBJECTS_MAX = 1000
_ATTRIBUTE_MAX = 1 << 16
_PARTS_MAX = 200

Parts = dict[str, str]


def raw_parts(file: h5py.File, source: str) -> Parts:
    """SHA-256 of each part of the raw data, in hexadecimal, by name. Raises InputError."""
    return _parts(file, source, figures=False)


def figures_parts(file: h5py.File, source: str) -> Parts:
    """SHA-256 of each part of the computed groups; empty if there are none. Raises InputError."""
    parts = _parts(file, source, figures=True)
    return {} if set(parts) <= {_SHOWN} else parts


def whole_digest(parts: Parts) -> str:
    """The digest of the digests: SHA-256 of `NAME DIGEST` and a line break for each part."""
    text = "".join(f"{name} {digest}\n" for name, digest in sorted(parts.items()))
    return hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()


def seal_raw(file: h5py.File, source: str) -> str:
    """Store the digests of raw data that are complete and written out; returns that of them all."""
    parts = raw_parts(file, source)
    text = json.dumps(parts, sort_keys=True).encode()
    if len(text) > DIGESTS_BYTES:
        raise damaged(source, f"its digests have {len(text)} bytes, over {DIGESTS_BYTES}")
    file[DIGESTS][0] = text
    file.flush()
    return whole_digest(parts)


def seal_figures(file: h5py.File, source: str) -> None:
    """Store the digests of the computed groups, bound to the raw data that they are of.

    To be called each time when one of them has changed. A file without digests stays without.
    """
    raw = stored_raw(file, source)
    if not raw:
        return
    with damage_told(source, "figures cannot be stored in it"):
        file.flush()
    parts = figures_parts(file, source)
    text = json.dumps({"raw": whole_digest(raw), "parts": parts}, sort_keys=True)
    with damage_told(source, "figures cannot be stored in it"):
        if FIGURES_DIGESTS in file:
            del file[FIGURES_DIGESTS]
        file[FIGURES_DIGESTS] = text
        file.flush()


def stored_raw(file: h5py.File, source: str) -> Parts:
    """Digests of the raw data as they are stored; empty if there are none. Raises InputError."""
    with damage_told(source):
        if DIGESTS not in file:
            return {}
    text = stored_bytes(file, source, DIGESTS)
    return _read(text, source, DIGESTS) if text else {}


def stored_figures(file: h5py.File, source: str) -> tuple[str, Parts]:
    """Return the digest of the figures' raw data, and the figures' own; ("", {}) if none."""
    text = stored_text(file, source, FIGURES_DIGESTS)
    if not text:
        return "", {}
    found = _json(text, source, FIGURES_DIGESTS)
    raw = found.get("raw") if isinstance(found, dict) else None
    if not isinstance(raw, str):
        raise damaged(source, f"{FIGURES_DIGESTS} is not as it should be")
    return raw, _as_parts(found.get("parts"), source, FIGURES_DIGESTS)


def differing(stored: Parts, found: Parts) -> list[str]:
    """Names of parts that are not as stored: changed, missing, or not there when it was stored."""
    names = sorted(stored.keys() | found.keys())
    return [name for name in names if stored.get(name) != found.get(name)]


def _read(text: bytes, source: str, name: str) -> Parts:
    return _as_parts(_json(text.decode(errors="replace"), source, name), source, name)


def _json(text: str, source: str, name: str) -> Any:
    if len(text) <= DIGESTS_BYTES:
        try:
            return json_value(text)
        except ValueError:
            pass
    raise damaged(source, f"{name} is not as it should be")


def _as_parts(found: object, source: str, name: str) -> Parts:
    if isinstance(found, dict) and len(found) <= _PARTS_MAX:
        parts = {key: value for key, value in found.items() if isinstance(value, str)}
        if len(parts) == len(found):
            return parts
    raise damaged(source, f"{name} is not as it should be")


def _parts(file: h5py.File, source: str, *, figures: bool) -> Parts:
    """Return the parts' digests: each object is hashed into its part, in the order of names."""
    hashes: dict[str, Any] = {}

    def update(part: str, data: bytes) -> None:
        hashes.setdefault(part, hashlib.sha256()).update(data)

    # What is claimed to be stored is never more than the file has: no claim costs time.
    room = _Room(file.id.get_filesize(), source)
    own = [name for name in sorted(_names(file, source)) if (name in FIGURES_ATTRIBUTES) == figures]
    part = _SHOWN if figures else ATTRIBUTES
    update(part, _line([_attribute(file, name, source) for name in own]))
    # Raw data are looked at by the pass for them: opening each object takes as long as its digest.
    for path, item in _objects(file, source, "", 1, FIGURES if figures else None):
        name = _part_of(path, item, figures=figures)
        if name is not None:
            for data in _content(path, item, room):
                update(name, data)
    return {name: digest.hexdigest() for name, digest in hashes.items()}


def _part_of(path: str, item: h5py.Group | h5py.Dataset, *, figures: bool) -> str | None:
    """Return the part of an object; None if it is of the other kind, or one of the digests."""
    top = path.split("/")[0]
    if path in (DIGESTS, FIGURES_DIGESTS) or (top in FIGURES) != figures:
        return None
    if figures or top == TAIL:
        return top
    if isinstance(item, h5py.Group) and path == top:
        return ATTRIBUTES
    return "/".join(path.split("/")[:_PART_NAMES])


class _Room:
    """The most bytes that stored objects can take."""

    def __init__(self, left: int, source: str) -> None:
        self._left = left
        self.source = source

    def take(self, count: int, what: str) -> None:
        """Subtract `count` bytes. Raises InputError once more is claimed than there can be."""
        self._left -= count
        if self._left < 0:
            raise damaged(self.source, f"{as_line(what.encode(errors='replace'))} is too large")


def _objects(
    group: h5py.Group,
    source: str,
    prefix: str,
    depth: int,
    only: tuple[str, ...] | None = None,
) -> Iterator[tuple[str, h5py.Group | h5py.Dataset]]:
    """Yield everything below a group in the order of names. Raises InputError for links elsewhere.

    `only`: the names to which the objects, with all below them, are limited.
    """
    with damage_told(source):
        names = sorted(group)
    if depth > _DEPTH_MAX or len(names) > _OBJECTS_MAX:
        raise damaged(source, "it has more groups than this rig writes")
    for name in names if only is None else [name for name in names if name in only]:
        path = prefix + name
        with damage_told(source):
            link = group.get(name, getlink=True)
            item = group[name] if isinstance(link, h5py.HardLink) else None
        if not isinstance(item, h5py.Group) and not is_plain(item):
            raise damaged(source, f"{as_line(path.encode(errors='replace'))} lies outside of it")
        yield path, item
        if isinstance(item, h5py.Group):
            yield from _objects(item, source, f"{path}/", depth + 1)


def _content(path: str, item: h5py.Group | h5py.Dataset, room: _Room) -> Iterator[bytes]:
    """Yield the bytes of an object that are hashed: its description, and what is stored in it."""
    source = room.source
    attributes = [_attribute(item, name, source) for name in sorted(_names(item, source))]
    if isinstance(item, h5py.Group):
        yield _line(["group", path, attributes])
        return
    with damage_told(source):
        text = h5py.check_string_dtype(item.dtype)
        variable = text is not None and text.length is None
        kind = "text" if variable else _type(item.dtype, path, source)
        settings = item.id.get_create_plist()
        filters = [settings.get_filter(number) for number in range(settings.get_nfilters())]
        stored = [[int(code), [int(value) for value in values]] for code, _, values, _ in filters]
        yield _line(["dataset", path, kind, item.shape, item.chunks, stored, attributes])
    if variable:
        data = stored_text(item.file, source, path).encode(errors="surrogateescape")
        room.take(len(data), path)
        yield _line(len(data)) + data
    elif item.chunks is None:
        yield _whole(item, path, room)
    else:
        yield from _chunks(item, path, room)


def _whole(item: h5py.Dataset, path: str, room: _Room) -> bytes:
    with damage_told(room.source):
        size = int(item.id.get_storage_size())
        room.take(size, path)
        if size == 0:
            return b""
        if item.shape is None or size != item.dtype.itemsize * prod(item.shape):
            raise damaged(room.source, f"{path} is not as it should be")
        return np.asarray(item[()]).tobytes()


def _chunks(item: h5py.Dataset, path: str, room: _Room) -> Iterator[bytes]:
    found: list[tuple[tuple[int, ...], int]] = []
    with damage_told(room.source):
        item.id.chunk_iter(lambda chunk: found.append((chunk.chunk_offset, int(chunk.size))))
    for at, size in sorted(found):
        room.take(size, path)
        with damage_told(room.source):
            mask, data = item.id.read_direct_chunk(at)
        yield _line([at, mask, len(data)])
        yield data


def _names(item: h5py.Group | h5py.Dataset, source: str) -> list[str]:
    with damage_told(source):
        return list(item.attrs)


def _attribute(item: h5py.Group | h5py.Dataset, name: str, source: str) -> list[Any]:
    with damage_told(source):
        stored = item.attrs.get_id(name)
        if stored.get_storage_size() <= _ATTRIBUTE_MAX:
            value = item.attrs[name]
            if isinstance(value, str):
                return [name, value]
            array = np.asarray(value)
            if array.dtype == object:
                return [name, [str(each) for each in array.ravel()]]
            return [name, _type(array.dtype, name, source), array.shape, array.tobytes().hex()]
    raise damaged(source, f"attribute {as_line(name.encode(errors='replace'))} is too large")


def _type(dtype: np.dtype[Any], path: str, source: str) -> Any:
    """Return a type as numpy writes it. Raises InputError for values that lie outside their row."""
    if dtype.hasobject:
        raise damaged(source, f"{as_line(path.encode(errors='replace'))} is not as it should be")
    return [list(field) for field in dtype.descr]


def _line(value: object) -> bytes:
    return json.dumps(value).encode() + b"\n"
