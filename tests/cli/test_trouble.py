# SPDX-License-Identifier: GPL-3.0-or-later
"""What a user meets when something dies in mid-run: a clear word, no orphan, a readable file."""

from __future__ import annotations

import json
import signal

import pytest

from tests.cli.command import measuring, rig


def shown(out):
    """What `rig show --json` says of a run file."""
    ended = rig("show", out, "--json")
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ("rig.virtual", "the virtual bench ended during the run: killed by signal 9"),
        pytest.param(
            "rig-emulator",
            "the virtual bench ended during the run: the microcontroller emulator",
            marks=pytest.mark.slow,
        ),
        ("rig.capture.worker", "the analyzer stopped after"),
    ],
)
def test_a_dead_part_ends_the_run_in_order(part, words, tmp_path):
    out = tmp_path / "run.h5"
    with measuring(out) as running:
        running.part(part).kill()
        errors = running.end()
        assert running.process.returncode == 3
        assert running.orphans() == []
    reports = [line for line in errors.splitlines() if line.startswith("rig: ")]
    assert len(reports) == 1, errors
    assert words in reports[0]
    assert "Traceback" not in errors
    document = shown(out)
    assert document["verdict"] == "incomplete"
    assert document["counts"]["n"] > 0


def test_a_killed_host_leaves_no_orphan_and_a_readable_file(tmp_path):
    out = tmp_path / "run.h5"
    with measuring(out) as running:
        running.process.kill()
        assert running.orphans() == []
    document = shown(out)
    assert document["verdict"] in ("inconclusive", "incomplete")
    assert "its process was killed" in " ".join(document["reasons"])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_finishes_the_file(number, tmp_path):
    out = tmp_path / "run.h5"
    with measuring(out) as running:
        running.process.send_signal(number)
        running.end()
        assert running.process.returncode == 130
        assert running.orphans() == []
    document = shown(out)
    assert document["verdict"] == "inconclusive"
    assert "interrupted by the user" in document["reasons"][0]
    assert all(witness["agrees"] for witness in document["witnesses"])
