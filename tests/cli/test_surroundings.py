# SPDX-License-Identifier: GPL-3.0-or-later
"""Little room, few open files, folders that are gone or take nothing, Ctrl-C at any moment."""

from __future__ import annotations

import gzip
import hashlib
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest

from rig.cli.main import main
from tests.fuzz.forked import Limits, forked, rig
from tests.fuzz.run_files import LIVE, originals

WRITING = [
    ["analyze", "plain.h5"],
    ["recover", "live.h5", "out.h5"],
    ["report", "run.h5", "-o", "out.html"],
    ["compare", "run.h5", "run.h5", "-o", "out.html"],
    ["table", "run.h5", "-o", "out.txt"],
    ["export", "run.h5", "out.sr"],
    ["export", "run.h5", "out.vcd"],
    ["export", "run.h5", "out.csv"],
    ["run", "interrupt", "--fixture", "virtual", "-o", "out.h5"],
]


@pytest.fixture
def folder(tmp_path) -> Path:
    """A folder with a run file without figures, one with them, one whose writer died."""
    for name, original in zip(("plain", "run", "live"), originals(), strict=True):
        (tmp_path / f"{name}.h5").write_bytes(original.data)
    assert LIVE == 2
    return tmp_path


def contents(folder):
    """Names and digests of all files."""
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


def one_line(ended):
    """The line that an error is told by."""
    lines = [line for line in ended.errors.decode().splitlines() if line.startswith("rig: ")]
    assert len(lines) == 1, ended
    assert "Traceback" not in ended.errors.decode()
    assert lines[0].isprintable()
    return lines[0]


@pytest.mark.parametrize("words", WRITING, ids=lambda words: f"{words[0]}-{words[-1]}")
@pytest.mark.parametrize("room", [1000, 3000])
def test_a_limit_on_the_size_of_files_is_one_line(words, room, folder):
    before = contents(folder)
    ended = rig(*words, folder=folder, limits=Limits(file_bytes=room))
    if ended.code == 0 and Path(words[-1]).suffix in (".txt", ".csv"):
        assert (folder / words[-1]).stat().st_size <= room
        return
    assert ended.code in (2, 3), ended
    one_line(ended)
    assert contents(folder) == before


def test_figures_are_shown_and_kept_where_no_report_can_be_written(folder):
    words = ["run", "interrupt", "--fixture", "virtual", "--count", "100", "-o", "out.h5"]
    (folder / "out.html").mkdir()
    with mock.patch("rig.cli.run.check_new_files"):  # as if it had come during the run
        ended = rig(*words, folder=folder)
    assert ended.code == 3, ended
    assert b"PASS" in ended.out
    assert "out.html: exists already and is not overwritten" in one_line(ended)
    assert "the figures are stored; `rig report`" in one_line(ended)
    assert b"PASS" in rig("show", "out.h5", folder=folder).out


def test_bytecode_is_not_cut_off_by_a_limit(tmp_path):
    """It would stay, and no later start could import it."""
    words = [sys.executable, "-m", "rig.cli.main", "--version"]
    names = {**os.environ, "PYTHONPYCACHEPREFIX": str(tmp_path)}
    names.pop("PYTHONDONTWRITEBYTECODE", None)
    for before in [], ["prlimit", "--fsize=3000"], []:
        subprocess.run([*before, *words], env=names, check=True, timeout=60, capture_output=True)
        ours = list(tmp_path.rglob("rig/cli/*.pyc"))
        assert bool(ours) is not bool(before)
        for path in ours:
            path.unlink()


@pytest.mark.parametrize("words", WRITING[:5], ids=lambda words: words[0])
def test_few_open_files_are_one_line(words, folder):
    before = contents(folder)
    open_files = len(list(Path("/proc/self/fd").iterdir()))
    ended = rig(*words, folder=folder, limits=Limits(files=open_files + 3))
    if ended.code not in (0, 1, 4):
        assert ended.code in (2, 3), ended
        one_line(ended)
        assert contents(folder) == before


@pytest.mark.parametrize("place", ["/proc/out", "gone/out", "run.h5/out"])
@pytest.mark.parametrize("words", WRITING[1:], ids=lambda words: f"{words[0]}-{words[-1]}")
def test_a_place_that_takes_nothing_is_one_line(words, place, folder):
    before = contents(folder)
    out = f"{place}{Path(words[-1]).suffix}"
    ended = rig(*words[:-1], out, folder=folder)
    assert ended.code in (2, 3), ended
    one_line(ended)
    assert contents(folder) == before


@pytest.mark.parametrize("after_s", [0.001, 0.02, 0.05, 0.1, 0.2])
@pytest.mark.parametrize("words", [["show", "run.h5"], ["analyze", "plain.h5"], ["plans"]])
def test_an_interrupt_at_any_moment_is_no_traceback(words, after_s, folder):
    def act() -> int:
        os.chdir(folder)
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        signal.setitimer(signal.ITIMER_REAL, after_s)
        code = main(words)
        signal.setitimer(signal.ITIMER_REAL, 0)
        return code

    ended = forked(act)
    assert b"Traceback" not in ended.errors, ended.errors
    assert ended.code in (0, 1, 4, 130)
    assert not [path for path in folder.iterdir() if path.suffix == ".new"]


def test_a_home_and_a_folder_for_temporary_files_that_are_missing(folder):
    def act() -> int:
        os.chdir(folder)
        for name in [name for name in os.environ if name.startswith(("HOME", "XDG", "TMP"))]:
            del os.environ[name]
        os.environ |= {"TMPDIR": "/nonexistent", "HOME": "/nonexistent", "PATH": "/nonexistent"}
        return max(main(words) for words in (["show", "run.h5"], ["table", "run.h5"]))

    ended = forked(act)
    assert (ended.code, ended.errors) == (0, b"")
    shutil.rmtree(folder)


def test_a_part_of_a_file_that_cannot_be_closed_is_told_in_lines(tmp_path):
    """HDF5 closes it when nobody calls any more, and h5py has no one to raise an error to."""
    packed = Path(__file__).parent / "damaged" / "close-fails.h5.gz"
    (tmp_path / "run.h5").write_bytes(gzip.decompress(packed.read_bytes()))
    words = [sys.executable, "-m", "rig.cli.main", "analyze", "run.h5"]
    ended = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "rig: note: closing a file: Can't decrement id ref count" in ended.stderr
    assert "Traceback" not in ended.stderr


class _Interrupted:
    """A parser in which Ctrl-C comes while h5py calls back: compiled code wraps what it raises."""

    def parse_args(self, _words):
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as error:
            raise SystemError("returned a result with an exception set") from error


def test_an_interrupt_within_compiled_code_is_an_interrupt(monkeypatch, capfd):
    monkeypatch.setattr("rig.cli.main._parser", _Interrupted)
    assert main(["show", "run.h5"]) == 130
    assert capfd.readouterr().err == "rig: interrupted\n"
