# SPDX-License-Identifier: GPL-3.0-or-later
"""A library in C beside the Python that calls it: built by setup.py, but it may be missing.

Python does the same then, slower (docs/decisions/0008, 0034).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any


def opened(
    path: Path, opener: Callable[[str], Any], interface: str, version: int
) -> tuple[Any, str]:
    """The functions in this file, or None and why they cannot be used; never raises.

    `opener`: of ctypes or cffi. `interface`: the function that says which revision it was built
    from; one of another revision than `version` must not be called.
    """
    if not path.is_file():
        return None, f"{path.name} was not built"
    try:
        functions = opener(str(path))
        found = getattr(functions, interface)()
    except (OSError, AttributeError) as error:
        return None, f"{path.name} cannot be used ({error})"
    if found != version:
        return None, f"{path.name} has interface {found}, this rig needs {version}"
    return functions, ""
