# SPDX-License-Identifier: GPL-3.0-or-later
"""The engine by itself: a window that stalls or dies costs it nothing."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys

import pytest

from gui.engine.outcome import outcome_of
from gui.engine.request import RunRequest
from gui.engine.snapshot import snapshot_of
from gui.processes.messages import Unpacker
from rig.session.results import read


@pytest.fixture
def engine():
    """An engine that waits for its job."""
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "gui.engine"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    yield process
    process.kill()
    process.wait()
    for end in (process.stdin, process.stdout):
        end.close()


def ask(engine, job: RunRequest) -> None:
    engine.stdin.write(json.dumps(job.fields()).encode() + b"\n")
    engine.stdin.flush()


def heard(engine):
    """Messages until the engine ends."""
    unpacker = Unpacker()
    while piece := os.read(engine.stdout.fileno(), 1 << 16):
        yield from unpacker.feed(piece)


def test_a_window_that_does_not_read_costs_no_sample(engine, tmp_path):
    """The pipe is full long before the run ends; nobody reads until all files are there."""
    fcntl.fcntl(engine.stdout, fcntl.F_SETPIPE_SZ, 4096)
    ask(engine, RunRequest("interrupt", "virtual", str(tmp_path), count=3000))
    while not list(tmp_path.glob("*.windows/event-*-maximum.sr")) or not list(
        tmp_path.glob("*.html")
    ):
        assert engine.poll() is None
        with pytest.raises(subprocess.TimeoutExpired):
            engine.wait(0.2)
    messages = list(heard(engine))
    assert engine.wait(30) == 0
    assert messages[0].kind == "begun"
    outcome = outcome_of(messages[-1])
    assert outcome.verdict == "pass"
    assert outcome.document["counts"]["answered"] == 3000
    # Of the moments nobody saw, some 20 a second, only the newest was kept.
    shown = [snapshot_of(m) for m in messages if m.kind == "snapshot"]
    assert len(shown) <= 12
    assert shown[-1].phase == "evaluating"
    assert shown[-1].losses == 0
    assert read(outcome.path).evaluation.figures.max_ns == pytest.approx(shown[-1].worst_ns)


def test_a_window_that_dies_ends_the_run_in_order(engine, tmp_path):
    ask(engine, RunRequest("interrupt", "virtual", str(tmp_path), count=500_000))
    for message in heard(engine):
        if message.kind == "snapshot" and message.fields["answers"] > 20:
            break
    engine.stdin.close()
    engine.stdout.close()
    assert engine.wait(60) == 0
    (path,) = tmp_path.glob("*.h5")
    result = read(path)
    assert result.state == "interrupted"
    assert result.evaluation.counts.answered > 20


def test_bad_input_is_told_in_the_words_of_the_command_line(engine, tmp_path):
    ask(engine, RunRequest("interupt", "virtual", str(tmp_path)))
    (message,) = heard(engine)
    assert message.kind == "failed"
    assert "no built-in plan (did you mean interrupt?)" in message.fields["text"]
    assert message.fields["details"] == ""
    assert list(tmp_path.iterdir()) == []


def test_without_a_job_it_just_ends(engine):
    engine.stdin.close()
    assert list(heard(engine)) == []
    assert engine.wait(60) == 0
