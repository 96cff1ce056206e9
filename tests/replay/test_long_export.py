# SPDX-License-Identifier: GPL-3.0-or-later
"""A capture that is too long for a format is told before anything is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from rig.cli import export
from rig.cli.main import main
from tests.golden.runs import unpacked


def test_a_whole_capture_of_too_many_samples(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = unpacked("interrupt-periodic", tmp_path)
    monkeypatch.setattr(export, "SR_SAMPLES_MAX", 1_000_000)
    assert main(["export", str(run), str(tmp_path / "whole.sr")]) == 2
    told = capsys.readouterr().err
    assert "samples, too many for a .sr, which holds each of them; valid: up to 1,000,000" in told
    assert not (tmp_path / "whole.sr").exists()
    assert main(["export", str(run), str(tmp_path / "part.sr"), "--event", "3"]) == 0
    assert main(["export", str(run), str(tmp_path / "whole.vcd")]) == 0
