# SPDX-License-Identifier: GPL-3.0-or-later
"""USB devices that are emulated: how a capture worker comes to see them, docs/decisions/0048.

Debian's umockdev has a library that, loaded before all others, sends a process's /sys, /dev and
udev socket to a folder, and each ioctl of a device node there to a Unix socket. Whoever laid out
the folder is at the other end of it. libusb and libsigrok are the installed ones, unchanged.
"""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Final

from rig.errors import BenchError

_LIBRARY: Final = "libumockdev-preload.so.0"
_PREFIX: Final = "umockdev:"
EMULATED_BY: Final = "this analyzer is emulated by Debian's umockdev, tried with version 0.17"
FIRMWARE_FOLDER: Final = "firmware"
"""Within the folder: what stands for files of an analyzer's maker, if there are any."""


def library() -> Path:
    """Return the library's name. Raises BenchError if it is not installed."""
    try:
        ctypes.CDLL(_LIBRARY)
    except OSError as error:
        raise BenchError(
            f"{_LIBRARY} is missing: the capture process reaches the emulated USB analyzer by it; "
            "install Debian's package with: apt install umockdev"
        ) from error
    return Path(_LIBRARY)


def connection_in(folder: Path) -> str:
    """Return the connection of an analyzer on the emulated bus of this folder.

    Raises BenchError if the library is not installed.
    """
    library()
    return f"{_PREFIX}{folder}"


def resolved(connection: str) -> tuple[str, dict[str, str]]:
    """Return libsigrok's conn option, and what the worker's environment has beside the usual."""
    if not connection.startswith(_PREFIX):
        return connection, {}
    folder, _, conn = connection.removeprefix(_PREFIX).partition(",")
    firmware = Path(folder) / FIRMWARE_FOLDER
    own = {"SIGROK_FIRMWARE_DIR": str(firmware)} if firmware.is_dir() else {}
    return conn, {"LD_PRELOAD": _LIBRARY, "UMOCKDEV_DIR": folder, **own}
