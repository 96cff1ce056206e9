# SPDX-License-Identifier: GPL-3.0-or-later
"""A log that is read while it is written: the same raw data and figures as one read afterwards."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import psutil
import pytest

from rig.record.reader import RunFile
from rig.virtual.truth import load_truth
from tests.cli.command import RIG
from tests.truth.bench import Case, compare, measure
from tests.truth.test_soak import GROWTH_MIB, resident_mib
from tests.virtual_bench import virtual_fixture

RING = 8_500
PERIODS = 1_000_000
RATE_HZ = 24_000_000
TARGET = f"""
[virtual.target]
model = "gamma"
minimum = "3 us"
scale = "2 us"
shape = 2.5
seed = 1
toggle_time = "50 ns"
clock = "1 GHz"
log_records = {2 * RING}
"""


def test_a_log_of_some_seconds_is_enough(tmp_path: Path) -> None:
    """Each record and each event are the true ones, though the log has been filled more than once.

    Its room is 1.4 times less than what there is to log.
    """
    case = Case(1, "gamma", "periodic", 24, count=12_000, log_records=RING)
    result, truth, facts = measure(case, tmp_path)
    compare(case, result, truth, facts)
    assert result.account.log_streamed == RING
    assert all(witness.agrees for witness in result.evaluation.witnesses)


@pytest.mark.truth
def test_a_million_periods_in_flat_memory(tmp_path: Path) -> None:
    """A log of 3.4 s, in a run of 200 s: every period is the true one."""
    text = virtual_fixture("long", TARGET, truth=tmp_path / "truth.bin", sequence_bits=3)
    (tmp_path / "long.toml").write_text(text)
    growth_mib = _measured(tmp_path, PERIODS)
    assert max(growth_mib.values()) < GROWTH_MIB, growth_mib
    truth, facts = load_truth(tmp_path / "truth.bin")
    with RunFile(tmp_path / "run.h5") as file:
        log = file.log(0, file.log_count)
        edges = [b.index[b.channel == 1] for b in file.edge_blocks()]
    seen = np.concatenate(edges)
    for name in ("before_ticks", "after_ticks", "handled"):
        assert np.array_equal(log[name], truth[name])
    since_ps = truth["response_ps"] - facts["capture_origin_ps"]
    true_samples = -(-since_ps * (RATE_HZ // 10**6) // 10**6)
    assert np.array_equal(seen, true_samples)


def _measured(folder: Path, count: int) -> dict[str, float]:
    """Measure so many periods; return by how many MiB the host and each of its children grew."""
    words = ["run", "period", "--fixture", "./long.toml", "--period", "200 us"]
    command = [*RIG, *words, "--count", str(count), "-o", "run.h5"]
    early: dict[str, float] = {}
    late: dict[str, float] = {}
    with subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith("measuring"):
                done = int(line.split()[1].split("/")[0])
                memory = resident_mib(psutil.Process(process.pid))
                if count // 20 < done < count // 5:
                    early = memory
                elif done > count // 2:
                    late = {name: max(late.get(name, 0), rss) for name, rss in memory.items()}
    assert process.returncode == 0
    shown = subprocess.run(
        [*RIG, "show", "run.h5", "--json"], cwd=folder, capture_output=True, check=True
    )
    assert json.loads(shown.stdout)["verdict"] == "pass"
    assert len(early) == len(late) == 4
    return {name: late[name] - early[name] for name in early}
