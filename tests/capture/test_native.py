# SPDX-License-Identifier: GPL-3.0-or-later
"""Edge extraction in C: every variant against numpy and an oracle that looks at every sample."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import weakref
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.capture import native
from rig.capture.edges import EdgeExtractor, PackedBlock, implementations, join_blocks
from rig.capture.native import NativeFinder
from tests.capture.test_edges import edges_by_looking, edges_of, split

ROOT = Path(__file__).parents[2]
SOURCES = sorted(Path(native.__file__).parent.glob("*.c"))
WARNINGS = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-Wconversion", "-Wshadow"]
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g", "-O1"]

variants = pytest.mark.parametrize(
    "variant",
    [
        pytest.param(
            name,
            marks=pytest.mark.skipif(
                name != "portable" and name not in native.variants(),
                reason="not for this processor",
            ),
        )
        for name in native.VARIANTS
    ],
)
unitsizes = pytest.mark.parametrize("unitsize", [1, 2])


LENGTHS = st.one_of(st.integers(1, 300), st.just(2_500))
"""Of which the long one holds more than two batches of the C code."""


@st.composite
def sample_trains(draw: st.DrawFn, unitsize: int) -> list[int]:
    """Stretches longer than a vector: quiet, one line toggling at some density, or all noisy."""
    generator = np.random.default_rng(draw(st.integers(0, 1 << 32)))
    samples = [draw(st.integers(0, 256**unitsize - 1))]
    for gap, length in draw(
        st.lists(st.tuples(st.sampled_from([0, 1, 3, 20, 500]), LENGTHS), max_size=4)
    ):
        if gap == 0:
            samples += generator.integers(0, 256**unitsize, length).tolist()
            continue
        bits = 1 << generator.integers(0, 8 * unitsize, length)
        toggles = np.where(generator.integers(0, gap, length) == 0, bits, 0)
        samples += (samples[-1] ^ np.bitwise_xor.accumulate(toggles)).tolist()
    return samples


def masks(unitsize: int) -> st.SearchStrategy[int]:
    """Often all channels."""
    everything = 256**unitsize - 1
    return st.one_of(st.just(everything), st.integers(0, everything))


@variants
@unitsizes
@given(data=st.data())
def test_any_split_gives_what_numpy_gives(variant: str, unitsize: int, data: st.DataObject) -> None:
    samples, mask = data.draw(sample_trains(unitsize)), data.draw(masks(unitsize))
    raw = b"".join(sample.to_bytes(unitsize, "little") for sample in samples)
    parts = split(raw, data.draw(st.lists(st.integers(0, 4000), max_size=8)))
    ours = EdgeExtractor(unitsize, mask, variant)  # type: ignore[arg-type]
    numpys = EdgeExtractor(unitsize, mask, "numpy")  # type: ignore[arg-type]
    found = []
    for part in parts:
        block, same = ours.feed(part), numpys.feed(part)
        assert (block.start_sample, block.end_sample) == (same.start_sample, same.end_sample)
        assert block.levels_before == same.levels_before
        for mine, other in (
            (block.index, same.index),
            (block.channel, same.channel),
            (block.level, same.level),
        ):
            assert mine.dtype == other.dtype
            assert mine.tolist() == other.tolist()
        found += edges_of(block)
    assert found == edges_by_looking(samples, mask)
    assert ours.samples == len(samples)


@variants
@unitsizes
def test_one_sample_that_differs_is_two_edges_wherever_it_is(variant: str, unitsize: int) -> None:
    """Also as the last one before a stretch that could be passed over as quiet, or its first."""
    samples = np.full(3300, 0x21, dtype=f"<u{unitsize}")
    for place in range(1, len(samples) - 1):
        samples[place] ^= 4
        extractor = EdgeExtractor(unitsize, 0xFF, variant)  # type: ignore[arg-type]
        found = edges_of(extractor.feed(samples.tobytes()))
        samples[place] ^= 4
        assert found == [(place, 2, 1), (place + 1, 2, 0)]


@variants
@unitsizes
@given(data=st.data())
def test_full_output_loses_nothing(variant: str, unitsize: int, data: st.DataObject) -> None:
    """From outputs of 16 edges to ones that hold all, at any alignment and far in a capture."""
    samples, mask = data.draw(sample_trains(unitsize)), data.draw(masks(unitsize))
    capacity = data.draw(st.one_of(st.integers(16, 40), st.integers(500, 1_200)))
    start, offset = 1 << 40, data.draw(st.integers(0, 33))
    memory = np.zeros(offset + len(samples) * unitsize, dtype=np.uint8)
    values = memory[offset:].view(f"<u{unitsize}")
    values[:] = samples
    before = data.draw(st.integers(0, 256**unitsize - 1))
    finder = NativeFinder(variant, unitsize, mask, capacity)
    found: list[tuple[int, int, int]] = []
    at = 0
    while at < len(samples):
        previous = samples[at - 1] if at else before
        used, (offset, code) = finder.find(values[at:], previous)
        assert used > 0
        assert len(offset) == len(code) <= capacity
        block = PackedBlock(start + at, start + at + used, offset, code, previous)
        found += edges_of(block.unpacked())
        at += used
    expected = edges_by_looking([before, *samples], mask)
    assert found == [(start + at - 1, *rest) for at, *rest in expected]


@pytest.mark.parametrize("implementation", implementations())
def test_no_block_is_large(implementation: str) -> None:
    """Memory stays flat whatever comes: eight lines that toggle at every sample, in one buffer."""
    samples = 500_000
    extractor = EdgeExtractor(1, 0xFF, implementation)
    blocks = list(extractor.blocks(bytes([0, 255] * (samples // 2))))
    assert max(len(block.index) for block in blocks) <= 1 << 19
    assert [block.start_sample for block in blocks[1:]] == [
        block.end_sample for block in blocks[:-1]
    ]
    whole = join_blocks(blocks, 0, 0)
    assert np.array_equal(whole.index, np.repeat(np.arange(1, samples), 8))
    assert np.array_equal(whole.channel, np.tile(np.arange(8), samples - 1))
    assert np.array_equal(whole.level, np.repeat(np.arange(1, samples) % 2, 8))


@variants
def test_what_was_found_stays_when_more_is_fed(variant: str) -> None:
    extractor = EdgeExtractor(1, 0xFF, variant)
    first = extractor.feed(bytes([0, 1] * 100))
    before = edges_of(first)
    extractor.feed(bytes([4, 2] * 100))
    assert edges_of(first) == before


def test_the_fastest_is_the_default() -> None:
    """The library is there, since a compiler is; numpy comes last."""
    assert implementations() == (*native.variants(), "numpy")
    assert native.variants()[-1] == "portable"
    assert native.status().startswith(native.variants()[0] + ", the fastest")


NEEDED_FLAGS = {
    "avx512": {"avx512bw", "avx512vl", "avx512_vbmi2", "avx512_bitalg", "bmi2", "popcnt"},
    "avx2": {"avx2", "bmi1", "popcnt"},
    "sse2": {"sse2"},
}
"""By the names of Linux."""


@pytest.mark.skipif(platform.machine() != "x86_64", reason="not for this processor")
def test_a_variant_runs_where_linux_lists_its_instructions() -> None:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    flags = set(next(line for line in lines if line.startswith("flags")).split())
    expected = tuple(name for name, needed in NEEDED_FLAGS.items() if needed <= flags)
    assert native.variants() == (*expected, "portable")


@pytest.mark.parametrize(
    ("variant", "unitsize", "capacity"),
    [("avx1024", 1, 16), ("portable", 4, 16), ("portable", 1, 15)],
)
def test_a_finder_that_cannot_be_is_refused(variant: str, unitsize: int, capacity: int) -> None:
    with pytest.raises(ValueError, match="no finder"):
        NativeFinder(variant, unitsize, 0xFF, capacity)


def compile_c(target: Path, *arguments: str | Path) -> Path:
    subprocess.run(["cc", *WARNINGS, "-o", str(target), *map(str, arguments)], check=True)
    return target


def foreign_libraries(folder: Path) -> dict[str, Path]:
    """Files that stand where the library should, and what is said of each."""
    (folder / "text.so").write_text("not a library")
    other, newer = folder / "other.c", folder / "newer.c"
    other.write_text("int other(void); int other(void) { return 0; }")
    newer.write_text("int edges_interface(void); int edges_interface(void) { return 99; }")
    shared = ("-shared", "-fPIC")
    return {
        "was not built": folder / "missing.so",
        "cannot load library": folder / "text.so",
        "edges_interface": compile_c(folder / "other.so", *shared, other),
        "has interface 99": compile_c(folder / "newer.so", *shared, newer),
    }


def test_without_a_usable_library_numpy_does_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for trouble, path in foreign_libraries(tmp_path).items():
        monkeypatch.setattr(native, "LIBRARY", path)
        assert implementations() == ("numpy",)
        assert trouble in native.status()
        assert native.status().startswith("numpy")
        assert "\n" not in native.status()
        assert edges_of(EdgeExtractor(1, 1).feed(b"\x00\x01")) == [(1, 0, 1)]


@pytest.mark.parametrize(
    ("options", "expected"), [([], native.variants()), (["-DEDGES_PORTABLE_ONLY"], ("portable",))]
)
def test_sanitizers_find_nothing(
    tmp_path: Path, options: list[str], expected: tuple[str, ...]
) -> None:
    """The C program compares with an oracle of its own; here also as other processors build it."""
    check = compile_c(
        tmp_path / "check",
        *SANITIZERS,
        *options,
        f"-I{SOURCES[0].parent}",
        Path(__file__).parent / "edges_check.c",
        *SOURCES,
    )
    ended = subprocess.run([str(check)], capture_output=True, text=True, check=False)
    assert ended.stderr == ""
    assert tuple(native.VARIANTS[int(number)] for number in ended.stdout.split()) == expected
    assert ended.returncode == 0


@pytest.mark.parametrize(("compiler", "builds"), [("cc", True), ("no-such-compiler", False)])
def test_the_build_goes_on_without_a_compiler(tmp_path: Path, compiler: str, builds: bool) -> None:
    tree = tmp_path / "tree"
    shutil.copytree(
        ROOT / "rig", tree / "rig", ignore=shutil.ignore_patterns("build", "__pycache__")
    )
    needed = ("setup.py", "pyproject.toml", "README.md", "LICENSE")
    for name in (*needed, "fixtures", "firmware", "targets"):
        (tree / name).symlink_to(ROOT / name)
    subprocess.run(
        [sys.executable, "setup.py", "-q", "build_py", "--build-lib", str(tmp_path / "out")],
        cwd=tree,
        env={**os.environ, "CC": compiler},
        capture_output=True,
        check=True,
    )
    library = tmp_path / "out" / "rig" / "capture" / "native" / "build" / "librig-edges.so"
    assert library.is_file() == builds
    if builds:
        assert native.load(library).variants == native.variants()


def test_outputs_are_used_again_once_nobody_looks_at_them() -> None:
    finder = NativeFinder(native.variants()[0], 1, 0xFF)
    samples = np.tile(np.array([0, 1], np.uint8), 100_000)
    found = [finder.find(samples, 0)[1] for _ in range(10)]
    owners = [weakref.ref(offset.base) for offset, _ in found]
    assert len({id(owner()) for owner in owners}) == len(found)
    for offset, code in found:
        assert np.array_equal(offset, np.arange(1, len(offset) + 1))
        assert np.array_equal(code, np.tile([0x80, 0], len(code) // 2 + 1)[: len(code)])
    kept, offset, code = found[-1], None, None
    del found
    again = 0
    for _ in range(10):
        last = finder.find(samples, 0)[1][0].base
        assert last is not kept[0].base
        again += any(last is owner() for owner in owners)
    assert again
