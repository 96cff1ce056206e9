# SPDX-License-Identifier: GPL-3.0-or-later
"""A file is there as a whole or not at all, and what was there before stays until then."""

from __future__ import annotations

import stat

import pytest

from rig.errors import InputError
from rig.files import create_new, create_new_binary, replace_atomically


def test_a_new_file_is_never_written_over_another(tmp_path):
    path = tmp_path / "page.html"
    with create_new(path, "report") as file:
        file.write("µs\n")
    assert path.read_bytes() == "µs\n".encode()
    with pytest.raises(InputError, match="not overwritten"), create_new_binary(path, "report"):
        raise AssertionError
    with (
        pytest.raises(InputError, match=r"report not written \(No such file"),
        create_new(tmp_path / "none" / "page.html", "report"),
    ):
        raise AssertionError


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_nothing_is_left_of_a_file_that_was_not_finished(tmp_path, error):
    path = tmp_path / "page.html"

    def write() -> None:
        with create_new(path, "report") as file:
            file.write("half")
            raise error

    with pytest.raises(InputError if isinstance(error, OSError) else error):
        write()
    assert list(tmp_path.iterdir()) == []


def test_the_old_file_stays_until_the_new_one_is_whole(tmp_path):
    path, link = tmp_path / "index.json", tmp_path / "link.json"
    path.write_text("old")
    path.chmod(0o600)
    link.symlink_to(path)

    def fail() -> None:
        with replace_atomically(link) as new:
            new.write_text("half")
            assert path.read_text() == "old"
            raise OSError(28, "full")

    with pytest.raises(OSError, match="full"):
        fail()
    assert path.read_text() == "old"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["index.json", "link.json"]
    with replace_atomically(link) as new:
        new.write_text("new")
    assert path.read_text() == "new"
    assert link.is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
