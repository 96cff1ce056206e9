# SPDX-License-Identifier: GPL-3.0-or-later
"""The analyzer behind its worker: what goes wrong is told, ends in time, and leaves no process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from rig.capture import drivers, sigrok, sigrok_analyzer, worker
from rig.capture.drivers import DriverTraits
from rig.capture.sigrok_analyzer import SigrokAnalyzer
from rig.errors import BenchError
from rig.instruments import CaptureEnd, CaptureItem, EdgeBlock, Loss, LossKind
from rig.virtual.analyzer import VirtualAnalyzer

from .bench import World, edges_of, open_analyzer, read_to_end, wait_until


@pytest.fixture(autouse=True)
def no_orphans() -> Iterator[None]:
    """Every test must leave as many child processes as it found."""
    before = set(psutil.Process().children(recursive=True))
    yield
    left = set(psutil.Process().children(recursive=True)) - before
    for process in left:
        process.kill()
    assert not left


def losses(items: list[CaptureItem]) -> list[LossKind]:
    return [item.kind for item in items if isinstance(item, Loss)]


# --- opening ------------------------------------------------------------------------------------


def test_library_and_drivers_are_told() -> None:
    assert sigrok.library_version().startswith("0.5.")
    names = sigrok.driver_names()
    assert {"beaglelogic", "demo", "fx2lafw"} <= set(names)
    assert list(names) == sorted(names)


def test_identity_is_what_the_driver_reports() -> None:
    with VirtualAnalyzer(14) as virtual, open_analyzer(virtual.port, channels=14) as analyzer:
        identity = analyzer.identity
    assert (identity.driver, identity.model) == ("beaglelogic", "BeagleLogic")
    assert identity.library == sigrok.library_version()
    assert identity.sample_rate_hz == 24_000_000
    assert len(identity.channels) == 14
    assert identity.channels[:2] == ("P8_45", "P8_46")


def open_demo(**changes: object) -> SigrokAnalyzer:
    settings: dict[str, object] = {
        "driver": "demo",
        "conn": "",
        "sample_rate_hz": 1_000_000,
        "channels": 8,
        "channel_mask": 0xFF,
        "options": {},
        "stall_timeout_s": 5.0,
    }
    return SigrokAnalyzer.open(**{**settings, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"driver": "beaglelogik"}, "did you mean beaglelogic"),
        ({"driver": "beaglelogic", "conn": "tcp-raw/127.0.0.1/1"}, "Connection refused"),
        ({"driver": "beaglelogic", "conn": "tcp-raw"}, "Invalid Parameters"),
        ({"channel_mask": 0x100}, "channels 0 to 7"),
        ({"channel_mask": 0}, "channels 0 to 7"),
        ({"options": {"no_such_option": 1}}, "no option 'no_such_option'"),
        ({"options": {"limit_samples": "many"}}, "limit_samples = 'many' is not valid"),
        ({"options": {"averaging": "maybe"}}, "averaging = 'maybe' is not valid"),
        ({"options": {"external_clock": True}}, "refuses external_clock = True"),
        ({"sample_rate_hz": 0}, "samplerate"),
    ],
)
def test_what_cannot_be_opened_is_told_in_one_line(changes: dict[str, object], told: str) -> None:
    with pytest.raises(BenchError, match=told) as caught:
        open_demo(**changes)
    assert "\n" not in str(caught.value)


def test_a_driver_that_takes_another_rate_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """None that is installed does: this one is made to, where it says which rate is in force."""
    monkeypatch.setattr(sigrok.SigrokDevice, "set_sample_rate", lambda _self, rate_hz: rate_hz + 1)
    spec = worker.WorkerSpec(os.getpid(), "demo", "", 1_000_000, 8, 0xFF, {})
    told = "demo: samples at 1000001 Hz where 1000000 Hz was asked for; give a rate that it has"
    unused: Any = None  # what a worker says and hears once its device is open
    with pytest.raises(BenchError, match=told):
        worker._serve(spec, unused, unused)


def test_a_driver_that_fills_a_memory_once_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """None that needs no device does: this one's list of options is made one without end."""
    monkeypatch.setattr(sigrok.SigrokDevice, "_keys", lambda *_: set())
    spec = worker.WorkerSpec(os.getpid(), "demo", "", 1_000_000, 8, 0xFF, {})
    unused: Any = None
    with pytest.raises(BenchError, match="demo: samples into a memory of its own until"):
        worker._serve(spec, unused, unused)


def test_channels_that_are_not_asked_for_are_off_analog_ones_too() -> None:
    with sigrok.SigrokContext() as context:
        device = sigrok.SigrokDevice(context, "demo", "", {"analog_channels": 2}, 4)
        before = [(bool(each.enabled), each.type) for each in device._every_channel()]
        device.enable_channels(0b0101)
        after = [bool(each.enabled) for each in device._every_channel()]
        device.close()
    assert [on for on, _ in before] == [True] * 6
    assert len({kind for _, kind in before}) == 2
    assert after == [True, False, True, False, False, False]


def test_a_driver_that_cannot_capture_twice_gets_a_worker_for_each(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(drivers._TRAITS, "demo", DriverTraits(one_capture_per_worker=True))
    pids = set()
    with open_demo() as analyzer:
        for _ in range(3):
            analyzer.start()
            pids.add(analyzer.worker_pid)
            items = read_to_end(analyzer, stop_after_samples=50_000)
            assert losses(items) == []
            assert edges_of(items)
    assert len(pids) == 3


@pytest.mark.parametrize(
    ("driver", "rate_mhz", "mask", "told"),
    [
        ("fx2lafw", 24, 0x1FF, "24 MHz is too fast with channels D0 to D8 in use; .* of 12 MHz"),
        ("saleae-logic16", 50, 0xFF, "50 MHz is too fast with .* D0 to D7 in use; .* of 37.5 MHz"),
        ("saleae-logic16", 80, 0x8B, "channels D0, D1, D3, D7 in use"),
        ("dreamsourcelab-dslogic", 25, 0xFFFF, "sample_rate of 20 MHz or less"),
    ],
)
def test_more_than_a_driver_carries_is_refused(
    driver: str, rate_mhz: int, mask: int, told: str
) -> None:
    with pytest.raises(BenchError, match=f"{driver}: .*{told}"):
        open_demo(driver=driver, sample_rate_hz=rate_mhz * 10**6, channel_mask=mask)


@pytest.mark.parametrize(
    ("driver", "rate_mhz", "mask"),
    [
        ("fx2lafw", 24, 0xFF),
        ("saleae-logic16", 32, 0xFF),
        ("saleae-logic16", 50, 0x1F),
        ("dreamsourcelab-dslogic", 25, 0xFF),
        ("demo", 1000, 0xFF),
    ],
)
def test_what_a_driver_carries_is_not_refused(driver: str, rate_mhz: int, mask: int) -> None:
    drivers.refuse_too_fast(driver, rate_mhz * 10**6, mask)


def test_missing_library_names_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_self: object, name: str) -> None:
        raise OSError(f"cannot load library {name!r}")

    sigrok._library.cache_clear()
    monkeypatch.setattr("cffi.FFI.dlopen", missing)
    with pytest.raises(BenchError, match="apt install libsigrok4"):
        sigrok.library_version()


def test_demo_device_captures_and_captures_again() -> None:
    """A second real driver, at a pace of its own."""
    with open_demo() as analyzer:
        for _ in range(2):
            analyzer.start()
            items = read_to_end(analyzer, stop_after_samples=50_000)
            assert isinstance(items[-1], CaptureEnd)
            assert items[-1].asked
            assert losses(items) == []
            assert edges_of(items)


# --- the device or the worker fails ---------------------------------------------------------------

SERVER = """
from rig.virtual.analyzer import VirtualAnalyzer
analyzer = VirtualAnalyzer(8)
print(analyzer.port, flush=True)
number = 0
while True:
    number += 1
    analyzer.emit([(number * 10**6 - 1, 0, number & 1)], number * 10**6)
"""


def test_a_server_killed_in_mid_stream_is_a_loss_and_no_hang() -> None:
    server = subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True)
    with server:
        assert server.stdout is not None
        port = int(server.stdout.readline())
        with open_analyzer(port, stall_timeout_s=3.0) as analyzer:
            analyzer.start()
            items = [analyzer.read(20) for _ in range(3)]
            server.kill()
            rest = read_to_end(analyzer)
    assert None not in items
    assert losses(rest)[-1] in {LossKind.END_UNASKED, LossKind.STALL}
    assert isinstance(rest[-1], CaptureEnd)
    assert not rest[-1].asked
    assert rest[-1].samples > 0


def test_a_silent_device_is_a_stall() -> None:
    with (
        VirtualAnalyzer(8) as virtual,
        open_analyzer(virtual.port, stall_timeout_s=0.5) as analyzer,
    ):
        world = World(virtual, [([(10**6, 0, 1)], 10**9)])
        analyzer.start()
        items = read_to_end(analyzer)
        world.join()
        assert edges_of(items) == [(24, 0, 1)]
        assert losses(items) == [LossKind.STALL]
        assert items[-1] == CaptureEnd(24_000, asked=False)
        with pytest.raises(BenchError, match="nothing came for"):
            analyzer.start()


def test_a_killed_worker_is_a_loss() -> None:
    with VirtualAnalyzer(8) as virtual, open_analyzer(virtual.port) as analyzer:
        world = World(virtual, [([(10**6, 0, 1)], 10**9)])
        analyzer.start()
        first = analyzer.read(20)
        os.kill(analyzer.worker_pid, signal.SIGSEGV)
        items = read_to_end(analyzer)
        world.join()
    assert first is not None
    assert losses(items) == [LossKind.DRIVER_DIED]
    assert items[-1] == CaptureEnd(24_000, asked=False)
    loss = items[0]
    assert isinstance(loss, Loss)
    assert "SIGSEGV" in loss.text
    assert loss.sample == 24_000


HOST = """
import sys
from rig.capture.sigrok_analyzer import SigrokAnalyzer
analyzer = SigrokAnalyzer.open("beaglelogic", "tcp-raw/127.0.0.1/" + sys.argv[1],
    sample_rate_hz=24_000_000, channels=8, channel_mask=255, options={}, stall_timeout_s=60)
analyzer.start()
print(analyzer.worker_pid, flush=True)
while True:
    analyzer.read(60)
"""


def test_a_killed_host_takes_the_worker_with_it() -> None:
    with VirtualAnalyzer(8) as virtual:
        host = subprocess.Popen(
            [sys.executable, "-c", HOST, str(virtual.port)], stdout=subprocess.PIPE, text=True
        )
        with host:
            assert host.stdout is not None
            worker_pid = int(host.stdout.readline())
            wait_until(lambda: virtual.streaming, "the capture")
            host.kill()
        wait_until(lambda: not psutil.pid_exists(worker_pid), "the end of the worker")
        wait_until(lambda: not virtual.streaming, "the end of the stream")


def test_close_ends_a_worker_whose_output_nobody_reads() -> None:
    with VirtualAnalyzer(8) as virtual:
        flood = [
            ([(t + k, 0, k // 50_000 & 1) for k in range(0, 10**9, 50_000)], t + 10**9)
            for t in range(0, 10**11, 10**9)
        ]
        analyzer = open_analyzer(virtual.port)
        world = World(virtual, flood)
        analyzer.start()
        wait_until(lambda: virtual.streaming, "the capture")
        analyzer.close()
        analyzer.close()
        world.join()
        assert analyzer.read(10) is None


# --- a worker that misbehaves, scripted -----------------------------------------------------------

Scripted = Callable[[str], SigrokAnalyzer]

SCRIPT = """\
#!{python}
import os, sys, time, struct, signal
import numpy as np
from rig.capture import frames
from rig.capture.frames import FrameKind
from rig.capture.edges import PackedBlock
number = 0
def pieces(data):
    global number
    number += 1
    os.write(1, b"".join(data))
def send(kind, payload=b""): pieces(frames.pack(kind, number, payload))
def block(start, end, held_ns=0):
    empty = PackedBlock(start, end, np.empty(0, np.uint32), np.empty(0, np.uint8), 0)
    pieces(frames.pack_block(empty, number, frames.FrameTiming(time.monotonic_ns(), held_ns)))
def say(text): os.write(2, text.encode())
def command(): return os.read(0, 1)
while os.read(0, 1) != b"\\n": pass
send(FrameKind.IDENTITY, b'{{"driver": "fake", "vendor": "", "model": "", '
    b'"library": "", "sample_rate_hz": 1, "channels": []}}')
assert command() == b"g"
send(FrameKind.STARTED)
{body}
"""


@pytest.fixture
def scripted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scripted]:
    """Opens an analyzer whose worker runs a script instead of a driver."""
    opened: list[SigrokAnalyzer] = []

    def open_scripted(body: str) -> SigrokAnalyzer:
        script = tmp_path / "worker"
        script.write_text(SCRIPT.format(python=sys.executable, body=textwrap.dedent(body)))
        script.chmod(0o700)
        monkeypatch.setattr("rig.capture.worker_link.sys.executable", str(script))
        opened.append(open_demo(stall_timeout_s=2.0))
        opened[-1].start()
        return opened[-1]

    yield open_scripted
    for analyzer in opened:
        analyzer.close()


def test_warnings_come_before_the_end_that_followed_them(scripted: Scripted) -> None:
    items = read_to_end(
        scripted(
            """
            block(0, 10)
            say("sr: fake: lost my cable\\n")
            send(FrameKind.SHORT, b"half a sample")
            send(FrameKind.END)
            command()
            """
        )
    )
    assert losses(items) == [LossKind.LOG_WARNING, LossKind.SHORT_COUNT, LossKind.END_UNASKED]
    assert next(item for item in items if isinstance(item, Loss)).text == "fake: lost my cable"
    assert items[-1] == CaptureEnd(10, asked=False)


def test_a_flood_of_warnings_stays_short_and_hides_no_stall(scripted: Scripted) -> None:
    items = read_to_end(scripted('while True: say("sr: fake: again\\n" * 100 + "x" * 3000)'))
    assert losses(items) == [LossKind.LOG_WARNING] * 100 + [LossKind.STALL]


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ('os.write(1, struct.pack("<IIQ", 3, 1 << 30, number))', "1073741824 bytes"),
        ("number += 1; block(0, 10)", "frame 3 where 2 should be"),
        ('send(FrameKind.ERROR, b"no longer there")', "no longer there"),
        ("os._exit(3)", "exit status 3"),
        ("os.close(2); os._exit(4)", "exit status 4"),
        ("os.kill(os.getpid(), signal.SIGABRT)", "SIGABRT"),
        ('raise RuntimeError("broken inside")', "broken inside"),
    ],
)
def test_a_broken_worker_is_a_loss(scripted: Scripted, body: str, told: str) -> None:
    items = read_to_end(scripted(f"{body}\ncommand()"))
    assert losses(items)[-1] == LossKind.DRIVER_DIED
    assert isinstance(items[-2], Loss)
    assert told in items[-2].text
    assert isinstance(items[-1], CaptureEnd)


def test_a_gap_between_blocks_ends_the_capture_at_its_place(scripted: Scripted) -> None:
    items = read_to_end(scripted("block(0, 10); block(11, 20); command()"))
    gap = items[-2]
    assert isinstance(gap, Loss)
    assert (gap.kind, gap.sample) == (LossKind.SEQUENCE_GAP, 10)
    assert "samples from 11 on after sample 10" in gap.text
    assert items[-1] == CaptureEnd(10, asked=False)


def test_blocks_without_samples_are_no_life(scripted: Scripted) -> None:
    items = read_to_end(scripted("block(0, 10)\nwhile True: block(10, 10); time.sleep(0.01)"))
    assert [type(item) for item in items] == [EdgeBlock, Loss, CaptureEnd]
    assert losses(items) == [LossKind.STALL]


def test_a_driver_kept_waiting_is_told_with_its_place(scripted: Scripted) -> None:
    """Too short to matter, too long, no worse, and twice as long: told twice."""
    held_ms = (200, 300, 500, 700)
    blocks = ";".join(f"block({n}0, {n + 1}0, {ms} * 10**6)" for n, ms in enumerate(held_ms))
    analyzer = scripted(f"{blocks}; send(FrameKind.END); command()")
    told = [item for item in read_to_end(analyzer) if isinstance(item, Loss)]
    assert [(loss.kind, loss.sample) for loss in told[:-1]] == [
        (LossKind.BACKLOG, 10),
        (LossKind.BACKLOG, 30),
    ]
    assert "had to wait 0.7 s" in told[1].text
    assert analyzer.backlog.held_ns == 700 * 10**6
    assert analyzer.backlog.max_ns >= analyzer.backlog.now_ns > 0


def test_a_driver_that_ignores_the_stop_is_ended(
    scripted: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sigrok_analyzer, "_STOP_S", 0.3)
    analyzer = scripted("block(0, 10); signal.pause()")
    items = read_to_end(analyzer, stop_after_samples=10)
    assert losses(items) == [LossKind.STALL]
    assert items[-1] == CaptureEnd(10, asked=True)


def test_a_driver_that_does_not_answer_is_ended(
    scripted: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    analyzer = scripted("block(0, 10); send(FrameKind.END); signal.pause()")
    read_to_end(analyzer)
    monkeypatch.setattr(sigrok_analyzer, "_ANSWER_S", 0.3)
    with pytest.raises(BenchError, match="no answer within"):
        analyzer.start()


def test_a_warning_of_an_earlier_capture_explains_no_later_error(scripted: Scripted) -> None:
    analyzer = scripted('say("sr: fake: old news\\n"); send(FrameKind.END); command(); os._exit(3)')
    assert losses(read_to_end(analyzer))[0] == LossKind.LOG_WARNING
    with pytest.raises(BenchError, match="exit status 3") as caught:
        analyzer.start()
    assert "old news" not in str(caught.value)


def test_read_returns_in_time_when_nothing_comes(scripted: Scripted) -> None:
    analyzer = scripted("signal.pause()")
    assert analyzer.read(0.05) is None
    assert analyzer.read(0) is None


def test_a_closed_analyzer_does_not_start() -> None:
    analyzer = open_demo()
    analyzer.close()
    with pytest.raises(BenchError, match="was closed"):
        analyzer.start()
    analyzer.stop()
    assert analyzer.read(1) is None


# --- size and speed -------------------------------------------------------------------------------


def test_long_captures_take_no_more_memory_than_short_ones() -> None:
    """2 * 10^8 samples, an edge every 2,400: the worker's memory is watched, the rate printed."""
    step_ps, steps = 10**9, 8_000
    batches = [
        ([(number * step_ps + k * 10**8, 0, k & 1) for k in range(10)], (number + 1) * step_ps)
        for number in range(steps)
    ]
    with VirtualAnalyzer(8) as virtual, open_analyzer(virtual.port) as analyzer:
        sizes: list[int] = []
        worker = psutil.Process(analyzer.worker_pid)
        world = World(virtual, batches)
        analyzer.start()
        began_s = time.perf_counter()
        edges = 0
        total = steps * 24_000
        while not isinstance(item := analyzer.read(20), CaptureEnd):
            assert item is not None
            assert not isinstance(item, Loss)
            edges += len(item.index)
            if item.end_sample > total // 10:
                sizes.append(worker.memory_info().rss)
            if item.end_sample == total:
                analyzer.stop()
        world.join()
    assert edges == steps * 10 - 1
    assert max(sizes) - sizes[0] < 16 << 20
    print(f"{total / (time.perf_counter() - began_s) / 1e6:.0f} MS/s through driver and worker")
