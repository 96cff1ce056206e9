# SPDX-License-Identifier: GPL-3.0-or-later
"""A value change dump, word for word, and what cannot be written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from rig.capture.vcd_file import write_vcd
from rig.errors import InputError
from rig.instruments import EdgeBlock


def block(start: int, end: int, levels_before: int, *edges: tuple[int, int, int]) -> EdgeBlock:
    rows = np.array(edges, np.int64).reshape(-1, 3)
    return EdgeBlock(
        start, end, rows[:, 0], rows[:, 1].astype(np.uint8), rows[:, 2].astype(np.uint8),
        levels_before,
    )  # fmt: skip


HEAD = (
    "$timescale 1 ps $end\n$scope module capture $end\n"
    '$var wire 1 ! P8_45 $end\n$var wire 1 " in2 $end\n'
    "$upscope $end\n$enddefinitions $end\n"
)


def test_it_begins_at_the_first_sample_and_rounds_down(tmp_path: Path) -> None:
    """At 3 MHz a sample is 333,333.3 ps; edges of one sample share a time; channel 2 is unnamed."""
    blocks = [
        block(10, 20, 0b101, (10, 1, 1), (11, 0, 0), (11, 1, 0), (12, 2, 0)),
        block(20, 23, 0b000, (21, 0, 1)),
    ]
    write_vcd(tmp_path / "a.vcd", blocks, 3_000_000, ("P8_45", "in 2"))
    assert (tmp_path / "a.vcd").read_text() == (
        f'{HEAD}#0\n$dumpvars\n1!\n0"\n$end\n#0\n1"\n#333333\n0!\n0"\n#3666666\n1!\n#4333333\n'
    )


def test_no_blocks_are_no_time(tmp_path: Path) -> None:
    write_vcd(tmp_path / "a.vcd", [], 3_000_000, ("P8_45", "in2"))
    assert (tmp_path / "a.vcd").read_text() == HEAD


def test_nothing_is_overwritten_and_no_part_is_left(tmp_path: Path) -> None:
    path = tmp_path / "a.vcd"
    path.write_text("mine")
    with pytest.raises(InputError, match=r"is not overwritten; give another name"):
        write_vcd(path, [], 1, ())
    assert path.read_text() == "mine"

    def fails() -> Iterator[EdgeBlock]:
        yield block(0, 5, 0, (1, 0, 1))
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write_vcd(tmp_path / "b.vcd", fails(), 1, ("a",))
    assert not (tmp_path / "b.vcd").exists()
