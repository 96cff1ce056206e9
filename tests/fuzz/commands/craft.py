# SPDX-License-Identifier: GPL-3.0-or-later
"""Run files with edits that know what is in them: texts, columns, types, shapes, filters."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import h5py
import numpy as np

from rig.errors import RigError
from rig.record.digest import seal_figures, seal_raw
from rig.record.layout import DIGESTS, FIGURES_DIGESTS
from tests.fuzz.commands.nasty import INTEGERS, broken_bytes, edited_text
from tests.fuzz.run_files import LIVE, originals, patched
from tests.record.older import with_older_event_names

TEXTS = (
    "settings", "settings", "settings", "statistics/json", "statistics/json", "statistics/json",
    "report", "report", "environment/analyzer", "environment/target", "environment/stimulus",
    "environment/host", "environment/tools", "windows", "plan", "fixture", "calibration",
    "statistics/calibration",
)  # fmt: skip
COLUMNS = (
    "events/planned", "events/stimulus", "events/response", "events/response_edge", "events/lines",
    "events/status", "events/internal_latency", "histogram/latency_samples", "histogram/count",
    "edges/covered", "edges/levels_before", "written", "edges/delta/code", "edges/delta/lines",
    "edges/channel_level", "edges/anchor", "target/log/lines", "target/log/edge", "target/log/rest",
    "target/log/handled", "target/log/after", "stimulus/capture_ticks/lines",
    "stimulus/capture_ticks/edge", "stimulus/capture_ticks/rest", "loss", "tail/edges/delta",
    "tail/target/log", "tail/loss", "state",
)  # fmt: skip


def crafted_run(random: Random, path: Path, sound: list[bytes]) -> str:
    """Make a run file at `path`; what was done to it. `sound`: run files to begin with."""
    data = random.choice(sound)
    if random.random() < 0.25:
        path.write_bytes(_damaged(random, data, sound))
        return "bytes"
    path.write_bytes(data)
    done = []
    with contextlib.suppress(*_REFUSED), h5py.File(path, "r+", libver="latest") as file:
        for _ in range(random.choice([1, 1, 1, 2, 3])):
            edit = random.choice(EDITS)
            with contextlib.suppress(*_REFUSED):
                done.append(f"{edit.__name__}: {edit(random, file)}")
        with contextlib.suppress(*_REFUSED, RigError):
            done.append(_sealed(random, file, done))
    return ", ".join(filter(None, done))


def _sealed(random: Random, file: h5py.File, done: list[str]) -> str:
    """Make the digests fit, or have none, as in a file of format version 1."""
    way = random.random()
    if way < OLD:
        file.attrs["format_version"] = 1
        # An edit before may have given a column more rows than there is memory for.
        with contextlib.suppress(*_REFUSED, MemoryError):
            with_older_event_names(file, 1)
        for name in (DIGESTS, FIGURES_DIGESTS):
            if name in file:
                del file[name]
        return "old"
    if way < SEALED and not any(each.startswith("more_rows") for each in done):
        seal_raw(file, str(file.filename))
        seal_figures(file, str(file.filename))
        return "sealed"
    return ""


OLD, SEALED = 0.45, 0.9
"""Share of files of a format without digests; the next ones have digests that fit what is in them,
as whoever makes up a file sees to it."""
DIRECT = ("text", "rows", "attribute", "sealed", "old")
"""Edits that leave a file's structure sound: no child needs to look at it first."""


def is_direct(made: str) -> bool:
    """Whether a file was made by such edits only."""
    return all(each.partition(":")[0] in DIRECT for each in made.split(", "))


_REFUSED = (
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
    LookupError,
    OverflowError,
    AttributeError,
)


def _damaged(random: Random, data: bytes, sound: list[bytes]) -> bytes:
    """Half of them with HDF5's own checksums mended, as whoever makes up a file would."""
    if random.random() < 0.5:
        kind = random.randrange(len(originals()))
        patches = bytes(random.randrange(256) for _ in range(13 * random.choice([1, 2, 4])))
        return patched(originals()[kind], patches, mend=kind == LIVE or random.random() < 0.7)
    return broken_bytes(random, data, random.choice(sound))


def _replaced(file: h5py.File, name: str, value: Any, **options: Any) -> None:
    if name in file:
        del file[name]
    file.create_dataset(name, data=value, **options)


def text(random: Random, file: h5py.File) -> str:
    """A stored text, changed within."""
    names = [name for name in TEXTS if name in file]
    name = random.choice(names)
    stored = file[name]
    is_row = name == "report"
    before = bytes(stored[0]).decode(errors="replace") if is_row else stored.asstr()[()]
    after = edited_text(random, before)
    if is_row:
        size = random.choice([4096, len(after.encode("utf-8", "replace")) + 1])
        _replaced(file, name, np.array([after.encode("utf-8", "replace")], f"S{size}"))
    else:
        _replaced(file, name, after.encode("utf-8", "surrogatepass"), dtype=h5py.string_dtype())
    return name


def long_text(random: Random, file: h5py.File) -> str:
    """A text of megabytes."""
    name = random.choice(TEXTS)
    size = random.choice([1, 1, 8, 40]) << 20
    piece = random.choice(['{"a": [', "[[],", '"x",', " ", "1,", "\x1b["])
    whole = random.choice(["[", '{"a": [', ""]) + piece * (size // len(piece))
    _replaced(file, name, whole, dtype=h5py.string_dtype())
    return name


def rows(random: Random, file: h5py.File) -> str:
    """Some rows of a column."""
    name = random.choice([each for each in COLUMNS if each in file])
    column = file[name]
    values = column[:]
    if not len(values):
        return name
    flat = values.view(np.uint8).reshape(len(values), -1)
    for _ in range(random.choice([1, 3, 50])):
        at = random.randrange(len(values))
        if values.dtype.names:
            field = random.choice(values.dtype.names)
            if values.dtype[field].kind in "iu":
                values[field][at] = _fitting(random, values.dtype[field])
                continue
        elif values.dtype.kind in "iu" and values.ndim == 1:
            values[at] = _fitting(random, values.dtype)
            continue
        flat[at, random.randrange(flat.shape[1])] = random.randrange(256)
    column[:] = values
    return name


def _fitting(random: Random, dtype: np.dtype[Any]) -> int:
    limits = np.iinfo(dtype)
    return min(max(random.choice(INTEGERS), int(limits.min)), int(limits.max))


def more_rows(random: Random, file: h5py.File) -> str:
    """A column that is longer or shorter than it says."""
    name = random.choice([each for each in COLUMNS if each in file])
    column = file[name]
    size = random.choice([0, 1, len(column) - 1, len(column) * 2, 1 << 20, 1 << 40, 1 << 61])
    column.resize((max(0, size),))
    return f"{name} to {size}"


_SMALL = 1 << 20
"""Values of a dataset that is read to be changed."""


def counts(random: Random, file: h5py.File) -> str:
    """How many rows there are said to be, and how far the edges go."""
    if random.random() < 0.5:
        file["written"][random.randrange(6), :] = random.choice(INTEGERS)
    else:
        file["edges/covered"][0] = random.choice(INTEGERS)
    return "written"


def retyped(random: Random, file: h5py.File) -> str:
    """A dataset of another type, shape or filter."""
    name = random.choice([each for each in (*COLUMNS, "settings", "report") if each in file])
    is_small = file[name].size is not None and file[name].size < _SMALL  # it may be crafted already
    before = file[name][()] if is_small else np.zeros(1)
    array = np.zeros(1) if isinstance(before, bytes) else np.atleast_1d(np.asarray(before))
    kind = random.choice(["f4", "f8", "i1", "u8", ">i8", "c16"])
    changes: tuple[Callable[[], Any], ...] = (
        lambda: array.astype(kind),
        lambda: array.reshape(1, -1),
        lambda: 5,
        lambda: np.zeros((3, 3, 3)),
        lambda: h5py.Empty("f8"),
        lambda: np.array([b"x" * 100]),
    )
    if random.random() < 0.5:
        _replaced(file, name, random.choice(changes)())
        return name
    options = random.choice(
        [{"compression": "lzf"}, {"fletcher32": True}, {"chunks": (1,)}, {"scaleoffset": 0},
         {"compression": "gzip", "shuffle": True}]
    )  # fmt: skip
    _replaced(file, name, array, maxshape=(None,) * array.ndim, **options)
    return f"{name} {options}"


def removed(random: Random, file: h5py.File) -> str:
    """Something missing."""
    names: list[str] = []
    file.visit(names.append)
    name = random.choice(names)
    del file[name]
    return name


def linked(random: Random, file: h5py.File) -> str:
    """A name that leads elsewhere, or a group in place of a dataset."""
    names: list[str] = []
    file.visit(names.append)
    name = random.choice(names)
    del file[name]
    file[name] = random.choice(
        [
            h5py.SoftLink("/" + random.choice(names)), h5py.SoftLink("/" + name),
            h5py.ExternalLink("/etc/passwd", "/"), h5py.ExternalLink(os.devnull, "/x"),
            np.dtype("f8"),
        ]
    )  # fmt: skip
    return name


def attribute(random: Random, file: h5py.File) -> str:
    """An attribute of the file."""
    name = random.choice(["format", "format_version", "rig_version", "created", "NX_class"])
    file.attrs[name] = random.choice(
        [0, -1, 2**62, 1e308, "", "x" * 60_000, "\x1b[2J", np.zeros(1000), "2026-13-45",
         "9999-12-31", "latency-rig-run", 1, "2026-01-01T00:00:00+99:00", np.bytes_(b"\xff\xfe")]
    )  # fmt: skip
    return name


EDITS = (
    text, text, text, text, text, text, rows, rows, rows, more_rows, counts, retyped, removed,
    linked, attribute, long_text,
)  # fmt: skip
