# SPDX-License-Identifier: GPL-3.0-or-later
"""`rig gui`"""

from __future__ import annotations

import argparse
import ctypes.util
import os
from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from rig.errors import BenchError

PACKAGES = ("PySide6", "pyqtgraph")
LIBRARIES = {
    "libxcb-cursor0": "xcb-cursor",
    "libegl1": "EGL",
    "libxkbcommon-x11-0": "xkbcommon-x11",
}
"""Debian's packages that Qt needs for a window on X11, and what it loads from each."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the words and options of the command."""
    parser.add_argument(
        "--folder",
        metavar="DIR",
        type=Path,
        help="of run files (default: ./runs if there is one, else that of last time)",
    )


def command(options: argparse.Namespace) -> int:
    """Open the window. Raises BenchError if this machine has no Qt or no screen."""
    _check_packages()
    _check_screen(os.environ)
    try:
        app: ModuleType = import_module("gui.app")  # late: only this command needs Qt
    except ImportError as error:
        raise BenchError(
            f"Qt cannot be loaded ({error}); apt-get install {' '.join(LIBRARIES)}"
        ) from None
    code: int = app.main(options.folder)
    return code


def _check_packages() -> None:
    missing = [name for name in PACKAGES if find_spec(name) is None]
    if missing:
        raise BenchError(
            f"the window needs {' and '.join(missing)}; pip install 'latency-rig[gui]', or in a "
            "checkout .venv/bin/pip install -e '.[gui]'; all else works without"
        )


def _check_screen(environment: Mapping[str, str]) -> None:
    """Qt aborts without a word to the user if it finds no screen."""
    if environment.get("QT_QPA_PLATFORM"):
        return
    if environment.get("WAYLAND_DISPLAY"):
        return
    if not environment.get("DISPLAY"):
        raise BenchError(
            "no screen: neither DISPLAY nor WAYLAND_DISPLAY is set; start it on a desktop, or "
            "over ssh with -X; `rig run` needs no screen"
        )
    missing = [p for p, library in LIBRARIES.items() if ctypes.util.find_library(library) is None]
    if missing:
        raise BenchError(f"the window needs libraries; apt-get install {' '.join(missing)}")
