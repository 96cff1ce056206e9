# SPDX-License-Identifier: GPL-3.0-or-later
"""Each module and package of `rig` has its place among the layers that import-linter checks."""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_part_of_rig_has_a_layer() -> None:
    """As `exhaustive` would say it, which knows no layers of parts from several containers."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    (layers,) = [each["layers"] for each in contracts if each["name"] == "data flow one way"]
    placed = {part.strip().split(".")[1] for layer in layers for part in layer.split("|")
              if part.strip().startswith("rig.")}  # fmt: skip
    packages = {path.parent.name for path in (ROOT / "rig").glob("*/__init__.py")}
    modules = {path.stem for path in (ROOT / "rig").glob("*.py")} - {"__init__"}
    assert packages | modules == placed
