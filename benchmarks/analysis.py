# SPDX-License-Identifier: GPL-3.0-or-later
"""Processor time and memory of analyzing a long run, and of a table of many runs."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from benchmarks.measured_run import write_measured_run
from rig.session.results import store

EVENTS = (10**6, 10**7)
RUNS = 10_000
SETTLED_S = 2.5
"""Files changed later than that are not kept in the index."""
_SORTED = 5_000_000


def lines(folder: Path) -> Iterator[str]:
    """Seconds a million events with log and input capture, against sorting as many numbers."""
    for count in EVENTS:
        path = folder / "measured.h5"
        path.unlink(missing_ok=True)
        write_measured_run(path, count)
        spent_s, sort_s, peak_mib = apart(path)
        yield (
            f"analysis         {count:,} events with log and input capture: "
            f"{spent_s / count * 1e6:.2f} s a million, {spent_s / count / sort_s:.0f} x sorting "
            f"as many numbers; {peak_mib:.0f} MiB at most"
        )
    for what, spent_s in tables_s(folder / "runs", folder / "cache"):
        yield f"table            {RUNS:,} runs, {what}: {spent_s:.1f} s of processor time"


def apart(path: Path) -> tuple[float, float, float]:
    """Processor time of an evaluation, of sorting one number, and peak memory, in a new process."""
    words = [sys.executable, "-m", "benchmarks.analysis", str(path)]
    told = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    spent_s, sort_s, peak_mib = json.loads(told)
    return float(spent_s), float(sort_s), float(peak_mib)


def _spent_s(act: Callable[[], object]) -> float:
    begin_s = time.process_time()
    act()
    return time.process_time() - begin_s


def _sorting_s() -> float:
    """Of one number among many."""
    values = np.random.default_rng(1).random(_SORTED)
    return min(_spent_s(lambda: np.sort(values)) for _ in range(3)) / _SORTED


def _evaluated(path: Path) -> None:
    """What `apart` starts."""
    from rig.session.results import read

    sort_s = _sorting_s()
    spent_s = _spent_s(lambda: read(path))
    sys.stdout.write(json.dumps([spent_s, sort_s, _peak_kib() / 1024]))


def _peak_kib() -> int:
    """Most memory that this process has held; `ru_maxrss` is never below that of its parent."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.partition("VmHWM:")[2].split()[0])


def tables_s(folder: Path, cache: Path) -> Iterator[tuple[str, float]]:
    """Of copies of one short run, the second time with the index that the first one made."""
    folder.mkdir()
    write_measured_run(folder / "00000.h5", 300)
    store(folder / "00000.h5")
    for number in range(1, RUNS):
        shutil.copyfile(folder / "00000.h5", folder / f"{number:05d}.h5")
    time.sleep(SETTLED_S)
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache)}
    words = [sys.executable, "-m", "rig.cli.main", "table", str(folder)]
    for what in ("none of them read before", "all of them read before"):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(words, check=True, env=environment, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        yield what, spent_s


if __name__ == "__main__":
    _evaluated(Path(sys.argv[1]))
