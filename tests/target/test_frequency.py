# SPDX-License-Identifier: GPL-3.0-or-later
"""What a host makes of an agent's words about a processor's frequency, and of a real agent's."""

from __future__ import annotations

import socket
import subprocess
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.errors import BenchError, RefusedError
from rig.target.frequency import (
    CpuState,
    NotGivenBackError,
    can_adjust,
    locked_frequency,
    read_state,
    reported_khz,
)
from rig.target.link import AgentLink
from tests.target.real_agent import PORT, agent_program

CPUFREQ = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_min_freq")
STATE = "cpu=0 minimum_khz=800000 maximum_khz=3600000 held_khz=0"


@contextmanager
def peer(*replies: str):
    """An agent that greets and then says these lines whatever it is asked; and its questions."""
    asked: list[str] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            host, _ = listener.accept()
            with host, host.makefile("rb") as lines:
                for reply in ("OK a version=1 log=2 tick_hz=1 frequency=1", *replies):
                    asked.append(lines.readline().decode().strip())
                    host.sendall(f"{reply}\n".encode())
                lines.readline()

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            with AgentLink.open("127.0.0.1", listener.getsockname()[1]) as link:
                yield link, asked
        finally:
            thread.join(10)


def test_a_state_is_read_and_what_is_not_told_is_not_known():
    with peer(f"OK {STATE}") as (link, asked):
        assert can_adjust(link)
        assert read_state(link, 0) == CpuState(800_000, 3_600_000, None, ())
        assert asked[1] == "FREQUENCY STATE cpu=0"


@pytest.mark.parametrize(
    "reply",
    [
        "OK",
        "OK cpu=0 minimum_khz=1",
        "OK minimum_khz=5 maximum_khz=4",
        "OK minimum_khz=0 maximum_khz=4",
        "OK minimum_khz=1 maximum_khz=99999999999999999999",
        f"OK {STATE} current_khz=-1",
        f"OK {STATE} steps_khz=1,x",
        "OK minimum_khz",
    ],
)
def test_nonsense_is_told_as_such(reply):
    with (
        peer(reply) as (link, _),
        pytest.raises(BenchError, match=r"frequency: |agent of this rig") as found,
    ):
        read_state(link, 0)
    assert not isinstance(found.value, RefusedError)


def test_limits_that_are_not_given_back_are_another_matter_than_a_refusal():
    why = "cpu 0's limits were not given back; write 1 to its cpufreq/scaling_min_freq"
    with peer(f"OK {STATE}", f"ERR {why}") as (link, asked):
        with (
            pytest.raises(NotGivenBackError, match="not given back"),
            locked_frequency(link, 0, 900_000),
        ):
            pass
        assert asked[1:] == ["FREQUENCY HOLD cpu=0 khz=900000", "FREQUENCY RELEASE"]


KHZ = st.integers(1, 10**8)


@given(KHZ, KHZ, st.lists(KHZ, max_size=20))
def test_levels_are_what_the_processor_can_have(a, b, steps):
    state = CpuState(min(a, b), max(a, b), None, tuple(steps))
    within = [step for step in steps if state.minimum_khz <= step <= state.maximum_khz]
    levels = state.levels_khz
    assert 1 <= len(levels) <= 3
    assert list(levels) == sorted(set(levels))
    assert (levels[0], levels[-1]) == (
        (min(within), max(within)) if within else (state.minimum_khz, state.maximum_khz)
    )
    assert set(levels) <= set(within) or not within


def test_kernels_tell_numbers_as_texts():
    assert reported_khz("800000") == reported_khz(800_000) == 800_000
    for value in ("", "many", None, -1, 1.5, "9" * 13, "\u0663"):
        with pytest.raises(ValueError, match="no frequency"):
            reported_khz(value)


def test_a_real_agent_tells_of_this_machine_or_says_why_not():
    """What it writes is tested on files of a test's own: nothing of this machine is touched."""
    words = [agent_program(), *PORT, "--tcp", "127.0.0.1:0"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as agent:
        assert agent.stderr is not None
        port = int(agent.stderr.readline().rpartition(":")[2])
        try:
            with AgentLink.open("127.0.0.1", port) as link:
                assert can_adjust(link)
                if CPUFREQ.exists():
                    assert read_state(link, 0).minimum_khz == int(CPUFREQ.read_text())
                else:
                    with pytest.raises(RefusedError, match="cpu 0 has no cpufreq"):
                        read_state(link, 0)
        finally:
            agent.terminate()
