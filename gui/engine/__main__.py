# SPDX-License-Identifier: GPL-3.0-or-later
"""`python -m gui.engine`: one measurement for the window; the request is its Job.

Its end in order keeps what was measured. Its last message tells how the run ended.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from gui.engine.job import measure
from gui.engine.publisher import Publisher
from gui.engine.request import job_of
from gui.processes.worker import ParentWindow, serve


def work(request: Mapping[str, Any], window: ParentWindow) -> None:
    """Measure what the window asks for. Raises RigError."""
    with Publisher(window.send) as publisher:
        measure(job_of(request), publisher, window.stop)


if __name__ == "__main__":
    sys.exit(serve(work))
