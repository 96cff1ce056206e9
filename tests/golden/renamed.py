# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys of `rig show --json` that have been renamed since the results were stored, old to new."""

from __future__ import annotations

from typing import Any

RENAMED: dict[str, str] = {}


def with_new_keys(document: Any) -> Any:
    """The document with these keys by their new names, however deep they are."""
    if isinstance(document, dict):
        return {RENAMED.get(key, key): with_new_keys(value) for key, value in document.items()}
    if isinstance(document, list):
        return [with_new_keys(value) for value in document]
    return document
