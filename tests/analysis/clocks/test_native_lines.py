# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines through stretches of brackets in C: the same numbers as Python's, to the last digit."""

from __future__ import annotations

import subprocess
from pathlib import Path

import cffi
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rig.analysis import native
from rig.analysis.clocks import line_set as module
from rig.analysis.clocks.brackets import Brackets, Rates
from rig.analysis.clocks.line import corners_of
from rig.analysis.clocks.line_set import line_set, lines_through
from tests.analysis.clocks.simulated import simulate

pytestmark = pytest.mark.skipif(
    not native.LIBRARY.exists(), reason="librig-lines.so was not built: pip install -e ."
)
ARRAYS = ("slope", "highest", "lowest")
SOURCES = Path(native.__file__).parent


def test_the_library_is_used_if_it_is_there(monkeypatch):
    assert native.available()
    monkeypatch.setattr(native, "LIBRARY", native.LIBRARY.with_name("missing.so"))
    assert not native.available()


def check(brackets, rates):
    """Python and C agree in every bit. Returns whether C found lines that fit."""
    expected = line_set(corners_of(brackets), rates)
    allowance = rates.allowance_ticks(int(brackets.sample[-1] - brackets.sample[0]))
    status, _ = native.find_lines(
        brackets.sample, brackets.before_ticks, brackets.after_ticks, allowance,
        2 * rates.nominal_ticks_per_sample,
    )  # fmt: skip
    got = lines_through(brackets, rates)
    if expected is None or got is None:
        assert expected is got
        return False
    for name in ("first_sample", "last_sample", "origin_sample", "origin_ticks", "allowance_ticks"):
        assert getattr(got, name) == getattr(expected, name)
    for name in ARRAYS:
        assert getattr(got, name).tolist() == getattr(expected, name).tolist()
    ends = int(brackets.sample[0]) - 10**6, int(brackets.sample[-1]) + 10**6
    asked = np.concatenate([brackets.sample, brackets.sample - 1, ends])
    with pytest.MonkeyPatch.context() as patch:
        by_c = got.bounds(asked)
        patch.setattr(module.native, "available", lambda: False)
        by_python = got.bounds(asked)
    assert [each.tolist() for each in by_c] == [each.tolist() for each in by_python]
    return status == native.FOUND


@pytest.mark.parametrize("drift_ppm_per_s", [0.0, 1.0, 10.0])
@pytest.mark.parametrize("tick_hz", [1_000_000, 16_000_000, 2_800_000_000])
def test_stretches_of_a_log(tick_hz, drift_ppm_per_s):
    truth = simulate(5, 3000, tick_hz=tick_hz, bound_ppm_per_s=max(drift_ppm_per_s, 0.01))
    fitting = [
        check(truth.brackets.read(first, count), truth.rates)
        for count in (2, 3, 17, 400)
        for first in range(0, 2400, 300)
    ]
    assert all(fitting)


RATES = Rates(1000, 3000, 1.0)
EVENTS = st.lists(
    st.tuples(st.integers(1, 9), st.integers(-6, 6), st.integers(-3, 12)), min_size=2, max_size=40
)


@example([(5, 0, 3)] * 30)  # parallel hulls: the narrowest place is no point
@example([(1, 0, 0)] * 2)
@given(EVENTS)
def test_any_brackets(drawn):
    sample = np.cumsum([step for step, _, _ in drawn])
    before = 3 * sample + [noise for _, noise, _ in drawn]
    check(Brackets(sample, before, before + [width for _, _, width in drawn]), RATES)


def test_an_origin_below_the_first_reading():
    """The clock bends: at sample 99 it is between 95 and 103.96 ticks, in the middle 99.48."""
    sample = np.array([0, 100, 100_000])
    brackets = Brackets(sample, np.array([100, 60, 4100]), np.array([1000, 94, 5000]))
    rates = Rates(1000, 40, 200.0)
    assert check(brackets, rates)
    found = lines_through(brackets, rates)
    assert (found.origin_sample, found.origin_ticks) == (99, 99)


def test_what_is_too_large_is_left_to_python():
    sample = np.array([0, 1 << 40, 1 << 41])
    brackets = Brackets(sample, sample * 3, sample * 3 + 10)
    status, found = native.find_lines(sample, sample * 3, sample * 3 + 10, 1.0, 6.0)
    assert (status, found) == (2, None)
    assert lines_through(brackets, RATES) is not None


def test_no_line(monkeypatch):
    sample = np.array([0, 1000, 2000])
    crooked = Brackets(sample, np.array([0, 4000, 6000]), np.array([1, 4001, 6001]))
    assert lines_through(crooked, RATES) is None
    assert lines_through(crooked.read(0, 1), RATES) is None
    monkeypatch.setattr(native, "available", lambda: False)
    assert lines_through(crooked, RATES) is None


def test_a_library_that_is_not_there(tmp_path):
    assert native._load(tmp_path / "missing.so") is None
    broken = tmp_path / "broken.so"
    broken.write_bytes(b"no library")
    assert native._load(broken) is None


def test_it_compiles_without_a_warning(tmp_path):
    sources = sorted(map(str, SOURCES.glob("*.c")))
    flags = ["-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared"]
    subprocess.run(["cc", *flags, "-o", str(tmp_path / "lines.so"), *sources], check=True)


CANDIDATES = """
#include "lines.c"
size_t merged(int64_t *lower, size_t m, int64_t *upper, size_t n, int64_t *at)
{
    struct chain below = {lower, NULL, m}, above = {upper, NULL, n};
    return candidates(&below, &above, at);
}
"""


@pytest.fixture(scope="module")
def merged(tmp_path_factory):
    """Corners of two chains where both are known, as C puts them together for its search."""
    folder = tmp_path_factory.mktemp("candidates")
    (folder / "merged.c").write_text(CANDIDATES)
    flags = ["-std=c11", "-O1", "-fPIC", "-shared", f"-I{SOURCES}"]
    library = folder / "merged.so"
    subprocess.run(["cc", *flags, "-o", library, folder / "merged.c"], check=True)
    ffi = cffi.FFI()
    ffi.cdef("size_t merged(int64_t *, size_t, int64_t *, size_t, int64_t *);")
    opened = ffi.dlopen(str(library))

    def call(lower, upper):
        before = min(max(lower[0], upper[0]), lower[-1] + 1)
        room = ffi.new("int64_t[]", [before] + [0] * (len(lower) + len(upper)))
        chains = [ffi.new("int64_t[]", chain) for chain in (lower, upper)]
        count = opened.merged(chains[0], len(lower), chains[1], len(upper), room + 1)
        return list(room[1 : count + 1])

    return call


CHAIN = st.lists(st.integers(-9, 9), min_size=2, max_size=8, unique=True).map(sorted)


@example([0, 4, 9], [0, 4, 9])
@given(CHAIN, CHAIN)
def test_corners_of_both_chains_come_once(merged, lower, upper):
    """Whatever lies in memory before the first: it is not there to be compared with."""
    first, last = max(lower[0], upper[0]), min(lower[-1], upper[-1])
    expected = sorted(x for x in {*lower, *upper} if first <= x <= last)
    assert merged(lower, upper) == expected
