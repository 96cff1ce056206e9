# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/how-to/add-an-operating-system.md is enough: one file measures."""

from __future__ import annotations

import os
import pty
import re
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass

import numpy as np
import pytest

from rig.bench.target import open_target
from rig.config.links import link_of_word
from rig.errors import BenchError
from rig.instruments import LOG_MISSED, LOG_TRIGGER, ArmOptions, LogArray
from rig.target.link import AgentLink
from tests.extension.copies import ROOT, Copy, files_of

HOW_TO = (ROOT / "docs/how-to/add-an-operating-system.md").read_text(encoding="utf-8")
FILES = files_of("add-an-operating-system.md")
PORTING = "targets/PORTING.md"
LIBRARY = "targets/agent/build/libagent-core.a"
OF_STRING_H = re.compile(r"(mem|str)[a-z]+")
COUNT, PERIOD_NS = 20, 2_000_000


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    """A copy of the targets with the port, and the agent that the how-to's commands build."""
    made = Copy.of_checkout(tmp_path_factory.mktemp("system") / "copy", "targets")
    for path, text in FILES.items():
        made.write(path, text)
    (row,) = re.findall(r"```text\n(\| ISO C .*?)```", HOW_TO, re.DOTALL)
    made.edit(PORTING, "| QNX |", row)
    (commands,) = re.findall(r"```sh\n(make .*?)```", HOW_TO, re.DOTALL)
    ended = subprocess.run(
        ["/bin/sh", "-e", "-c", commands],
        cwd=made.root, capture_output=True, text=True, timeout=100,
    )  # fmt: skip
    assert (ended.returncode, ended.stderr) == (0, "")
    return made


@dataclass
class Board:
    """The agent on its system: the serial line's device, and its pins."""

    device: str
    pins: int

    def writes(self, count: int) -> list[int]:
        """The next pin writes."""
        data = b""
        while len(data) < count:
            more = os.read(self.pins, count - len(data))
            assert more, "the agent has ended"
            data += more
        return list(data)


@pytest.fixture
def board(copy: Copy) -> Iterator[Board]:
    with ExitStack() as stack:
        line, device = pty.openpty()
        pins, board = os.pipe()
        for file in (line, device, pins):
            stack.callback(os.close, file)
        process = subprocess.Popen(
            [copy.root / "agent", f"/dev/fd/{board}"], stdin=line, stdout=line, pass_fds=(board,)
        )
        os.close(board)
        stack.callback(process.wait)
        stack.callback(process.kill)
        yield Board(os.ttyname(device), pins)


@pytest.fixture
def agent(board: Board) -> Iterator[AgentLink]:
    with closing(open_target(link_of_word(f"serial:{board.device}"))) as link:
        yield link


def test_it_takes_two_files(copy: Copy) -> None:
    assert copy.changed() == {*FILES, PORTING}
    assert len(copy.changed()) == 2


def test_the_core_calls_no_system(copy: Copy) -> None:
    """Of the C library it needs string.h, as the how-to says."""
    listed = subprocess.run(
        ["nm", copy.root / LIBRARY], check=True, capture_output=True, text=True
    ).stdout
    symbols = [line.split()[-2:] for line in listed.splitlines() if len(line.split()) > 1]
    own = {name for kind, name in symbols if kind != "U"}
    needed = {name for kind, name in symbols if kind == "U"} - own
    assert needed
    assert [name for name in needed if not OF_STRING_H.fullmatch(name)] == []


def test_the_host_sees_what_it_can_do(copy: Copy, board: Board) -> None:
    probed = copy.rig("target", "probe", f"serial:{board.device}")
    assert (probed.returncode, probed.stderr) == (0, ""), probed.stdout
    assert re.search(r"^ok +port +c11: interrupt_to_task, period$", probed.stdout, re.MULTILINE), (
        probed.stdout
    )


def test_what_it_cannot_do_is_refused_in_words(agent: AgentLink) -> None:
    assert agent.environment() == {"system": "C11 threads"}
    for words, message in (
        ({"measurement": "timer"}, "cannot measure timer; it can measure interrupt_to_task period"),
        ({"priority": "80"}, "tasks of this system have no priority; say priority=0"),
        ({"timer": "itimer"}, "this system has one timer"),
    ):
        with pytest.raises(BenchError, match=re.escape(message)):
            agent.arm(asked(**words))


def asked(measurement: str = "period", **words: str) -> ArmOptions:
    options = {"period_ns": str(PERIOD_NS), "priority": "0"} | words
    return ArmOptions(measurement, capacity=100_000, sequence_bits=3, options=options)


def measured(agent: AgentLink, board: Board, options: ArmOptions) -> tuple[LogArray, list[int]]:
    """The whole log, and the first pin writes."""
    agent.arm(options)
    writes = board.writes(COUNT)
    summary = agent.stop()
    assert summary.dropped == 0
    log = agent.log(0, summary.records)
    assert log["sequence"].tolist() == list(range(summary.records))
    assert np.all(log["before_ticks"] <= log["after_ticks"])
    return log, writes


def test_periods(agent: AgentLink, board: Board) -> None:
    log, writes = measured(agent, board, asked())
    # The response pin toggles, the others count what was handled.
    assert [pins >> 1 for pins in writes] == (log["handled"][:COUNT] % 8).tolist()
    assert np.all(np.diff([pins & 1 for pins in writes]) != 0)
    handled, begun = (log[name].astype(np.int64) for name in ("handled", "before_ticks"))
    assert np.array_equal(np.diff(handled, prepend=0) > 1, log["flags"] & LOG_MISSED != 0)
    # All lie behind one grid of due times: it does not move from the first answers to the last.
    earliest = [part.min() for part in np.array_split(begun - handled * PERIOD_NS, 2)]
    assert abs(earliest[1] - earliest[0]) < PERIOD_NS


def test_interrupts_that_it_makes_itself(agent: AgentLink, board: Board) -> None:
    log, _ = measured(agent, board, asked("interrupt_to_task", self_trigger="1"))
    is_trigger = log["flags"] & LOG_TRIGGER != 0
    triggers, answers = log[is_trigger], log[~is_trigger]
    assert COUNT <= len(answers) <= len(triggers)
    handled = answers["handled"].astype(np.int64)
    assert np.all(np.diff(handled, prepend=0) >= 1)
    made = triggers["before_ticks"][handled - 1]
    assert np.all(answers["before_ticks"] >= made)
