# SPDX-License-Identifier: GPL-3.0-or-later
"""`python -m tests.golden measure|figures [NAME ...]`: make the stored runs, or their results.

`measure` makes runs on their benches, one of which boots a kernel. `figures` makes results and
tables of the stored runs: to be looked at line by line before they are committed.
"""

from __future__ import annotations

import argparse
import json
import lzma
import subprocess
import tempfile
from pathlib import Path

from tests.cli.command import RIG
from tests.golden.runs import (
    RUNS,
    TABLES,
    stored_figures,
    stored_run,
    stored_table,
    unpacked,
)


def main() -> None:
    """The runs of these names; without names, all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("measure", "figures"))
    parser.add_argument("name", nargs="*", choices=[[], *RUNS])
    options = parser.parse_args()
    names = options.name or list(RUNS)
    with tempfile.TemporaryDirectory(prefix="rig-golden-") as folder:
        if options.what == "measure":
            measure(names, Path(folder))
        figures(names, Path(folder))


def rig(*words: str, folder: Path | None = None) -> str:
    """What `rig` prints; its errors are shown, whatever its verdict."""
    done = subprocess.run(
        [*RIG, *words], stdout=subprocess.PIPE, text=True, cwd=folder, timeout=1200, check=False
    )
    return done.stdout


def measure(names: list[str], folder: Path) -> None:
    """Make these runs and store their files."""
    calibration = folder / "calibration.toml"
    if any(RUNS[name].calibrated for name in names):
        steps = ("time-base", "toggle", "channel-skew")
        rig("calibrate", "--fixture", "virtual", "--seconds", "5", "-o", str(calibration), *steps)
    for name in names:
        out = folder / f"{name}.h5"
        print(name, flush=True)
        rig("run", *RUNS[name].words(calibration), "--out", str(out))
        packed = lzma.compress(out.read_bytes(), preset=9 | lzma.PRESET_EXTREME)
        stored_run(name).write_bytes(packed)
        out.unlink()


def figures(names: list[str], folder: Path) -> None:
    """Store what these runs show, and the tables of all runs."""
    for name in RUNS:
        unpacked(name, folder)
    for name in names:
        shown = json.loads(rig("show", "--json", f"{name}.h5", folder=folder))
        stored_figures(name).write_text(json.dumps(shown, indent=1) + "\n", encoding="utf-8")
    for name, words in TABLES.items():
        stored_table(name).write_text(rig("table", *words, ".", folder=folder), encoding="utf-8")


if __name__ == "__main__":
    main()
