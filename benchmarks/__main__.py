# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs all benchmarks and prints a line for each."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from benchmarks import chain, extraction, record


def main() -> int:
    """Print every figure; nothing is judged, machines differ."""
    with tempfile.TemporaryDirectory(prefix="rig-bench-") as folder:
        for benchmark in (extraction.lines, record.lines, chain.lines):
            for line in benchmark(Path(folder)):
                print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
