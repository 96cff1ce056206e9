# SPDX-License-Identifier: GPL-3.0-or-later
"""Debian's kernels in QEMU as targets: whole runs, and guests that fail.

Slow: the kernels are downloaded at the first use, and each test boots one.
"""

from __future__ import annotations

import json
import socket
import subprocess
import threading
from pathlib import Path

import numpy as np
import psutil
import pytest

import rig.virtual.guest.image as guest_image
from rig.config.fixture import parse_fixture
from rig.config.plan import load_plan
from rig.config.virtual.bench import VirtualGuest
from rig.errors import BenchError
from rig.record.reader import RunFile
from rig.resources import find_fixture
from rig.session.results import store
from rig.session.run import run
from rig.virtual.answer_pins import AnswerWires
from rig.virtual.guest.image import build_image
from rig.virtual.guest.machine import QEMU
from rig.virtual.guest.target import GuestTarget
from tests.cli.command import GONE_S, RIG, measuring, rig

pytestmark = pytest.mark.timeout(600)
slow = pytest.mark.slow
"""For all but the shortest: `make test` boots each kernel once."""

RESPONSE = 1
"""Channel of the built-in fixtures."""
SAMPLE_THIRD_NS = 125
"""Thirds of a nanosecond in a sample at 24 MHz."""
STRETCH_PS = 500_000_000
HERE = Path(__file__).parent
ROOT = HERE.parents[1]


@pytest.fixture(scope="module", autouse=True)
def _built() -> None:
    for folder in ("targets/qemu", "targets/agent"):
        subprocess.run(["make", "--silent", "-C", ROOT / folder], check=True, timeout=120)


def bracket_slack_ns(path: Path) -> tuple[int, float]:
    """(events, slack) of the bracket test, done apart from the rig's own.

    The guest's cycle counter is its virtual clock, which is the bench's time but for a constant:
    one constant must put every edge, known to a sample, between its two ticks. Exact in thirds of
    a nanosecond; below 0 no constant does.
    """
    with RunFile(path) as file:
        blocks = list(file.edge_blocks())
        log = file.log(0, file.log_count)
    index = np.concatenate([b.index[b.channel == RESPONSE] for b in blocks])
    assert len(index) == len(log)
    before, after = (3 * log[name].astype(np.int64) for name in ("before_ticks", "after_ticks"))
    least = (before - index * SAMPLE_THIRD_NS).max()
    most = (after - (index - 1) * SAMPLE_THIRD_NS).min()
    return len(index), (most - least) / 3


@pytest.mark.guest
@pytest.mark.parametrize("fixture", ["qemu-debian", "qemu-debian-rt"])
def test_a_run_on_a_real_kernel(fixture: str, tmp_path: Path) -> None:
    out = tmp_path / "run.h5"
    command = [*RIG, "run", "interrupt", "--fixture", fixture, "--count", "300", "--out", str(out)]
    ended = subprocess.run(
        [*command, "--json"], capture_output=True, text=True, timeout=560, check=False
    )
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)["verdict"] == "pass"
    count, slack_ns = bracket_slack_ns(out)
    assert count == 300
    assert 0 <= slack_ns < 100


@slow
def test_a_task_on_a_loaded_rt_kernel(tmp_path: Path) -> None:
    """Through the character device, whose write takes long: a wide bracket, but the same clock."""
    text = find_fixture("qemu-debian-rt").read_text()
    text = text.replace('port = "kmod"', 'port = "ppdev"').replace(
        'load = "idle"', 'load = "system"'
    )
    plan = load_plan("interrupt-to-task").with_overrides(200, None)
    out = tmp_path / "run.h5"
    failure = run(plan, parse_fixture(text, "f"), out, lambda _live: None, threading.Event())
    assert failure is None
    result = store(out)
    assert result.exit_code == 0
    count, slack_ns = bracket_slack_ns(out)
    assert count == 200
    assert 0 <= slack_ns < 10_000


@slow
@pytest.mark.timeout(900)
def test_a_log_of_a_megabyte_arrives_from_an_rt_kernel(tmp_path: Path) -> None:
    """Its serial driver's threaded handler must not be taken for a line that nobody cares for."""
    out = tmp_path / "long.h5"
    words = ["run", "interrupt", "--fixture", "qemu-debian-rt", "--count", "30000", "--quiet"]
    ended = subprocess.run([*RIG, *words, "--out", str(out)], timeout=840, check=False)
    assert ended.returncode == 0


@slow
def test_two_runs_at_a_time_do_not_meet(tmp_path: Path) -> None:
    words = [*RIG, "run", "interrupt", "--fixture", "qemu-debian", "--count", "50", "--quiet"]
    runs = [
        subprocess.Popen([*words, "--out", str(tmp_path / f"{n}.h5")], stdout=subprocess.DEVNULL)
        for n in range(2)
    ]
    assert [process.wait(200) for process in runs] == [0, 0]


# --- guests that fail ----------------------------------------------------------------------------


@pytest.fixture
def bad_guest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GuestTarget:
    """A guest that has booted, with the agent of bad_agent.c."""
    agent = tmp_path / "agent"
    subprocess.run(
        ["cc", "-static", "-Wall", "-Werror", "-o", agent, HERE / "bad_agent.c"], check=True
    )
    monkeypatch.setattr(guest_image, "agent_binary", lambda: agent)
    stop = threading.Event()
    image = build_image(VirtualGuest("debian", "ppdev", "idle"), stop, print)
    return GuestTarget.boot(image, AnswerWires(RESPONSE, ()), stop, print)


@slow
@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("HANG", "the guest hangs: its agent has been silent for 20 s of its own time"),
        ("PANIC", "the guest failed: Kernel panic - not syncing: sysrq triggered crash"),
        ("STORM", "interrupt storm in the guest: "),
        ("END", "the guest failed: the agent ended with exit status 6: enough of this"),
    ],
)
def test_a_guest_that_fails_is_told(bad_guest: GuestTarget, line: str, message: str) -> None:
    with bad_guest as guest, socket.create_connection(("127.0.0.1", guest.port)) as host:
        host.sendall(line.encode() + b"\n")
        guest.on_stimulus(STRETCH_PS, 1)  # nACK stays high: each enabling is an interrupt
        with pytest.raises(BenchError) as error:
            pass_long(guest)
    assert str(error.value).startswith(message)
    assert not psutil.pid_exists(guest.pid)


def pass_long(guest: GuestTarget) -> None:
    """A minute of the guest's time."""
    for stretch in range(1, 60 * 10**12 // STRETCH_PS):
        guest.pass_until(stretch * STRETCH_PS)


# --- nothing stays -------------------------------------------------------------------------------


@slow
@pytest.mark.parametrize(
    ("part", "words"),
    [
        ("rig.virtual", "the virtual bench ended during the run: killed by signal 9"),
        (QEMU, f"the virtual bench ended during the run: {QEMU} (pid "),
    ],
)
def test_a_dead_part_ends_the_run_in_order(part: str, words: str, tmp_path: Path) -> None:
    with measuring(tmp_path / "run.h5", "--fixture", "qemu-debian") as running:
        running.part(part).kill()
        errors = running.end()
        assert running.process.returncode == 3
        assert running.orphans() == []
    assert words in errors
    assert "Traceback" not in errors


@slow
def test_a_killed_host_leaves_no_guest(tmp_path: Path) -> None:
    with measuring(tmp_path / "run.h5", "--fixture", "qemu-debian") as running:
        assert running.part(QEMU).is_running()
        running.process.kill()
        assert running.orphans() == []


@slow
@pytest.mark.parametrize("kill", [True, False])
def test_a_host_that_ends_while_the_guest_boots_leaves_none(kill: bool, tmp_path: Path) -> None:
    command = [*RIG, "run", "interrupt", "--fixture", "qemu-debian", "--out", "run.h5"]
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, cwd=tmp_path
    ) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith("booting"):
                break
        family = psutil.Process(process.pid).children(recursive=True)
        assert any(QEMU in " ".join(p.cmdline()) for p in family)
        if kill:
            process.kill()
        else:
            process.terminate()
        errors = process.stderr.read()
    _, alive = psutil.wait_procs(family, GONE_S)
    assert alive == []
    assert list(tmp_path.iterdir()) == []
    assert kill or (process.returncode, errors) == (
        3,
        "rig: stopped while the virtual bench was being set up\n",
    )


@slow
def test_negative_pulses_are_refused_by_the_agent(tmp_path: Path) -> None:
    plan = (ROOT / "rig/plans/interrupt.toml").read_text().replace('"positive"', '"negative"')
    (tmp_path / "plan.toml").write_text(plan)
    out = tmp_path / "run.h5"
    ended = rig("run", tmp_path / "plan.toml", "--fixture", "qemu-debian", "--out", out)
    assert ended.returncode == 6
    assert "a parallel port interrupts on the rising edge of nACK" in ended.stderr
