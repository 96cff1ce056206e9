# SPDX-License-Identifier: GPL-3.0-or-later
"""The wheel, built from the tracked files only, measures away from the checkout."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel of a copy of the tree without anything that was built in it."""
    tree = tmp_path_factory.mktemp("tree")
    tracked = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    for name in filter(None, tracked.stdout.decode().split("\0")):
        if (ROOT / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tree / name)
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", "dist"],
        cwd=tree,
        capture_output=True,
        check=True,
    )
    (built,) = (tree / "dist").iterdir()
    return built


def test_what_travels_in_it(wheel):
    assert wheel.name.startswith("latency_rig-")
    assert wheel.name.endswith(("x86_64.whl", "aarch64.whl"))
    names = set(zipfile.ZipFile(wheel).namelist())
    for name in (
        "rig/data/fixtures/virtual.toml",
        "rig/data/firmware/stimulus-atmega328p.hex",
        "rig/data/bin/rig-emulator",
        "rig/data/bin/rig-agent",
        "rig/data/bin/rig-qemu.so",
        "rig/data/targets/agent/Makefile",
        "rig/data/targets/module/latency_rig.h",
        "rig/data/targets/qemu/init",
        "rig/capture/native/build/librig-edges.so",
        "rig/analysis/native/build/librig-lines.so",
        "rig/record/native/build/librig-distances.so",
        "rig/plans/interrupt.toml",
        "rig/virtual/reference/radder2015_benchmarks.csv",
        "gui/__init__.py",
        "calibration/__init__.py",
    ):
        assert name in names
    assert not [name for name in names if name.startswith(("tests", "fixtures"))]


def test_it_measures_away_from_the_checkout(wheel, tmp_path):
    site = tmp_path / "site"
    install = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "--target"]
    subprocess.run([*install, str(site), str(wheel)], capture_output=True, check=True)
    work = tmp_path / "work"
    work.mkdir()
    code = "import rig, sys; from rig.cli.main import main; print(rig.__file__); sys.exit(main())"
    words = [
        "run",
        "interrupt",
        "--fixture",
        "virtual",
        "--json",
        "--count",
        "50",
        "--out",
        "run.h5",
    ]
    ended = subprocess.run(
        [sys.executable, "-c", code, *words],
        cwd=work,
        env={**os.environ, "PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    where, _, document = ended.stdout.partition("\n")
    assert where.startswith(str(site)), ended.stderr
    assert json.loads(document)["verdict"] == "pass"
    assert ended.returncode == 0
