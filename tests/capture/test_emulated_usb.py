# SPDX-License-Identifier: GPL-3.0-or-later
"""libsigrok's own drivers and libusb on emulated analyzers: every edge, and every fault."""

from __future__ import annotations

import socket
from fractions import Fraction
from itertools import pairwise

import psutil
import pytest

from rig.capture import emulated_usb
from rig.capture.sigrok_analyzer import SigrokAnalyzer
from rig.config.virtual.usb import UsbSettings
from rig.errors import BenchError
from rig.instruments import CaptureEnd, CaptureItem, Loss, LossKind
from rig.virtual.usb import fx2
from rig.virtual.usb.analyzer import DsLogicAnalyzer, Fx2Analyzer, VirtualUsbAnalyzer
from rig.virtual.usb.board import UsbStream
from rig.virtual.usb.bus import UsbBus
from rig.virtual.usb.device import Urb
from rig.virtual.usb.fx2 import Fx2
from rig.virtual.usb.node import HostFile

from .bench import Batch, World, edges_of, random_batches, read_to_end, true_edges, wait_until

RATE_HZ = 24_000_000
ERROR_PPB = 30_000


def open_usb(
    virtual: VirtualUsbAnalyzer,
    rate_hz: int = RATE_HZ,
    channels: int = 8,
    stall_timeout_s: float = 10.0,
    port: str = "",
    *,
    continuous: bool = True,
) -> SigrokAnalyzer:
    is_fx2 = isinstance(virtual, Fx2Analyzer)
    return SigrokAnalyzer.open(
        "fx2lafw" if is_fx2 else "dreamsourcelab-dslogic",
        virtual.connection + (f",port:{port}" if port else ""),
        sample_rate_hz=rate_hz,
        channels=channels,
        channel_mask=2**channels - 1,
        options={} if is_fx2 else {"continuous": continuous},
        stall_timeout_s=stall_timeout_s,
        flow_control=True,
    )


TAIL_PS = 50 * 10**9
"""Time after the last edge: samples come by transfers of 10 ms."""


def captured(
    virtual: VirtualUsbAnalyzer,
    analyzer: SigrokAnalyzer,
    batches: list[Batch],
    samples: int | None = None,
) -> list[CaptureItem]:
    """What a capture shows of these edges, until so many samples have come or it ends itself."""
    world = World(virtual, batches)
    analyzer.start()
    items = read_to_end(analyzer, stop_after_samples=samples)
    world.join()
    wait_until(lambda: not virtual.streaming, "the end of the stream")
    return items


@pytest.mark.parametrize(
    ("kind", "channels", "blank", "rate_hz"),
    [
        (Fx2Analyzer, 8, False, RATE_HZ),
        (Fx2Analyzer, 8, True, RATE_HZ),
        (Fx2Analyzer, 16, False, 12_000_000),
        (Fx2Analyzer, 16, True, 1_000_000),
        (DsLogicAnalyzer, 8, False, 25_000_000),
        (DsLogicAnalyzer, 16, True, 20_000_000),
    ],
)
def test_every_edge_is_seen_at_its_sample(
    kind: type[VirtualUsbAnalyzer], channels: int, blank: bool, rate_hz: int
) -> None:
    """Two captures of one worker, each from its own sample 0; a blank one takes the firmware."""
    true_rate_hz = Fraction(rate_hz * (10**9 + ERROR_PPB), 10**9)
    start_ps = levels = 0
    with (
        kind(channels, ERROR_PPB, settings=UsbSettings(blank=blank)) as virtual,
        open_usb(virtual, rate_hz, channels) as analyzer,
    ):
        assert (virtual.device.uploaded_bytes > 4096) == blank
        for seed in (1, 2):
            gap_ps = 10**14 // rate_hz
            batches = random_batches(seed, channels, start_ps, 300, gap_ps, levels)
            end_ps = batches[-1][1]
            expected, samples = true_edges(batches, start_ps, true_rate_hz, levels)
            items = captured(virtual, analyzer, [*batches, ([], end_ps + TAIL_PS)], samples)
            assert losses(items) == []
            assert edges_of(items) == expected
            assert len(expected) > 500
            for _, channel, level in (edge for edges, _ in batches for edge in edges):
                levels = levels & ~(1 << channel) | level << channel
            start_ps = end_ps + TAIL_PS


def test_a_start_takes_older_samples_out_of_the_transfers_that_wait() -> None:
    """The driver submits transfers, then starts: what they got meanwhile is of the capture before.

    Only after a silence is there any, when a stop cannot be told from time-outs.
    """
    streams: list[UsbStream] = []
    with (
        socket.socket(socket.AF_UNIX) as unused,
        UsbBus() as bus,
        Fx2(bus, 8, UsbSettings(), streams.append, lambda: None) as device,
    ):
        file = HostFile(unused)
        start = (file, 0xB1, 0, bytes([0x40, 0, 1]))
        assert device.told(*start)
        urbs = [Urb(n, file, 0, 512, 0.0, samples=True) for n in range(3)]
        device.waiting.extend(urbs)
        streams[0].put([memoryview(bytes(700))])
        assert [urb.actual for urb in urbs] == [512, 188, 0]
        assert list(device.waiting) == urbs[1:]
        assert device.told(*start)
        assert [urb.actual for urb in device.waiting] == [0, 0, 0]
        assert list(device.waiting) == urbs
        streams[0].put([memoryview(bytes(700))])
        assert not any(urb.actual for urb in urbs)


SQUARE: list[Batch] = [
    ([(start + n * 10**7, 0, n & 1) for n in range(1000)], start + 10**10)
    for start in range(1, 4 * 10**11, 10**10)
]
"""An edge every 10 us for 0.4 s: more than the driver's transfers hold."""
AFTER_PS = 203 * 10**9 + 12_345_678
AFTER_SAMPLES = AFTER_PS * RATE_HZ // 10**12
TRANSFER_BYTES = 240_128


@pytest.mark.parametrize("fault", ["overrun", "empty", "halt", "unplug"])
def test_an_end_that_nobody_asked_for_is_told_with_its_sample(fault: str) -> None:
    """The driver says nothing of these: what it was can only be guessed, and is."""
    settings = UsbSettings(fault=fault, after_ps=AFTER_PS)
    with Fx2Analyzer(8, settings=settings) as virtual, open_usb(virtual) as analyzer:
        items = captured(virtual, analyzer, SQUARE)
    assert losses(items)[-1] == LossKind.END_UNASKED
    end = items[-1]
    assert isinstance(end, CaptureEnd)
    lost = {"overrun": 0, "empty": 0}.get(fault, TRANSFER_BYTES)
    assert 0 <= AFTER_SAMPLES - end.samples <= lost
    loss = next(
        item for item in items if isinstance(item, Loss) and item.kind == LossKind.END_UNASKED
    )
    assert all(word in loss.text for word in ("overflow", "cable", "power", "hub"))


def test_a_bus_that_is_too_slow_ends_the_capture_at_once() -> None:
    settings = UsbSettings(speed_mbit=12)
    with Fx2Analyzer(8, settings=settings) as virtual, open_usb(virtual) as analyzer:
        items = captured(virtual, analyzer, SQUARE)
    assert losses(items) == [LossKind.END_UNASKED]
    assert items[-1] == CaptureEnd(2048 * 1_216_000 // (RATE_HZ - 1_216_000), asked=False)


def test_a_device_that_hangs_is_a_stall() -> None:
    settings = UsbSettings(fault="stall", after_ps=AFTER_PS)
    with (
        Fx2Analyzer(8, settings=settings) as virtual,
        open_usb(virtual, stall_timeout_s=1.0) as analyzer,
    ):
        items = captured(virtual, analyzer, SQUARE)
        with pytest.raises(BenchError, match="nothing came for 1 s while capturing"):
            analyzer.start()
    assert losses(items) == [LossKind.STALL]


def test_a_short_transfer_loses_nothing() -> None:
    settings = UsbSettings(fault="short", after_ps=AFTER_PS)
    with Fx2Analyzer(8, settings=settings) as virtual, open_usb(virtual) as analyzer:
        items = captured(virtual, analyzer, SQUARE, 9_000_000)
    assert losses(items) == []
    assert spacings(items) == {240}


def test_a_transfer_that_fails_is_dropped_by_the_driver_without_a_word() -> None:
    """What the analyzer cannot tell, the planned train and the target's log can."""
    settings = UsbSettings(fault="error", after_ps=AFTER_PS)
    with Fx2Analyzer(8, settings=settings) as virtual, open_usb(virtual) as analyzer:
        items = captured(virtual, analyzer, SQUARE, 9_000_000)
    assert losses(items) == []
    assert spacings(items) > {240}


def test_without_its_library_it_is_refused_with_the_package(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(emulated_usb, "_LIBRARY", "libumockdev-preload.so.none")
    with pytest.raises(BenchError, match="install Debian's package with: apt install umockdev"):
        Fx2Analyzer(8)


def test_one_that_streams_only_if_told_to_is_refused_otherwise() -> None:
    with (
        DsLogicAnalyzer(8) as virtual,
        pytest.raises(BenchError, match=r"put continuous = true under \[analyzer.options\]"),
    ):
        open_usb(virtual, 25_000_000, continuous=False)


def test_a_missing_firmware_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The driver's last words are that it cannot open the device; its first ones say why."""
    monkeypatch.setattr(fx2, "_IDS", dict.fromkeys(fx2._IDS, (0x1D50, 0x608F)))  # not in Debian
    settings = UsbSettings(blank=True)
    told = r"cannot open the device; `rig doctor` may tell why .*\[.*'fx2lafw-usb-c-grok.fw'.*\]"
    with Fx2Analyzer(8, settings=settings) as virtual, pytest.raises(BenchError, match=told):
        open_usb(virtual)


def test_two_programs_cannot_have_one_analyzer() -> None:
    with (
        Fx2Analyzer(8) as virtual,
        open_usb(virtual),
        pytest.raises(BenchError, match="Another program or driver has already claimed it"),
    ):
        open_usb(virtual)


def test_an_unplugged_analyzer_is_gone_and_its_worker_lives() -> None:
    """It is not killed by the hang-up of what stands for the device."""
    settings = UsbSettings(fault="unplug", after_ps=AFTER_PS)
    with Fx2Analyzer(8, settings=settings) as virtual, open_usb(virtual) as analyzer:
        captured(virtual, analyzer, SQUARE)
        assert psutil.pid_exists(analyzer.worker_pid)
        with pytest.raises(BenchError):
            analyzer.start()


def test_one_of_two_is_meant_by_its_port() -> None:
    """Twins differ by nothing else; after an upload of firmware a device has a new address."""

    def unused(*_: object) -> None:
        raise AssertionError("the other one samples")

    with (
        Fx2Analyzer(8, settings=UsbSettings(blank=True)) as virtual,
        Fx2(virtual.bus, 8, UsbSettings(), unused, unused, port="1-2"),
    ):
        with open_usb(virtual, port="1-1") as analyzer:
            assert losses(captured(virtual, analyzer, SQUARE, 1_000_000)) == []
        open_usb(virtual, port="1-1").close()  # at its new address
        told = "2 devices fit .port:1-1, port:1-2.: name one as the analyzer's connection"
        with pytest.raises(BenchError, match=told):
            open_usb(virtual)
        with pytest.raises(BenchError, match="at this port; devices are at: port:1-1, port:1-2"):
            open_usb(virtual, port="1-3")


def losses(items: list[CaptureItem]) -> list[LossKind]:
    return [item.kind for item in items if isinstance(item, Loss)]


def spacings(items: list[CaptureItem]) -> set[int]:
    return {after[0] - before[0] for before, after in pairwise(edges_of(items))}
