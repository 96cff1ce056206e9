# SPDX-License-Identifier: GPL-3.0-or-later
"""The places of the built-in campaigns, and the check whether a name means one."""

from __future__ import annotations

import re
from pathlib import Path

from rig.resources import plan_names
from rig.toml.reader import read_document

_FOLDER = Path(__file__).resolve().parents[1] / "data" / "campaigns"
_TABLE = re.compile(r"^\s*\[\s*campaign\s*\]", re.MULTILINE)


def campaign_names() -> tuple[str, ...]:
    """Names of the built-in campaigns, sorted."""
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.toml")))


def find_campaign(name_or_path: str) -> Path | None:
    """The file of a built-in campaign, or the path given if that file is one's; else None.

    A built-in plan of the same name wins. Raises InputError for a file that cannot be read.
    """
    if name_or_path in plan_names():
        return None
    if name_or_path in campaign_names():
        return _FOLDER / f"{name_or_path}.toml"
    path = Path(name_or_path)
    if ("/" not in name_or_path and path.suffix != ".toml") or not path.is_file():
        return None
    return path if _TABLE.search(read_document(path).text) else None
