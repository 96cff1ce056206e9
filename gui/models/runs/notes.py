# SPDX-License-Identifier: GPL-3.0-or-later
"""Tags and notes of the runs of a folder, in one small file beside them that people can read.

TOML, a table for each run file by its name:

    ["interrupt-20261121.h5"]
    tags = ["baseline", "rt"]
    note = "governor performance"

It is read again before it is written, so that what others wrote meanwhile stays. A run file itself
is never changed by a note: it may be on its way to somebody else, or still be written.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rig.errors import InputError
from rig.files import replace_atomically
from rig.untrusted.toml_reader import BYTES_MAX, toml_table

FILE_NAME = "run-notes.toml"
_HEAD = "# Tags and notes of the run files in this folder.\n"


@dataclass(frozen=True)
class RunNote:
    """The tags and the note that people gave a run."""

    tags: tuple[str, ...] = ()
    note: str = ""

    def __bool__(self) -> bool:
        return bool(self.tags or self.note)


def tags_of(text: str) -> tuple[str, ...]:
    """Return the typed tags: words, with spaces or commas between them; each one once."""
    return tuple(dict.fromkeys(text.replace(",", " ").split()))


def read_notes(folder: Path) -> dict[str, RunNote]:
    """Read the notes by name of the run file; {} without notes. Raises InputError if unusable."""
    return {name: _note(folder, name, table) for name, table in _document(folder).items()}


def write_note(folder: Path, name: str, note: RunNote) -> dict[str, RunNote]:
    """Set one run's tags and note; return all that are in the file now. Raises InputError."""
    notes = read_notes(folder)
    notes.pop(name, None)
    if note:
        notes[name] = note
    _replace(folder / FILE_NAME, notes_text(notes))
    return notes


def notes_text(notes: Mapping[str, RunNote]) -> str:
    """Return the text of the whole file."""
    parts = [_HEAD]
    for name, note in sorted(notes.items()):
        parts.append(f"\n[{_quoted(name)}]\n")
        if note.tags:
            parts.append(f"tags = [{', '.join(_quoted(tag) for tag in note.tags)}]\n")
        if note.note:
            parts.append(f"note = {_quoted(note.note)}\n")
    return "".join(parts)


def _quoted(text: str) -> str:
    """Return a TOML basic string: JSON's escapes are among TOML's."""
    clean = text.encode("utf-8", "replace").decode()  # TOML knows no lone surrogates
    return json.dumps(clean, ensure_ascii=False).replace("\x7f", "\\u007f")


def _document(folder: Path) -> dict[str, Any]:
    path = folder / FILE_NAME
    try:
        with path.open("rb") as file:
            data = file.read(BYTES_MAX + 1)
        return toml_table(data)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise InputError(f"{path}: notes not read ({error.strerror})") from None
    except ValueError as error:
        raise InputError(
            f"{path}: notes not read ({error}); mend the file or move it away"
        ) from None


def _note(folder: Path, name: str, table: object) -> RunNote:
    if isinstance(table, dict):
        tags, note = table.get("tags", []), table.get("note", "")
        if _is_texts(tags) and isinstance(note, str):
            return RunNote(tuple(tags), note)
    raise InputError(
        f"{folder / FILE_NAME}: [{name!r}]: valid: tags, a list of words, and note, a text"
    )


def _is_texts(values: object) -> bool:
    return isinstance(values, list) and all(isinstance(value, str) for value in values)


def _replace(path: Path, text: str) -> None:
    """Replace the file; the old one stays until the new one is whole."""
    try:
        with replace_atomically(path) as new:
            new.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"{path}: note not kept ({error.strerror}); make the folder writable"
        ) from None
