# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes a summary of a run file, as a process of its own: the window stays smooth meanwhile.

`python -m gui.models.summary.build KIND RUN NEW OUT`. Rows are appended to NEW, where the window
reads them as they come; it becomes OUT when it has them all. Ends early when its standard input
closes: the window is gone, or looks at something else.
"""

from __future__ import annotations

import os
import select
import sys
from pathlib import Path

from gui.models.summary.rows import KINDS, Kind
from gui.models.summary.store import header, make_room, source_of
from rig.errors import InputError
from rig.record.reader import RunFile
from rig.record.vetting import vet


def build(kind: Kind, run: Path, new: Path, out: Path) -> bool:
    """False if it was not wanted any more. Raises InputError, OSError; leaves no part behind."""
    make_room(out.parent)
    vet(run)
    try:
        with RunFile(run) as file, new.open("wb") as rows_file:
            rows_file.write(header(kind, source_of(run, kind.count(file))))
            for rows in kind.rows(file):
                rows_file.write(rows.tobytes())
                rows_file.flush()
                if _unwanted():
                    return False
        new.replace(out)
        return True
    finally:
        new.unlink(missing_ok=True)


def _unwanted() -> bool:
    """Nothing is ever sent: what can be read is the end."""
    return bool(select.select([sys.stdin], [], [], 0)[0])


def main() -> int:
    """Exit code 0: made, 1: not wanted any more, 2: could not be made, said on standard error."""
    kind, run, new, out = sys.argv[1:]
    os.nice(10)
    try:
        return 0 if build(KINDS[kind], Path(run), Path(new), Path(out)) else 1
    except InputError as error:
        print(error, file=sys.stderr)
    except OSError as error:
        print(f"{out}: summary not kept ({error.strerror})", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
