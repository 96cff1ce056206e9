# SPDX-License-Identifier: GPL-3.0-or-later
"""A place for a small file is looked at before anything is measured for it."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from rig.errors import BenchError, InputError
from rig.record.free_space import (
    EVENT_BYTES,
    SMALL_BYTES,
    check_kept_file,
    check_room,
    require_space,
)


def test_a_file_that_is_there_and_folders_that_are_not(tmp_path: Path) -> None:
    there = tmp_path / "bench.calibration.toml"
    there.write_text("format = 1")
    check_kept_file(there)
    check_kept_file(tmp_path / "not" / "yet" / "there.toml")
    assert sorted(tmp_path.iterdir()) == [there]


def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def usage(folder: Path) -> SimpleNamespace:
        asked.append(folder)
        return SimpleNamespace(free=SMALL_BYTES - 1)

    monkeypatch.setattr(shutil, "disk_usage", usage)
    with pytest.raises(InputError, match=r"c\.toml: only 1023 KiB free.* make room or name"):
        check_kept_file(tmp_path / "new" / "c.toml")
    assert asked == [tmp_path]


def test_exactly_what_is_free_may_be_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = 64 << 20
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: SimpleNamespace(free=free))
    require_space(tmp_path / "run.h5", free)
    with pytest.raises(BenchError, match="the disk is nearly full, 64 MiB free of 64 MiB"):
        require_space(tmp_path / "run.h5", free + 1)


def test_a_long_run_is_refused_before_it_is_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: SimpleNamespace(free=400 << 20))
    most = (400 << 20) // EVENT_BYTES
    check_room(tmp_path / "run.h5", most)
    with pytest.raises(
        InputError, match=r"run\.h5: 104,857,601 events need 400 MiB at least.*--count"
    ):
        check_room(tmp_path / "run.h5", most + 1)
