# SPDX-License-Identifier: GPL-3.0-or-later
"""Single values of a run file, each looked at before it is used: the file may be a stranger's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import h5py
import numpy as np
import numpy.typing as npt

from rig.errors import InputError, input_error
from rig.untrusted.json_reader import BYTES_MAX

_LINE_MAX = 200
_RAISED = (KeyError, OSError, RuntimeError, TypeError, ValueError, OverflowError)
"""The errors of h5py for damaged places; the last three for types and sizes foreign to numpy."""


@contextmanager
def damage_told(source: str, what: str = "damaged run file") -> Iterator[None]:
    """Whatever h5py raises for a damaged place becomes an InputError. For calls of h5py only."""
    try:
        yield
    except _RAISED as error:
        raise input_error(source, None, "", f"{what} ({error})") from None


def damaged(source: str, what: str) -> InputError:
    """The error for what is there, but not as this rig writes it."""
    return input_error(source, None, "", f"damaged run file, {what}; give an undamaged copy")


def is_plain(dataset: object) -> bool:
    """A dataset whose data lie in the file itself."""
    return isinstance(dataset, h5py.Dataset) and not dataset.is_virtual and not dataset.external


def stored_text(file: h5py.File, source: str, name: str) -> str:
    """A text that was stored whole; "" if there is none. Raises InputError."""
    with damage_told(source):
        if name not in file:
            return ""
        dataset = file[name]
        if is_plain(dataset) and dataset.shape == ():
            kind = h5py.check_string_dtype(dataset.dtype)
            if kind is not None and kind.length is None:
                return _within_bounds(source, name, str(dataset.asstr()[()]))
    raise damaged(source, f"{name} is not a text")


def _within_bounds(source: str, name: str, text: str) -> str:
    """A text of any length can be read only by a child whose memory is bounded, as vetting does."""
    if len(text) > BYTES_MAX:
        valid = f"valid: at most {BYTES_MAX >> 20} MiB"
        raise damaged(source, f"{name} has {len(text):,} characters; {valid}")
    return text


def stored_bytes(file: h5py.File, source: str, name: str) -> bytes:
    """The one row of a dataset of byte strings. Raises InputError."""
    with damage_told(source):
        dataset = file[name]
        if (
            is_plain(dataset)
            and (dataset.shape, dataset.chunks) == ((1,), None)
            and dataset.dtype.kind == "S"
            and dataset.dtype.itemsize <= BYTES_MAX
        ):
            return bytes(dataset[0])
    raise damaged(source, f"{name} is not a text")


def stored_integer(file: h5py.File, source: str, name: str, kind: type[np.integer]) -> int:
    """The one row of a dataset of this type. Raises InputError."""
    with damage_told(source):
        dataset = file[name]
        if (
            is_plain(dataset)
            and (dataset.shape, dataset.chunks) == ((1,), None)
            and dataset.dtype == kind
        ):
            return int(dataset[0])
    raise damaged(source, f"{name} is not a number")


def check_range(
    source: str, name: str, rows: npt.NDArray[np.int64], first: int, least: int, most: int
) -> None:
    """Raises InputError naming the first row that is not within [least, most].

    rows: shape (n,), of a column, the first of which is row number `first` of it.
    """
    wrong = np.flatnonzero((rows < least) | (rows > most))
    if len(wrong):
        at = int(wrong[0])
        valid = f"valid: {least} to {most}"
        raise damaged(source, f"{name}, row {first + at}: {rows[at]} found; {valid}")


def stored_line(file: h5py.File, source: str, name: str) -> str:
    """An attribute of the file that is a line of text; "" if it is missing or anything else."""
    with damage_told(source):
        value = file.attrs.get(name, "")
    return value if isinstance(value, str) and _is_line(value) else ""


def _is_line(text: str) -> bool:
    return len(text) <= _LINE_MAX and text.isprintable()


def as_line(value: bytes) -> str:
    """Bytes as one line of text, whatever they are."""
    return "".join(c if c.isprintable() else "\ufffd" for c in value.decode(errors="replace"))
