# SPDX-License-Identifier: GPL-3.0-or-later
"""What docs/how-to/add-a-measurement.md says is enough: its code is added to a copy of the rig."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

import pytest

from tests.extension.copies import ROOT, Copy, files_of

HOW_TO = (ROOT / "docs" / "how-to" / "add-a-measurement.md").read_text(encoding="utf-8")
FILES = files_of("add-a-measurement.md")
(HOOK,) = re.findall(r"```python\n(    def evaluator.*?)```", HOW_TO, re.DOTALL)
OBJECT, REGISTRY = "rig/measurements/memory_copy.py", "rig/measurements/registry.py"
EVALUATOR = "rig/analysis/measurements/memory_copy.py"
LOOP = "targets/agent/core/loops/memory_copy.c"
SIMPLEST = {OBJECT, REGISTRY, "rig/plans/memory-copy.toml", LOOP}


def add_measurement(copy: Copy) -> None:
    for path in SIMPLEST - {REGISTRY}:
        copy.write(path, FILES[path])
    first = "from rig.measurements.period import Period\n"
    copy.edit(REGISTRY, first, "from rig.measurements.memory_copy import MemoryCopy\n")
    copy.edit(REGISTRY, "        Saturation(),\n", "        MemoryCopy(),\n")


def measured(copy: Copy, count: int) -> dict:
    out = copy.root / f"{count}.h5"
    ran = copy.rig("run", "memory-copy", "--fixture", "virtual", "--count", count, "--out", out)
    assert ran.returncode in (0, 1), ran.stderr
    shown = copy.rig("show", out, "--json")
    assert shown.stderr == ""
    return json.loads(shown.stdout)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    found = Copy.of_checkout(tmp_path_factory.mktemp("added") / "copy", "rig", "targets")
    add_measurement(found)
    return found


def test_a_measurement_inside_the_target_is_four_files(copy: Copy) -> None:
    assert copy.changed() == SIMPLEST
    found = measured(copy, 50)
    assert (found["measurement"], found["verdict"], found["counts"]["answered"]) == (
        "memory_copy", "pass", 50,
    )  # fmt: skip


def test_the_agent_knows_it(copy: Copy) -> None:
    agent = copy.root / "targets" / "agent"
    made = subprocess.run(
        ["make", "-s", "BUILD=made", "CFLAGS=-O0", "made/rig-agent"],
        cwd=agent, capture_output=True, text=True, timeout=110,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    assert b"memory_copy\0" in (agent / "made" / "rig-agent").read_bytes()
    shutil.rmtree(agent / "made")


def test_with_an_evaluation_of_its_own_it_is_five(copy: Copy) -> None:
    copy.write(EVALUATOR, FILES[EVALUATOR])
    copy.write(OBJECT, f"{FILES[OBJECT].rstrip()}\n\n{HOOK}")
    assert copy.changed() == SIMPLEST | {EVALUATOR}
    few = measured(copy, 51)
    assert (few["verdict"], few["reasons"]) == ("inconclusive", ["51 copies tell of cold caches"])
    assert measured(copy, 120)["verdict"] == "pass"
