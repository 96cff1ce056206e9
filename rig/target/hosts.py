# SPDX-License-Identifier: GPL-3.0-or-later
"""The names of hosts in the user's ssh configuration, possible targets; none is asked."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

CONFIG: Final = Path("~/.ssh/config")
BYTES_MAX: Final = 1 << 20
HOSTS_MAX: Final = 50
_NAME: Final = r"[A-Za-z0-9_][A-Za-z0-9_.-]*"
"""A name that is no pattern, and nothing that ssh could take for an option."""


def ssh_hosts(config: Path = CONFIG) -> tuple[str, ...]:
    """Return the hosts in the file's order, each once, without patterns, which name no host.

    Files that it includes are not read. Nothing if the file is not there or cannot be read.
    """
    try:
        with config.expanduser().open("rb") as file:
            text = file.read(BYTES_MAX).decode("utf-8", "replace")
    except (OSError, RuntimeError):  # RuntimeError: no home directory
        return ()
    names: dict[str, None] = {}
    for line in text.splitlines():
        found = re.fullmatch(r"\s*Host(?:\s+|\s*=\s*)(.*)", line, re.IGNORECASE)
        for name in (found[1] if found else "").replace('"', " ").split():
            if re.fullmatch(_NAME, name):
                names[name] = None
    return tuple(names)[:HOSTS_MAX]
