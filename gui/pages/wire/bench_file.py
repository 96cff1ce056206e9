# SPDX-License-Identifier: GPL-3.0-or-later
"""The fixture that is open: its path, its stored text, its storing. No widgets."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QIODevice, QSaveFile

from rig.errors import InputError
from rig.resources import find_fixture, fixture_names
from rig.toml.reader import read_document


@dataclass(frozen=True)
class BenchFile:
    """A fixture as it was read or written last."""

    name: str
    """A built-in name, or an absolute path."""
    text: str
    """The text with "\\n" at the ends of lines."""
    newline: str = "\n"
    """The end of a line in the file."""

    @property
    def is_built_in(self) -> bool:
        """Whether the fixture is opened by name, and never written."""
        return self.name in fixture_names()

    @property
    def path(self) -> Path:
        """The path of the file."""
        return find_fixture(self.name)

    def is_changed_on_disk(self) -> bool:
        """Return whether somebody else wrote the file since, or it is gone."""
        try:
            return open_bench_file(self.name).text != self.text
        except InputError:
            return True


def open_bench_file(name: str) -> BenchFile:
    """Open a built-in fixture by its name, or a file. Raises InputError as the command line."""
    built_in = name in fixture_names()
    name = name if built_in else str(Path(name).absolute())
    text = read_document(find_fixture(name), name).text
    newline = "\r\n" if "\r\n" in text else "\n"
    return BenchFile(name, text.replace("\r\n", "\n"), newline)


def save_bench_file(path: Path, text: str, newline: str = "\n") -> BenchFile:
    """Write it: wholly or not at all. Raises InputError; a built-in fixture is never written."""
    path = path.absolute()
    refuse_built_in(path)
    file = QSaveFile(str(path))
    data = text.replace("\n", newline).encode("utf-8", "replace")
    whole = file.open(QIODevice.OpenModeFlag.WriteOnly) and file.write(data) == len(data)
    if not whole or not file.commit():
        raise InputError(
            f"{path}: cannot be written ({file.errorString()}); save it in another folder"
        )
    return BenchFile(str(path), text, newline)


def refuse_built_in(path: Path) -> None:
    """Raise InputError for any file in the folder of the built-in fixtures."""
    folders = {find_fixture(name).parent.resolve() for name in fixture_names()}
    if path.resolve().parent in folders:
        raise InputError(
            f"{path}: is among the built-in fixtures, which stay as they are; "
            "save it in another folder"
        )
