# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures that cannot be stored: the run file is as it was, and nothing lies beside it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz.run_files import originals

STORE_IN_LITTLE_ROOM = """
import resource, signal, sys
from pathlib import Path
from rig.errors import RigError
from rig.session.results import store

path, room_bytes = Path(sys.argv[1]), int(sys.argv[2])
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
size = path.stat().st_size + room_bytes
resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
try:
    store(path)
except RigError as error:
    print(error, flush=True)
"""


@pytest.mark.parametrize("room_bytes", [0, 3_000, 8_000])
def test_no_room_for_figures(tmp_path: Path, room_bytes: int) -> None:
    """The limit stands for a disk that fills up; HDF5 may crash when such a process ends."""
    path = tmp_path / "run.h5"
    path.write_bytes(originals()[0].data)
    words = [sys.executable, "-c", STORE_IN_LITTLE_ROOM, str(path), str(room_bytes)]
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    assert ended.stdout.startswith(
        f"{path}: the limit on the size of a file (ulimit -f) is nearly "
    )
    assert ended.stdout.count("\n") == 1
    assert path.read_bytes() == originals()[0].data
    assert [each.name for each in tmp_path.iterdir()] == ["run.h5"]
