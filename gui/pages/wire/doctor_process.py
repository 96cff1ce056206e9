# SPDX-License-Identifier: GPL-3.0-or-later
"""`python -m gui.pages.wire.doctor_process`: what `rig doctor` finds, for the window.

The request says whether drivers may be asked: a run may have the analyzers. A process of its own:
it asks libsigrok, and neither a driver that hangs nor one that crashes shall reach the window.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from gui.processes.messages import Message
from gui.processes.worker import ParentWindow, serve
from rig.services.doctor import look


def work(request: Mapping[str, Any], window: ParentWindow) -> None:
    """Send all findings at once."""
    found = look(ask_drivers=request["ask_drivers"] is True)
    window.send(Message("findings", {"findings": [asdict(each) for each in found]}))


if __name__ == "__main__":
    sys.exit(serve(work))
