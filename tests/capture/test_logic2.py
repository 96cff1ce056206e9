# SPDX-License-Identifier: GPL-3.0-or-later
"""Saleae's Logic 2 by its automation interface: a real gRPC server that speaks its protocol."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest

pytest.importorskip("saleae", reason="the extra latency-rig[saleae] is not installed")

from rig.analysis.measurements.verdict import Verdict
from rig.bench.open import Bench, open_bench
from rig.capture.analyzers import AnalyzerSettings, analyzer_kind, datasheet_of
from rig.config.fixture import Fixture, load_fixture
from rig.config.plan import parse_plan
from rig.errors import BenchError, RigError
from rig.instruments import Analyzer, CaptureEnd, CaptureItem, Loss, SamplesTaken
from rig.resources import find_plan
from rig.session.results import store
from rig.session.run import run
from tests.capture.logic2_server import DEVICE, Logic2, serving
from tests.replay.captures import RATE_HZ, edges_of, pulses


def settings(address: str, **options: str | int | bool) -> AnalyzerSettings:
    return AnalyzerSettings("saleae-logic2", address, RATE_HZ, 8, 10**12, options)


def opened(address: str, mask: int = 0b11, **options: str | int | bool) -> Analyzer:
    kind = analyzer_kind("saleae-logic2")
    return kind.open(settings(address, **options), channel_mask=mask, waits_for_host=False)


def captured(analyzer: Analyzer) -> list[CaptureItem]:
    """Everything from start to end; the first item must be the sign of life."""
    analyzer.start()
    assert isinstance(analyzer.read(0.0), SamplesTaken)
    analyzer.stop()
    items: list[CaptureItem] = []
    while (item := analyzer.read(0.0)) is not None:
        items.append(item)
    return items


@pytest.mark.parametrize("version", [0, 1])
def test_what_it_exports_is_read(version: int) -> None:
    program = Logic2()
    program.version, program.block = version, pulses()
    with serving(program) as address, opened(address, threshold="3.3") as analyzer:
        assert (analyzer.identity.vendor, analyzer.identity.model) == ("Saleae", "Logic Pro 8")
        assert analyzer.identity.library == "Logic 2.4.29"
        for _ in range(2):
            *blocks, end = captured(analyzer)
            assert end == CaptureEnd(pulses().end_sample, asked=True)
            assert [edge for block in blocks for edge in edges_of(block)] == edges_of(pulses())
    names = [name for name, _ in program.asked]
    calls = ["StartCapture", "StopCapture", "ExportRawDataBinary", "CloseCapture"]
    assert names == ["GetAppInfo", "GetDevices", *calls, *calls]
    start = program.asked[2][1]
    assert start.device_id == DEVICE
    assert start.logic_device_configuration.digital_threshold_volts == 3.3
    assert list(start.logic_device_configuration.logic_channels.digital_channels) == [0, 1]
    assert not any(Path(each.directory).exists() for name, each in program.asked if "Raw" in name)


def test_channels_keep_their_numbers() -> None:
    program, capture = Logic2(), pulses()
    program.block = replace(capture, channel=capture.channel * 3 + 2, levels_before=0b100)
    program.block.level[program.block.channel == 2] ^= 1
    with serving(program) as address, opened(address, 0b100100) as analyzer:
        *blocks, _ = captured(analyzer)
    assert {channel for block in blocks for _, channel, _ in edges_of(block)} == {2, 5}
    assert blocks[0].levels_before == 0b100
    assert [edge for block in blocks for edge in edges_of(block)] == edges_of(program.block)


def test_samples_that_its_buffer_dropped_are_a_loss() -> None:
    program = Logic2()
    program.block, program.dropped_samples = pulses(), 48_000
    with serving(program) as address, opened(address) as analyzer:
        loss, *_ = captured(analyzer)
    assert isinstance(loss, Loss)
    assert "from 0.002 s on" in loss.text
    assert "larger buffer by options.buffer_megabytes" in loss.text


@pytest.mark.parametrize(
    "name", ["GetAppInfo", "StartCapture", "StopCapture", "ExportRawDataBinary"]
)
def test_its_errors_are_told_in_one_line(name: str) -> None:
    program = Logic2()
    program.refuses, program.block = name, pulses()
    with serving(program) as address, pytest.raises(BenchError) as error, opened(address) as it:
        captured(it)
    assert str(error.value) == f"saleae-logic2: {name}: 51: the device\\x1b was unplugged"


def test_a_damaged_export_is_told() -> None:
    program = Logic2()
    program.block, program.cut_bytes = pulses(), 3
    told = pytest.raises(BenchError, match=r"cannot be used: .*digital_0.bin: .* cut off")
    with serving(program) as address, opened(address) as analyzer, told:
        captured(analyzer)


def test_a_missing_extra_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "grpc", None)
    with pytest.raises(BenchError, match=r"is missing; pip install 'latency-rig\[saleae\]'$"):
        opened("")


def test_no_program_no_device_and_two_devices() -> None:
    with serving(Logic2()) as address:
        pass
    with pytest.raises(BenchError, match=f"no answer from Logic 2 at {address}"):
        opened(address)
    program = Logic2()
    for devices, told in (([], "Logic 2 has none"), (["A", "B"], "not one analyzer; .* has A, B;")):
        program.devices = devices
        with serving(program) as address, pytest.raises(BenchError, match=told):
            opened(address)
    with serving(program) as address:
        opened(address, device="B").close()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"threshold": "5"}, 'valid: "1.2"'),
        ({"buffer_megabytes": "1"}, "a number"),
        ({"x": 1}, "options.x"),
    ],
)
def test_options_that_it_does_not_have(options: dict[str, str | int | bool], told: str) -> None:
    with pytest.raises(BenchError, match=told):
        opened("", **options)
    with pytest.raises(BenchError, match=r"valid: 127\.0\.0\.1:10430"):
        opened("192.0.2.1:10430")


def test_its_maker_bounds_its_errors() -> None:
    sheet = datasheet_of("saleae-logic2")
    assert sheet is not None
    assert sheet.time_base_ppm == 50.0


def measured(plan: str, path: Path) -> RigError | None:
    """A run on the virtual bench, its analyzer behind Logic 2."""

    @contextmanager
    def bench_of(fixture: Fixture) -> Iterator[Bench]:
        with (
            open_bench(fixture) as bench,
            serving(Logic2(bench.analyzer)) as address,
            opened(address, fixture.channel_mask) as analyzer,
        ):
            yield replace(bench, analyzer=analyzer)

    text = find_plan(plan).read_text().replace("count = 1000", "count = 300")
    fixture = load_fixture("virtual")
    return run(parse_plan(text, plan), fixture, path, lambda _live: None, Event(), bench_of)


def test_a_run_with_it_agrees_with_the_other_witnesses(tmp_path: Path) -> None:
    assert measured("interrupt", tmp_path / "run.h5") is None
    evaluation = store(tmp_path / "run.h5").evaluation
    assert evaluation.verdict is Verdict.PASS
    assert evaluation.counts.answered == 300


def test_a_measurement_that_decides_by_edges_is_refused(tmp_path: Path) -> None:
    assert "goes on by the edges it sees" in str(measured("saturation", tmp_path / "run.h5"))
