# SPDX-License-Identifier: GPL-3.0-or-later
"""A million interrupts through the whole chain: all there, in memory that does not grow."""

from __future__ import annotations

import json
import subprocess

import psutil
import pytest

from tests.cli.command import RIG

COUNT = 1_000_000
GROWTH_MIB = 24
"""More than allocators wander; a tenth of what the samples of one second would take."""


def resident_mib(process: psutil.Process) -> dict[str, float]:
    """Resident memory of the host and each of its children, by what they run."""
    found = {}
    for part in (process, *process.children(recursive=True)):
        try:
            found[" ".join(part.cmdline())[:60]] = part.memory_info().rss / 2**20
        except psutil.NoSuchProcess:
            continue
    return found


@pytest.mark.truth
def test_a_million_interrupts_in_flat_memory(tmp_path):
    words = ["run", "interrupt-soak", "--fixture", "virtual", "--out", "run.h5", "--count", COUNT]
    command = [*RIG, *map(str, words)]
    early: dict[str, float] = {}
    late: dict[str, float] = {}
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        for line in process.stderr:  # a line of progress every few seconds
            if line.startswith("measuring"):
                done = int(line.split()[1].split("/")[0])
                memory = resident_mib(psutil.Process(process.pid))
                if COUNT // 20 < done < COUNT // 5:
                    early = memory
                elif done > COUNT // 2:
                    late = {name: max(late.get(name, 0), rss) for name, rss in memory.items()}
    assert process.returncode == 0
    assert len(early) == len(late) == 4
    growth_mib = {name: late[name] - early[name] for name in early}
    assert max(growth_mib.values()) < GROWTH_MIB, growth_mib
    shown = subprocess.run(
        [*RIG, "show", "run.h5", "--json"], cwd=tmp_path, capture_output=True, check=True
    )
    document = json.loads(shown.stdout)
    assert document["verdict"] == "pass"
    assert document["counts"]["answered"] == COUNT
    assert all(witness["agrees"] for witness in document["witnesses"])
