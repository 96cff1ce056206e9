# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/tutorial/first-measurement.md, followed to its end."""

from __future__ import annotations

from pathlib import Path

from tests.tutorial.clone import wrong_lines
from tests.tutorial.document import ROOT, steps

TUTORIAL = ROOT / "docs" / "tutorial" / "first-measurement.md"


def test_each_command_prints_what_the_tutorial_shows(tmp_path: Path) -> None:
    assert wrong_lines(TUTORIAL, tmp_path) == []


def test_every_command_is_in_a_block_that_is_followed() -> None:
    assert [len(step.commands) for step in steps(TUTORIAL)] == [1, 1, 3, 2, 3, 2, 1]
