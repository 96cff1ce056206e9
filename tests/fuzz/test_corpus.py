# SPDX-License-Identifier: GPL-3.0-or-later
"""Every input of the corpus, former findings too, once through its target. Needs no fuzzer."""

from __future__ import annotations

import importlib
import subprocess
from pathlib import Path

import pytest

from tests.fuzz.names import CORPUS, HERE, NATIVE, PYTHON, seeds

_CORPUS_MAX_BYTES = 100_000
_INPUTS = [(name, path) for name in PYTHON for path in sorted(seeds(name).iterdir())]


@pytest.mark.parametrize(
    ("name", "path"), _INPUTS, ids=[f"{name}-{path.name}" for name, path in _INPUTS]
)
def test_no_input_is_a_finding(name: str, path: Path) -> None:
    importlib.import_module(f"tests.fuzz.targets.{name}").one_input(path.read_bytes())


@pytest.mark.parametrize("name", NATIVE)
def test_no_input_is_a_finding_in_c(name: str, tmp_path: Path) -> None:
    program = NATIVE[name].build(tmp_path / name, "cc", HERE / "native" / "replay.c")
    inputs = sorted(map(str, seeds(name).iterdir()))
    ended = subprocess.run([str(program), *inputs], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.splitlines() == inputs


def test_each_target_has_inputs_and_they_stay_small() -> None:
    assert {path.name for path in CORPUS.iterdir()} == {*PYTHON, *NATIVE}
    sizes = {name: [path.stat().st_size for path in seeds(name).iterdir()] for name in PYTHON}
    assert min(map(len, sizes.values())) >= 2
    assert sum(path.stat().st_size for path in CORPUS.rglob("*") if path.is_file()) < (
        _CORPUS_MAX_BYTES
    )
