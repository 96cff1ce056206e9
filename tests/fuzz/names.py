# SPDX-License-Identifier: GPL-3.0-or-later
"""Which targets there are, where their inputs lie, how those in C are built."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
CORPUS = HERE / "corpus"
_EXTRACTION = ROOT / "rig" / "capture" / "native"
_FIRMWARE = ROOT / "firmware" / "core"
_WARNINGS = ("-std=c11", "-Wall", "-Wextra", "-Werror")
_SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g", "-O1")


@dataclass(frozen=True)
class Native:
    """A target in C and the code that it is for."""

    source: Path
    folder: Path
    """Every source file in it belongs to the target."""
    headers: Path = HERE
    """Where else it has headers from."""

    def build(self, out: Path, compiler: str, *more: str | Path) -> Path:
        """Compile it with sanitizers. Raises CalledProcessError."""
        out.parent.mkdir(parents=True, exist_ok=True)
        sources = sorted(self.folder.glob("*.c"))
        words = [
            compiler, *_WARNINGS, *_SANITIZERS, f"-I{self.folder}", f"-I{self.headers}", "-o", out,
            self.source,
            *sources, *more, "-lm",
        ]  # fmt: skip
        subprocess.run([str(word) for word in words], check=True)
        return out


PYTHON = tuple(
    sorted(path.stem for path in (HERE / "targets").glob("*.py") if path.stem != "__init__")
)
NATIVE = {
    "edges": Native(HERE / "native" / "edges.c", _EXTRACTION),
    "flow": Native(HERE / "native" / "flow.c", _EXTRACTION),
    "gather": Native(HERE / "native" / "gather.c", _EXTRACTION),
    "scpi": Native(HERE / "native" / "scpi.c", _FIRMWARE, _FIRMWARE.parent / "avr" / "atmega328p"),
}


def seeds(name: str) -> Path:
    """The folder of a target's inputs."""
    return CORPUS / name
