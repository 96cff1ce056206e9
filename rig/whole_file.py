# SPDX-License-Identifier: GPL-3.0-or-later
"""A new file that is there as a whole, or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from rig.errors import InputError


@contextmanager
def whole_file(path: Path, what: str, newline: str | None = None) -> Iterator[TextIO]:
    """The file opened as UTF-8 text. Whatever ends the block early, no part of it is left behind.

    Raises InputError naming `what` is not written if it exists or cannot be written.
    """
    try:
        file = path.open("x", encoding="utf-8", newline=newline)
    except OSError as error:
        raise InputError(f"{path}: {what} not written ({error.strerror})") from None
    try:
        with file:
            yield file
    except OSError as error:
        with suppress(OSError):
            path.unlink()
        raise InputError(f"{path}: {what} not written ({error.strerror})") from None
    except BaseException:
        with suppress(OSError):
            path.unlink()
        raise
