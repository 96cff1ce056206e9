# SPDX-License-Identifier: GPL-3.0-or-later
"""`rig boards`: lists, shows, draws and writes, and overwrites nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from calibration.diagram import wiring_svg
from rig.cli.main import main
from rig.config.board import load_board
from rig.config.fixture import load_fixture
from rig.resources import board_names


def test_all_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["boards"]) == 0
    shown = capsys.readouterr().out
    for name in board_names():
        assert f"  {name} " in shown


@pytest.mark.parametrize("name", board_names())
def test_one_is_shown_with_pins_levels_and_sources(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["boards", name]) == 0
    shown = capsys.readouterr().out
    board = load_board(name)
    assert "Not yet tried on hardware." in shown
    for line in board.lines:
        assert board.label(line) in shown
    for pitfall in board.pitfalls:
        assert pitfall.source in shown
    assert ("put a level shifter between" in " ".join(shown.split())) == (
        board.role == "target" and board.levels.supply_mv == 3300
    )


def test_a_picture_and_a_fixture_are_written_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture, fixture = tmp_path / "pi.svg", tmp_path / "bench-3.toml"
    words = ["boards", "raspberry-pi-5", "--stimulus", "arduino-nano"]
    words += ["--svg", str(picture), "--fixture", str(fixture)]
    assert main(words) == 0
    drawn = wiring_svg(load_board("raspberry-pi-5"), load_board("arduino-nano"))
    assert picture.read_text(encoding="utf-8") == drawn
    assert load_fixture(str(fixture)).name == "bench-3"
    picture.write_text("mine")
    assert main(words) == 2
    assert picture.read_text() == "mine"
    assert "exists already and is not overwritten" in capsys.readouterr().err


def test_lines_of_ones_own(tmp_path: Path) -> None:
    fixture = tmp_path / "bench.toml"
    lines = "stimulus=3,response=9,sequence0=5"
    assert main(["boards", "generic-gpio", "--lines", lines, "--fixture", str(fixture)]) == 0
    wires = load_fixture(str(fixture)).wires
    assert [wire.target_line.rpartition(" (")[2] for wire in wires] == [
        "line 3)", "line 9)", "line 5)",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["raspberry"], "did you mean"),
        (["--svg", "x.svg"], "name a board; valid: "),
        (["generic-gpio", "--fixture", "x.toml"], "which line is the response's"),
        (["generic-gpio", "--lines", "response"], "valid: such as stimulus=17"),
        (["generic-gpio", "--lines", "response=1,response=2"], "valid: such as stimulus=17"),
        (["generic-gpio", "--lines", "response=\u0663"], "valid: such as stimulus=17"),
        (["generic-gpio", "--lines", "reponse=1"], "reponse: no signal"),
        (["arduino-uno", "--svg", "x.svg"], "name a target"),
        (["parallel-port", "--stimulus", "raspberry-pi-4", "--svg", "x.svg"], "is a target"),
        (["parallel-port", "--svg", "no/such/folder.svg"], "not written"),
        (["parallel-port", "--svg", "x.svg", "--fixture", "My Bench.toml"], "name"),
    ],
)
def test_what_is_wrong_gets_one_line(
    words: list[str],
    complaint: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["boards", *words]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert complaint in error
    assert not list(tmp_path.iterdir())
