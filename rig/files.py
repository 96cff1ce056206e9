# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that are there as a whole, or not at all: new ones, and such as take another's place."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, BinaryIO, TextIO, cast

from rig.errors import InputError


@contextmanager
def create_new(path: Path, what: str, newline: str | None = None) -> Iterator[TextIO]:
    """A new file opened as UTF-8 text. Whatever ends the block early, no part of it is left behind.

    Raises InputError naming `what` is not written if it exists or cannot be written.
    """
    with _created(path, what, "x", encoding="utf-8", newline=newline) as file:
        yield cast("TextIO", file)


@contextmanager
def create_new_binary(path: Path, what: str) -> Iterator[BinaryIO]:
    """Create a new file of bytes, as `create_new` one of text."""
    with _created(path, what, "xb") as file:
        yield cast("BinaryIO", file)


@contextmanager
def replace_atomically(path: Path) -> Iterator[Path]:
    """An empty file beside `path` to be written, which takes its place if the block ends well.

    What was there stays until then, through a crash as well; its permissions are kept. Of a link,
    the file it leads to is replaced. Raises OSError.
    """
    real = path.resolve()
    descriptor, name = tempfile.mkstemp(".new", f"{real.name}.", real.parent)
    os.close(descriptor)
    new = Path(name)
    try:
        yield new
        with new.open("rb+") as file:
            os.fsync(file.fileno())  # before its name changes, or a power cut could cost both
        new.chmod(real.stat().st_mode & 0o777 if real.exists() else 0o644)
        new.replace(real)
    except BaseException:
        with suppress(OSError):
            new.unlink()
        raise


@contextmanager
def _created(
    path: Path, what: str, mode: str, encoding: str | None = None, newline: str | None = None
) -> Iterator[IO[str] | IO[bytes]]:
    try:
        file = path.open(mode, encoding=encoding, newline=newline)
    except FileExistsError:
        raise InputError(
            f"{path}: exists already and is not overwritten; give another name"
        ) from None
    except OSError as error:
        raise _not_written(path, what, error) from None
    try:
        with file:
            yield file
    except BaseException as error:
        with suppress(OSError):
            path.unlink()
        if isinstance(error, OSError):
            raise _not_written(path, what, error) from None
        raise


def _not_written(path: Path, what: str, error: OSError) -> InputError:
    return InputError(f"{path}: {what} not written ({error.strerror}); give another name")
