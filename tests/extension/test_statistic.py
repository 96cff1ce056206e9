# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/how-to/add-a-statistic.md is true: a statistic is added in two files, and is everywhere."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import rig
from tests.golden.runs import unpacked

EDITS = {
    "limit_names.py": (
        ('    Statistic("median_absolute', '    Statistic("trimean", "trimean"),\n'),
    ),
    "analysis/statistics/descriptive.py": (
        ("    p99_ns: float", "    trimean_ns: float | None = None\n"),
        (
            '        p99_ns=ns(at("99"))',
            '        trimean_ns=ns((at("25") + 2 * at("50") + at("75")) / 4),\n',
        ),
    ),
}
"""File to what is put in before which text: at most two files."""
_MAIN = "import sys; from rig.cli.main import main; sys.exit(main(sys.argv[1:]))"


class Extended:
    """A copy of the product with the statistic, and a stored run."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        package = folder / "rig"
        own = Path(rig.__file__).parent
        shutil.copytree(own, package, ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("firmware", "fixtures", "pyproject.toml"):
            (folder / name).symlink_to(own.parent / name)
        for name, edits in EDITS.items():
            file = package / name
            text = file.read_text(encoding="utf-8")
            for before, added in edits:
                assert text.count(before) == 1, f"{name}: {before}"
                text = text.replace(before, added + before)
            file.write_text(text, encoding="utf-8")
        unpacked("interrupt", folder)

    def rig(self, *words: str) -> str:
        """What a command prints."""
        return self.python(_MAIN, *words)

    def python(self, code: str, *words: str) -> str:
        """What a program prints."""
        ended = subprocess.run(
            [sys.executable, "-c", code, *words], cwd=self._folder, check=True, text=True,
            capture_output=True, env={**os.environ, "PYTHONPATH": str(self._folder)},
        )  # fmt: skip
        return ended.stdout

    def text(self, name: str) -> str:
        """A file that a command has written."""
        return (self._folder / name).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def extended(tmp_path_factory: pytest.TempPathFactory) -> Extended:
    return Extended(tmp_path_factory.mktemp("extended"))


def test_it_is_in_json_in_the_terminal_and_on_the_page(extended: Extended) -> None:
    document = json.loads(extended.rig("show", "--json", "interrupt.h5"))
    figures = document["measurands"][0]["statistics"]
    quartiles = [figures[f"{name}_ns"] for name in ("quartile_1", "median", "quartile_3")]
    assert figures["trimean_ns"] == pytest.approx(np.dot(quartiles, [0.25, 0.5, 0.25]))
    shown = f"{figures['trimean_ns'] / 1e3:.3f}"
    lines = [line.split() for line in extended.rig("show", "interrupt.h5").splitlines()]
    (at,) = (number for number, line in enumerate(lines) if "trimean" in line)
    assert lines[at + 1][lines[at].index("trimean")] == shown
    extended.rig("report", "interrupt.h5", "-o", "page.html", "--junit", "cases.xml")
    assert '<th class="number">trimean</th>' in extended.text("page.html")
    assert f'<td class="number">{shown}</td>' in extended.text("page.html")
    assert 'name="trimean_ns"' in extended.text("cases.xml")


def test_it_can_be_compared_and_limited(extended: Extended) -> None:
    compared = json.loads(extended.rig("compare", "interrupt.h5", "interrupt.h5", "--json"))
    assert all(run["trimean_ns"] > 0 for run in compared["runs"])
    assert "trimean" in extended.rig("compare", "interrupt.h5", "interrupt.h5")
    code = "from rig.limit_names import split; print(*split('trimean_latency', ('latency',)))"
    assert extended.python(code).split() == ["trimean", "latency"]
