# SPDX-License-Identifier: GPL-3.0-or-later
"""Session files: what sigrok and this rig write comes back; what is hostile is one clear line."""

from __future__ import annotations

import tracemalloc
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rig.capture.replay.capture_file import open_capture
from rig.capture.replay.sr_reader import pieces_of
from rig.capture.sr_file import write_sr
from rig.errors import InputError
from rig.instruments import LossKind
from tests.replay.captures import (
    LATENCIES,
    METADATA,
    NAMES,
    PERIOD,
    RATE_HZ,
    edges_of,
    outcome_of,
    pulses,
    read,
    sigrok_cli,
    sr_of,
    zip_of,
)

SAMPLES = bytes([0, 0, 1, 1, 3, 3, 2, 2, 0, 0])
GOOD = {"version": "2", "metadata": METADATA, "logic-1-1": SAMPLES}
GOOD_EDGES = [(2, 0, 1), (4, 1, 1), (6, 0, 0), (8, 1, 0)]


def test_what_this_rig_writes_comes_back(tmp_path: Path) -> None:
    capture = pulses()
    path = sr_of(tmp_path / "a.sr", capture)
    assert read(path) == (edges_of(capture), [], len(LATENCIES) * PERIOD)


def test_what_sigrok_writes_comes_back(tmp_path: Path) -> None:
    first = sr_of(tmp_path / "a.sr", pulses())
    second = tmp_path / "b.sr"
    sigrok_cli("-i", first, "-o", second)
    assert read(second) == read(first)


def test_sixteen_channels_and_any_order_of_names(tmp_path: Path) -> None:
    path = tmp_path / "wide.sr"
    names = [f"line {number}" for number in range(16)]
    write_sr(path, [pulses()], RATE_HZ, names, 2)
    capture = open_capture(path, ["line 1", "D0", "D15"], None)
    assert capture.bits == (1, 0, 15)
    assert capture.source.identity.channels == tuple(names)
    swapped = [(sample, 1 - channel, level) for sample, channel, level in edges_of(pulses())]
    assert read(path, ["line 1", "D0"])[0] == swapped


def test_a_own_name_goes_before_a_place(tmp_path: Path) -> None:
    metadata = METADATA.replace("probe1=stimulus", "probe1=D1").replace("=response", "=D0")
    path = zip_of(tmp_path / "a.sr", {**GOOD, "metadata": metadata})
    assert open_capture(path, ["D0", "D1"], None).bits == (1, 0)


def test_pieces_may_cut_a_sample_and_come_in_any_order(tmp_path: Path) -> None:
    wide = METADATA.replace("unitsize=1", "unitsize=2")
    samples = b"".join(bytes([value, 0]) for value in SAMPLES)
    pieces = {f"logic-1-{n + 1}": samples[3 * n : 3 * n + 3] for n in reversed(range(7))}
    path = zip_of(tmp_path / "a.sr", {"version": "2", "metadata": wide, **pieces})
    assert read(path) == (GOOD_EDGES, [], 10)


def test_forty_channels_that_sigrok_writes(tmp_path: Path) -> None:
    raw = tmp_path / "raw"
    values = [0, 1 << 33, 1 << 33 | 1 << 9, 1 << 39 | 1 << 9, 0]
    raw.write_bytes(b"".join(value.to_bytes(5, "little") for value in values * 50_000))
    path = tmp_path / "a.sr"
    sigrok_cli("-I", "binary:numchannels=40:samplerate=1000000", "-i", raw, "-o", path)
    capture = open_capture(path, ["D39", "D9", "D33"], None)
    assert capture.bits == (2, 0, 1)
    edges, losses, samples = read(path, ["D9", "D33", "D39"])
    assert (losses, samples) == ([], 250_000)
    cycle = [(1, 1, 1), (2, 0, 1), (3, 1, 0), (3, 2, 1), (4, 0, 0), (4, 2, 0)]
    assert edges == [(5 * n + at, bit, up) for n in range(50_000) for at, bit, up in cycle]


def test_a_cut_last_wide_sample_is_a_loss(tmp_path: Path) -> None:
    wide = METADATA.replace("unitsize=1", "unitsize=3")
    path = zip_of(tmp_path / "a.sr", {**GOOD, "metadata": wide, "logic-1-1": b"\0\0\0\1\0\0\3"})
    edges, (loss,), samples = read(path)
    assert (edges, samples, loss.sample) == ([(1, 0, 1)], 2, 2)


def test_names_that_are_missing_or_equal_are_told_apart_by_place(tmp_path: Path) -> None:
    metadata = METADATA.replace("=stimulus", "=\n trigger1 = 0").replace(
        "=response", "=pin\nprobe3=pin"
    )
    path = zip_of(tmp_path / "a.sr", {**GOOD, "metadata": metadata})
    assert open_capture(path, ["D0", "pin D2", "D1"], None).bits == (0, 2, 1)
    with pytest.raises(InputError, match="valid: D0, pin D1, pin D2, or D0 to D2 by"):
        open_capture(path, ["D0", "pin"], None)


def test_a_second_device_is_read_by_its_number(tmp_path: Path) -> None:
    second = METADATA.partition("[device 1]")[2].replace("logic-1", "logic-2")
    metadata = f"{METADATA}[device 2]{second}".replace("24 MHz", "12 MHz", 1)
    path = zip_of(tmp_path / "a.sr", {**GOOD, "metadata": metadata, "logic-2-1": b"\0\2"})
    assert read(path)[0] == GOOD_EDGES
    assert read(path, ["2:stimulus", "2:D1"])[0] == [(1, 1, 1)]
    assert open_capture(path, ["2:D0"], None).source.identity.sample_rate_hz == RATE_HZ
    with pytest.raises(InputError, match="devices 1 and 2, which have no common clock"):
        open_capture(path, ["stimulus", "2:D1"], None)
    with pytest.raises(InputError, match="no channel '3:D1'"):
        open_capture(path, ["3:D1"], None)


def test_dsview_packs_the_bits_of_the_channels_in_use(tmp_path: Path) -> None:
    metadata = METADATA.replace("version=0.5.2", "version=0.2.0").replace("probe2", "probe9")
    assert read(zip_of(tmp_path / "a.sr", {**GOOD, "metadata": metadata}))[0] == GOOD_EDGES


def test_the_number_of_a_piece_of_dsview_has_16_bits(tmp_path: Path) -> None:
    numbers = [*range(1, 1 << 15), *range(-(1 << 15), 1)]
    names = [f"logic-1-{number}" for number in numbers]
    assert pieces_of(tmp_path, set(names), "logic-1") == tuple(names)
    with pytest.raises(InputError, match="no entry logic-1-32768"):
        pieces_of(tmp_path, {*names} - {"logic-1--32768"}, "logic-1")


def test_version_1_has_one_piece(tmp_path: Path) -> None:
    entries = {"version": "1", "metadata": METADATA, "logic-1": SAMPLES}
    assert read(zip_of(tmp_path / "a.sr", entries)) == (GOOD_EDGES, [], 10)


def test_a_cut_last_sample_is_a_loss(tmp_path: Path) -> None:
    wide = METADATA.replace("unitsize=1", "unitsize=2")
    path = zip_of(tmp_path / "a.sr", {**GOOD, "metadata": wide, "logic-1-1": b"\0\0\1\0\3"})
    edges, (loss,), samples = read(path)
    assert (edges, samples) == ([(1, 0, 1)], 2)
    assert (loss.kind, loss.sample) == (LossKind.SHORT_COUNT, 2)


@pytest.mark.parametrize(
    ("text", "rate_hz"),
    [
        ("24 MHz", 24_000_000),
        ("12.5 MHz", 12_500_000),
        ("500 Hz", 500),
        ("1g", 10**9),
        ("7", 7),
        ("1", 1),
        ("1000 GHz", 10**12),
    ],
)
def test_rates_as_sigrok_writes_them(text: str, rate_hz: int, tmp_path: Path) -> None:
    metadata = METADATA.replace("24 MHz", text)
    path = zip_of(tmp_path / "a.sr", {**GOOD, "metadata": metadata})
    assert open_capture(path, NAMES, None).source.identity.sample_rate_hz == rate_hz


def test_a_file_without_a_rate_is_given_one(tmp_path: Path) -> None:
    metadata = METADATA.replace("samplerate=24 MHz\n", "")
    path = zip_of(tmp_path / "a.sr", {**GOOD, "metadata": metadata})
    assert open_capture(path, NAMES, 1_000).source.identity.sample_rate_hz == 1_000
    with pytest.raises(InputError, match="give it with --sample-rate"):
        open_capture(path, NAMES, None)


BAD_METADATA = [
    ("samplerate=24 MHz", "samplerate=0", "samplerate '0'; valid"),
    ("samplerate=24 MHz", "samplerate=9e99 MHz", "samplerate"),
    ("samplerate=24 MHz", "samplerate=1000000000001", "samplerate"),
    ("samplerate=24 MHz", "samplerate=0.5 Hz", "samplerate"),
    ("unitsize=1", "unitsize=0", "0 bytes a sample"),
    ("unitsize=1", "unitsize=99999999999", "99999999999 bytes a sample"),
    ("unitsize=1", "unitsize=-1", "bytes a sample"),
    ("unitsize=1", "unitsize=129", "129 bytes a sample; valid: 1 to 128"),
    ("probe2=response", "probe9=response", "no channel 'response'; valid: stimulus, or D0 to D0"),
    ("probe2=response", "probe2=stimulus", "valid: stimulus D0, stimulus D1, or D0 to D1"),
    ("probe2=response", "probe2=a\x1b[31m", "no printable name"),
    ("probe", "other", "no logic channels"),
    ("capturefile=logic-1", "capturefile=../../etc/passwd", "names no logic capture"),
    ("capturefile=logic-1", "capturefile=logic-9", "no entry logic-9-1"),
    ("[device 1]", "[device x]", "no logic samples"),
    ("[global]", "garbage", "no INI file"),
    ("total probes=2", "unitsize=2", "no INI file"),
    ("total probes=2", "x=" + "y" * 70_000, "over 65536 bytes"),
]


@pytest.mark.parametrize(("old", "new", "told"), BAD_METADATA)
def test_absurd_metadata(old: str, new: str, told: str, tmp_path: Path) -> None:
    path = zip_of(tmp_path / "a.sr", {**GOOD, "metadata": METADATA.replace(old, new)})
    with pytest.raises(InputError, match=told) as error:
        open_capture(path, NAMES, None)
    assert str(error.value).startswith(f"{path}: ")
    assert str(error.value).isprintable()


@pytest.mark.parametrize(
    ("entries", "told"),
    [
        ({"version": "2"}, "no entry metadata"),
        ({"version": "2", "metadata": METADATA}, "no entry logic-1-1"),
        ({**GOOD, "logic-1-3": b"\0"}, "no entry logic-1-2"),
        ({**GOOD, "logic-1-1": b""}, "no logic samples"),
        ({**GOOD, "metadata": b"\xff\xfe"}, "not UTF-8"),
    ],
)
def test_incomplete_sessions(entries: dict[str, str | bytes], told: str, tmp_path: Path) -> None:
    path = zip_of(tmp_path / "a.sr", entries)
    with pytest.raises(InputError, match=told):
        read(path)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("respons", r"no channel 'respons' \(did you mean response\?\); valid: stimulus, response"),
        ("D2", "or D0 to D1 by place"),
        ("stimulus", "the same channel"),
        ("D0", '"stimulus" and "D0" are the same channel'),
    ],
)
def test_names_that_are_not_there(name: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=told):
        open_capture(zip_of(tmp_path / "a.sr", GOOD), ["stimulus", name], None)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_compressions_are_refused(method: int, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="stored or deflated"):
        read(zip_of(tmp_path / "a.sr", GOOD, method))


def test_entries_that_share_their_bytes_are_refused(tmp_path: Path) -> None:
    path = zip_of(tmp_path / "a.sr", {**GOOD, "logic-1-1": bytes(10_000_000)})
    with zipfile.ZipFile(path, "a") as archive:
        (first,) = [entry for entry in archive.infolist() if entry.filename == "logic-1-1"]
        for number in range(2, 200):
            twin = zipfile.ZipInfo(f"logic-1-{number}")
            for name in ("header_offset", "CRC", "compress_size", "file_size", "compress_type"):
                setattr(twin, name, getattr(first, name))
            archive.filelist.append(twin)
        archive._didModify = True  # the directory is written again
    with pytest.raises(InputError, match="overlap"):
        read(path)


def test_a_small_zip_that_swells_takes_no_memory(tmp_path: Path) -> None:
    path = zip_of(tmp_path / "a.sr", {**GOOD, "logic-1-1": bytes(200_000_000)})
    assert path.stat().st_size < 250_000
    tracemalloc.start()
    try:
        for _ in open_capture(path, NAMES, None).source.items():
            pass
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak_bytes < 16 << 20


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sr_of(tmp_path_factory.mktemp("sr") / "a.sr", pulses(LATENCIES[:5]))


@settings(max_examples=200)
@given(data=st.data())
def test_any_damage_is_one_line_or_harmless(data: st.DataObject, whole: Path) -> None:
    """Cut anywhere, one byte changed anywhere: an InputError, or a capture; nothing else."""
    damaged = bytearray(whole.read_bytes())
    at = data.draw(st.integers(0, len(damaged) - 1))
    if data.draw(st.booleans()):
        del damaged[at:]
    else:
        damaged[at] ^= data.draw(st.integers(1, 255))
    path = whole.with_name("damaged.sr")
    path.write_bytes(damaged)
    assert "\n" not in outcome_of(path)
