# SPDX-License-Identifier: GPL-3.0-or-later
"""README.md: what it shows of a first run is what the run prints."""

from __future__ import annotations

from pathlib import Path

from tests.cli.command import rig
from tests.tutorial.document import ROOT, not_printed, steps


def test_the_excerpt_of_a_run_is_what_a_run_prints(tmp_path: Path) -> None:
    (step,) = steps(ROOT / "README.md")
    done = rig("run", "interrupt", "--fixture", "virtual", folder=tmp_path)
    assert (not_printed(step.shown, done.stdout), bool(step.shown)) == ([], True)
