# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of Saleae's Logic 2 and of DSView: the edges that were put in come back."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from rig.capture.replay.capture_file import open_capture
from rig.cli.main import main
from rig.errors import InputError
from rig.instruments import EdgeBlock, LossKind
from tests.replay.captures import LATENCIES, PERIOD, RATE_HZ, edges_of, pulses, read
from tests.replay.channel_files import dsl_of, saleae_binary

SALEAE_HZ = 50_000_000


def pulse_folder(folder: Path, version: int, names: tuple[int, int] = (0, 3)) -> Path:
    """The usual pulses as digital_N.bin; one of its files."""
    capture = pulses()
    for bit, number in enumerate(names):
        times = capture.index[capture.channel == bit] / RATE_HZ
        data = saleae_binary(
            version, [(0, 0.0, (PERIOD * len(LATENCIES) - 1) / RATE_HZ, times)], RATE_HZ
        )
        (folder / f"digital_{number}.bin").write_bytes(data)
    return folder / f"digital_{names[0]}.bin"


def table_of(capture: EdgeBlock) -> str:
    """The usual pulses as a table with nanoseconds, as Logic 2 writes them."""
    rows, levels = ["Time [s],Channel 0,Channel 1", "0.000000000,0,0"], [0, 0]
    for sample, channel, level in edges_of(capture):
        levels[channel] = level
        rows.append(f"{sample / RATE_HZ:.9f},{levels[0]},{levels[1]}")
    return "\r\n".join([*rows, f"{(capture.end_sample - 1) / RATE_HZ:.9f},0,0", ""])


def test_binary_exports_come_back(tmp_path: Path) -> None:
    told = (edges_of(pulses()), [], len(LATENCIES) * PERIOD)
    path = pulse_folder(tmp_path, 0)
    assert read(path, ["D0", "D3"], RATE_HZ) == told
    assert read(path, ["D3", "D0"], RATE_HZ)[0][0][1] == 1
    with pytest.raises(InputError, match="does not tell its sample rate"):
        open_capture(path, ["D0"], None)
    assert read(pulse_folder(tmp_path, 1), ["D0", "D3"]) == told


def test_a_table_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "digital.csv"
    path.write_text(table_of(pulses()))
    told = (edges_of(pulses()), [], len(LATENCIES) * PERIOD)
    assert read(path, ["Channel 0", "D1"], RATE_HZ) == told


def test_a_rate_that_the_times_contradict_is_refused(tmp_path: Path) -> None:
    table = tmp_path / "digital.csv"
    table.write_text(table_of(pulses()))
    for path in (pulse_folder(tmp_path, 0), table):
        with pytest.raises(InputError, match="no multiples of the period of 16000000 Hz"):
            read(path, ["D0"], 16_000_000)


def test_a_channel_that_begins_high_and_its_gap(tmp_path: Path) -> None:
    path = tmp_path / "digital_5.bin"
    chunks = [(1, 0.0, 10e-6, [2e-6, 4e-6]), (0, 20e-6, 30e-6, [21e-6]), (1, 30.02e-6, 40e-6, [])]
    path.write_bytes(saleae_binary(1, chunks, SALEAE_HZ))
    capture = open_capture(path, ["D5"], None)
    first = next(item for item in capture.source.items() if isinstance(item, EdgeBlock))
    assert first.levels_before == 1
    edges, (loss,), samples = read(path, ["D5"])
    assert edges == [(100, 0, 0), (200, 0, 1), (1_000, 0, 0), (1_050, 0, 1)]
    assert samples == 2_001
    assert (loss.kind, loss.sample) == (LossKind.UNKNOWN_LEVEL, 500)
    assert loss.text == "no data of D5 for 500 samples"


def test_an_unknown_level_of_a_table_keeps_the_one_before(tmp_path: Path) -> None:
    path = tmp_path / "digital.csv"
    path.write_text("Time [s],a,b\n0,0,X\n0.001,1,0\n0.002,X,1\n0.003,0,1\n0.003,1,1\n0.004,1,0\n")
    edges, losses, samples = read(path, ["a", "b"], 1_000)
    assert (edges, samples) == ([(1, 0, 1), (2, 1, 1), (4, 1, 0)], 5)
    assert [(loss.sample, loss.text[:12]) for loss in losses] == [
        (0, "no data of b"),
        (2, "no data of a"),
    ]


def test_changes_within_a_sample_cancel(tmp_path: Path) -> None:
    path = tmp_path / "digital_0.bin"
    times = np.repeat(np.arange(1, 200_001), 3)[:-1] / SALEAE_HZ
    path.write_bytes(saleae_binary(0, [(0, 0.0, 1.0, times)]))
    edges = read(path, ["D0"], SALEAE_HZ)[0]
    assert edges == [(n, 0, n % 2) for n in range(1, 200_000)]


def random_levels(seed: int, samples: int) -> np.ndarray:
    generator = np.random.default_rng(seed)
    return np.cumsum(generator.random(samples) < 0.01).astype(np.uint8) + seed & 1


@pytest.mark.parametrize("samples", [1, 63, 64, 1_000, 300_001])
def test_dsview_files_come_back(samples: int, tmp_path: Path) -> None:
    levels = {0: random_levels(0, samples), 3: random_levels(1, samples)}
    path = dsl_of(tmp_path / "a.dsl", levels, 1 << 17)
    edges, losses, end = read(path, ["stimulus", "3"])
    assert (losses, end) == ([], samples)
    expected = [
        (int(at) + 1, bit, int(level[at + 1]))
        for bit, level in enumerate(levels.values())
        for at in np.flatnonzero(np.diff(level))
    ]
    assert edges == sorted(expected)
    assert read(path, ["D3"])[0] == [(at, 0, up) for at, bit, up in sorted(expected) if bit == 1]


def test_a_quiet_channel_beside_a_busy_one_takes_no_memory(tmp_path: Path) -> None:
    samples = 1 << 27
    levels = {0: np.zeros(samples, np.uint8), 3: np.zeros(samples, np.uint8)}
    path = dsl_of(tmp_path / "a.dsl", levels, 1 << 24)
    del levels
    tracemalloc.start()
    assert read(path, ["D0", "D3"]) == ([], [], samples)
    assert tracemalloc.get_traced_memory()[1] < 32 << 20
    tracemalloc.stop()


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (saleae_binary(2, []), "version 0 or 1"),
        (saleae_binary(0, [(0, 0.0, 1.0, [0.5])])[:-1], "cut off"),
        (saleae_binary(0, [(0, 0.0, 1.0, [0.5])])[:30], "cut off"),
        (saleae_binary(0, [(2, 0.0, 1.0, [])]), "a level or time that cannot be"),
        (saleae_binary(0, [(0, 1.0, 0.0, [])]), "a level or time that cannot be"),
        (saleae_binary(0, [(0, 0.0, float("inf"), [])]), "a level or time that cannot be"),
        (saleae_binary(0, [(0, 0.0, 1e300, [])]), "a time that cannot be"),
        (saleae_binary(0, [(0, 0.0, 1.0, [0.5, 0.25])]), "run backward"),
        (saleae_binary(0, [(0, 0.0, 1.0, [float("nan")])]), "a time that cannot be"),
        (saleae_binary(0, [(0, 0.0, 1.0, [1.5])]), "an edge behind its end"),
        (saleae_binary(1, [(0, 0.0, 1.0, [])], 12.5), "a sample rate of 12.5 Hz"),
        (b"Time [s],a\n0,0\n1,2\n", "a level that is none"),
        (b"Time [s],a\n1,0\n0,1\n", "backward|cannot be"),
        (b"Time [s],a\n2022-06-24T18:51:08.8+00:00,0\n", "without ISO 8601"),
        (b"Time [s],a\n1,0\n2\n", "a row is no time"),
        (b"Time [s]\n1\n", "no table of channels"),
        (b"Time [s],a\n", "no samples"),
    ],
)
def test_damaged_exports_are_one_line(data: bytes, told: str, tmp_path: Path) -> None:
    path = tmp_path / "digital_0.bin"
    path.write_bytes(data)
    with pytest.raises(InputError, match=told) as error:
        read(path, ["D0"], None if data[8:9] == b"\1" else 1_000)
    assert str(error.value).startswith(f"{path}"[: len(str(tmp_path))])
    assert str(error.value).isprintable()


def test_every_kind_is_analyzed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["analyze", str(pulse_folder(tmp_path, 0)), "--stimulus", "D0", "--response", "D3"]
    assert main([*words, "--answer", "rising", "--sample-rate", "24 MHz"]) == 1
    assert f"{len(LATENCIES)}" in capsys.readouterr().out
