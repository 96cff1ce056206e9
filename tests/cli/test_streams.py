# SPDX-License-Identifier: GPL-3.0-or-later
"""Standard output that is full, closed or a terminal's, and names of files that are not plain."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from rig.cli.streams import LOST_EXIT_CODE
from tests.cli.command import RIG
from tests.fuzz.forked import rig
from tests.fuzz.run_files import originals

ODD_NAME = (
    b"new\nline \x1b[2J\x9b31m\x7f\x07 \xff\xfe \xe2\x80\xae [bold]x[bold] :smile: $x^$ <b>&.h5"
)


@pytest.fixture(scope="module")
def run_file(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("streams") / "run.h5"
    path.write_bytes(originals()[1].data)
    return path


def lines_of(ended):
    """Standard error as lines; nothing in it acts on a terminal, nothing is a traceback."""
    text = ended.errors.decode()
    assert "Traceback" not in text
    lines = text.splitlines()
    assert all(line.isprintable() for line in lines), lines
    return lines


@pytest.mark.parametrize("words", [["plans"], ["--help"], ["show", "RUN"]], ids=" ".join)
@pytest.mark.parametrize("way", [{"out": "/dev/full"}, {"closed": [1]}], ids=("full", "closed"))
def test_output_that_is_lost_is_told(words, way, run_file):
    ended = rig(*[run_file if word == "RUN" else word for word in words], **way)
    (line,) = lines_of(ended)
    assert line.startswith("rig: standard output: not all of it was written (")
    assert ended.code == LOST_EXIT_CODE


def test_a_reader_that_goes_away_is_told(run_file):
    reader, writer = os.pipe()
    os.close(reader)
    ended = rig("show", run_file, out=writer)
    os.close(writer)
    (line,) = lines_of(ended)
    assert "Broken pipe" in line
    assert ended.code == LOST_EXIT_CODE


def test_an_error_that_cannot_be_told_still_is_no_success(run_file, tmp_path):
    copy = shutil.copyfile(run_file, tmp_path / "run.h5")
    assert rig("show", "none.h5", errors="/dev/full").code == 2
    assert rig("show", "none.h5", closed=[2]).code == 2
    assert rig("analyze", copy, errors="/dev/full").code != 0


def test_closed_descriptors_are_not_given_to_a_run_file(run_file, tmp_path):
    copy = shutil.copyfile(run_file, tmp_path / "run.h5")
    assert rig("analyze", copy, closed=[0, 1, 2]).code != 0
    assert rig("show", copy).code == 0


def test_an_odd_name_is_shown_escaped_everywhere(run_file, tmp_path):
    odd = os.path.join(os.fsencode(tmp_path), ODD_NAME)  # noqa: PTH118 - bytes
    shutil.copyfile(os.fsencode(run_file), odd)
    page, junit = tmp_path / "page.html", tmp_path / "out.xml"
    for words in (["show", odd], ["report", odd, "-o", page, "--junit", junit], ["table", odd]):
        ended = rig(*words)
        assert ended.code == 0, ended.errors
        assert lines_of(ended) == []
        text = ended.out.decode()
        assert all(line.isprintable() for line in text.splitlines()), text
    for file in (page, junit):
        plain = file.read_text(encoding="utf-8").replace("\n", "").replace("\t", "")
        assert [c for c in plain if not c.isprintable() and c != "\xa0"] == []
    document = json.loads(rig("show", odd, "--json").out)
    assert os.fsencode(document["file"]) == odd


@pytest.mark.parametrize("command", ["show", "analyze", "report", "table", "recover", "export"])
def test_a_name_that_is_too_long_is_one_line(command, tmp_path):
    words = [command, tmp_path / ("x" * 300 + ".h5"), *(["out.sr"] if command == "export" else [])]
    ended = rig(*words, folder=tmp_path)
    (line,) = lines_of(ended)
    assert line.startswith("rig: ")
    assert ended.code == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "environment",
    [
        {
            "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0",
            "TERM": "dumb", "COLUMNS": "20", "TZ": "Nowhere/Odd",
        },
        {"COLUMNS": "nonsense", "TMPDIR": "/nonexistent"},
    ],
)  # fmt: skip
def test_odd_environments_change_nothing_of_what_is_said(environment, run_file, tmp_path):
    """Also with a working folder that is gone, and without a home."""
    gone = tmp_path / "gone"
    gone.mkdir()
    script = f"cd {gone} && rmdir {gone} && exec {' '.join(RIG)} show {run_file}"
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("HOME", "XDG"))}
    process = subprocess.run(
        ["sh", "-c", script],
        capture_output=True, timeout=100, check=False, env={**kept, **environment},
    )  # fmt: skip
    assert (process.returncode, process.stderr) == (0, b"")
    assert b"run file" in process.stdout
