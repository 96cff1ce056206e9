# SPDX-License-Identifier: GPL-3.0-or-later
"""The flow in C under sanitizers."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from rig.capture import native

SOURCES = sorted(Path(native.__file__).parent.glob("*.c"))
FLAGS = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-Wconversion", "-Wshadow", "-g"]
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]


@pytest.mark.parametrize("optimized", ["-O1", pytest.param("-O3", marks=pytest.mark.slow)])
def test_sanitizers_find_nothing(tmp_path: Path, optimized: str) -> None:
    """Pieces of any size say what the whole says, and nonsense is refused."""
    program = tmp_path / "check"
    check = Path(__file__).parent / "flow_check.c"
    subprocess.run(
        ["cc", *FLAGS, optimized, *SANITIZERS, f"-I{SOURCES[0].parent}", "-o", str(program),
         str(check), *map(str, SOURCES)],
        check=True,
    )  # fmt: skip
    ended = subprocess.run([str(program)], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
