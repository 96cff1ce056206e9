# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands start without loading what they do not need yet."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("scipy.stats", "matplotlib", "PySide6")


@pytest.mark.parametrize(
    ("module", "more"), [("rig.cli.main", ("numpy", "h5py")), ("rig.cli.run", ())]
)
def test_what_takes_long_is_loaded_when_it_is_needed(module: str, more: tuple[str, ...]) -> None:
    """In a process of its own: here everything is loaded already."""
    text = f"import sys, {module}; print([m for m in {(*HEAVY, *more)} if m in sys.modules])"
    ended = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "[]"
