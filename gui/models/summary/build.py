# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes a summary of a run file, as a process of its own: the window stays smooth meanwhile.

`python -m gui.models.summary.build`; the request names the kind and three files. Rows of `run` are
appended to `new`, where the window reads them as they come; it becomes `out` when it has them all.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gui.models.summary.rows import KINDS, SummaryKind
from gui.models.summary.store import header, make_room, source_of
from gui.processes.worker import ParentWindow, serve
from rig.errors import InputError
from rig.record.reader import RunFile
from rig.record.vetting import vet


def build(kind: SummaryKind, run: Path, new: Path, out: Path, stop: threading.Event) -> None:
    """Make one summary; ends early on `stop`: the window is gone, or looks at something else.

    Raises InputError, OSError; leaves no part behind.
    """
    make_room(out.parent)
    vet(run)
    try:
        with RunFile(run) as file, new.open("wb") as rows_file:
            rows_file.write(header(kind, source_of(run, kind.count(file))))
            for rows in kind.rows(file):
                rows_file.write(rows.tobytes())
                rows_file.flush()
                if stop.is_set():
                    return
        new.replace(out)
    finally:
        new.unlink(missing_ok=True)


def work(request: Mapping[str, Any], window: ParentWindow) -> None:
    """Make one summary. Raises InputError if it cannot be made."""
    os.nice(10)
    run, new, out = (Path(request[name]) for name in ("run", "new", "out"))
    try:
        build(KINDS[request["kind"]], run, new, out, window.stop)
    except OSError as error:
        raise InputError(f"{out}: summary not kept ({error.strerror})") from None


if __name__ == "__main__":
    sys.exit(serve(work))
