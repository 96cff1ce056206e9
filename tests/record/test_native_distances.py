# SPDX-License-Identifier: GPL-3.0-or-later
"""Distances between edges and their codes in C: the same as numpy's, to the last bit."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rig.record import distance_code, native
from rig.record.distance_code import CODE, LINE, decode, encode, line_of

pytestmark = pytest.mark.skipif(
    not native.LIBRARY.exists(), reason="librig-distances.so was not built: pip install -e ."
)
WIRINGS = (
    {"stimulus": 0, "response": 1, "sequence": [2, 3], "active_level": 1},
    {"stimulus": 3, "response": 0, "sequence": [], "active_level": 0},
    {"stimulus": 63, "response": 62, "sequence": list(range(60)), "active_level": 1},
)


def by_numpy(function, *given):
    """What `function` gives without the library; None: it refuses the codes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(native, "available", lambda: False)
        return said(function, *given)


def said(function, *given):
    try:
        return function(*given)
    except ValueError as error:
        return str(error)


def drawn(seed: int, rows: int, channels: int, bits: int) -> tuple[np.ndarray, np.ndarray]:
    """Distances or codes, and channels and levels."""
    random = np.random.default_rng(seed)
    level = random.integers(0, 2, rows) << 7
    packed = (random.integers(0, channels, rows) | level).astype(np.uint8)
    return random.integers(0, 1 << bits, rows).astype(np.uint32), packed


CHUNKS = given(
    seed=st.integers(0, 2**32 - 1),
    rows=st.integers(1, 300),
    channels=st.integers(1, 128),
    bits=st.integers(0, 32),
    wiring=st.sampled_from(WIRINGS),
)


@CHUNKS
@settings(max_examples=200)
def test_codes(seed, rows, channels, bits, wiring):
    delta, packed = drawn(seed, rows, channels, bits)
    line = line_of(wiring)
    expected = by_numpy(distance_code._codes, delta, packed, line)
    made = native.encode(distance_code._native(line[0]), packed, delta)
    assert (made is None) == (expected is None)
    assert made is None or np.array_equal(made, expected)
    coded, codes = encode(delta, packed, line)
    assert np.array_equal(decode(coded[0], codes, packed), delta)


@CHUNKS
@example(seed=1, rows=200, channels=5, bits=32, wiring=WIRINGS[0])  # refused
@settings(max_examples=200)
def test_distances(seed, rows, channels, bits, wiring):
    """Of any codes, those of edges out of order as well, which are refused."""
    codes, packed = drawn(seed, rows, channels, bits)
    line = line_of(wiring)[0]
    expected = by_numpy(decode, line, {CODE: codes}, packed)
    assert np.array_equal(said(decode, line, {CODE: codes}, packed), expected)
    assert distance_code._native(line) is not None


@given(seed=st.integers(0, 2**32 - 1), rows=st.integers(1, 100), bits=st.integers(0, 32))
@settings(max_examples=200)
def test_lines_that_no_writer_stores(seed, rows, bits):
    random = np.random.default_rng(seed)
    line = np.frombuffer(random.bytes(LINE.itemsize), LINE)[0].copy()
    codes, packed = drawn(seed, rows, 128, bits)
    expected = by_numpy(decode, line, {CODE: codes}, packed)
    assert np.array_equal(said(decode, line, {CODE: codes}, packed), expected)


def test_answers_that_are_not_told_from_a_pulse_are_left_to_numpy():
    line = line_of(WIRINGS[0])[0].copy()
    assert distance_code._native(line) is not None
    line["from_pulse"] = 1
    assert distance_code._native(line) is None


def test_without_the_library(monkeypatch):
    delta, packed = drawn(7, 5000, 4, 12)
    line = line_of(WIRINGS[0])
    with_it = encode(delta, packed, line)
    monkeypatch.setattr(native, "LIBRARY", native.LIBRARY.with_name("missing.so"))
    assert not native.available()
    coded, codes = encode(delta, packed, line)
    assert coded.tobytes() == with_it[0].tobytes()
    assert np.array_equal(codes[CODE], with_it[1][CODE])
    assert np.array_equal(decode(coded[0], codes, packed), delta)


def test_as_many_channels_as_distances():
    line = distance_code._native(line_of(WIRINGS[0])[0])
    with pytest.raises(ValueError, match="3 distances of 4 edges"):
        native.encode(line, np.zeros(4, np.uint8), np.zeros(3, np.uint32))


def test_it_compiles_without_a_warning(tmp_path):
    sources = sorted(map(str, Path(native.__file__).parent.glob("*.c")))
    flags = ["-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared"]
    subprocess.run(["cc", *flags, "-o", str(tmp_path / "distances.so"), *sources], check=True)
