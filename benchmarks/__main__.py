# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the benchmarks and prints a line for each figure.

`python -m benchmarks` runs all, `python -m benchmarks capture record` those named.
"""

from __future__ import annotations

import sys
import tempfile
from importlib import import_module
from pathlib import Path

BENCHMARKS = (
    "ratios",
    "capture",
    "host_share",
    "record",
    "clocks",
    "analysis",
    "chain",
    "virtual",
    "gui",
    "gui_flood",
    "gui_results",
)
"""Modules beside this file, each with a function `lines`; imported when run, for some need Qt."""


def main() -> int:
    """Print every figure; nothing is judged, machines differ."""
    names = sys.argv[1:] or BENCHMARKS
    if unknown := [name for name in names if name not in BENCHMARKS]:
        print(f"no benchmark {unknown[0]}; valid: {', '.join(BENCHMARKS)}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="rig-bench-") as folder:
        for name in names:
            for line in import_module(f"benchmarks.{name}").lines(Path(folder)):
                print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
