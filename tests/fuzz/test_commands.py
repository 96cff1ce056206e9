# SPDX-License-Identifier: GPL-3.0-or-later
"""Every command on some crafted files; `python -m tests.fuzz.commands` tries thousands."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from unittest import mock

import pytest

from rig.cli import plans
from rig.errors import InputError
from tests.fuzz.commands.judge import MEMORY_BYTES, finding
from tests.fuzz.forked import Ended, rig
from tests.fuzz.names import ROOT

GOOD = Ended(2, b"", b"rig: run.h5: damaged\n", 0.1, 0.1, 1 << 20, is_late=False)


@pytest.mark.timeout(600)
def test_no_crafted_file_is_a_finding(tmp_path):
    """In a process of its own: what is forked has the memory of the one that forks."""
    program = [sys.executable, "-m", "tests.fuzz.commands", "--count", "100", "--seed", "quick"]
    ended = subprocess.run(
        [*program, "--findings", str(tmp_path)], cwd=ROOT, capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    lines = ended.stdout.splitlines()
    assert lines[-1].startswith("100 files, ")
    assert lines[-1].endswith(" 0 findings")
    assert {"show", "analyze", "table", "recover", "export"} <= {each.split()[0] for each in lines}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"code": 70}, "traceback"),
        ({"errors": b"Traceback (most recent call last):\n"}, "traceback"),
        ({"code": -11}, "ended by -11"),
        ({"code": 120}, "ended by 120"),
        ({"processor_s": 11.0}, "took too long"),
        ({"is_late": True}, "took too long"),
        ({"peak_bytes": MEMORY_BYTES + 1}, "took too much memory"),
        ({"errors": b"rig: a\x1b[2J\n"}, "raw characters on standard error"),
        ({"out": b"\xe2\x80\xae", "code": 0}, "raw characters on standard output"),
        ({"errors": b""}, "not one line"),
        ({"errors": b"rig: a\nrig: b\n"}, "not one line"),
        ({"errors": b"x.py:1: RuntimeWarning: overflow\n", "code": 0}, "a warning of Python"),
        ({"out": b'{"a": NaN}', "code": 0}, "no JSON"),
    ],
)
def test_what_a_command_may_not_do_is_a_finding(changes, words):
    assert finding(["show", "--json"], GOOD) == ""
    assert finding(["show", "--json"], Ended(**{**vars(GOOD), **changes})) == words


def test_a_fault_in_a_command_is_found():
    with mock.patch.object(plans, "command") as command:
        command.side_effect = KeyError("x")
        assert finding(["plans"], rig("plans")) == "traceback"
        command.side_effect = InputError("a\x1b[2J")
        ended = replace(rig("plans"), peak_bytes=0)  # the tests' own memory is in it
        assert finding(["plans"], ended) == ""
