# SPDX-License-Identifier: GPL-3.0-or-later
"""The guest's cache over the months: what is removed, what never is; a wait that can be ended."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from rig.errors import BenchError
from rig.virtual.guest.cache import KEEP, KEEP_S, Cache


def nothing(_folder: Path) -> None:
    """Makes an empty entry."""


def names(cache: Cache) -> set[str]:
    return {path.name for path in cache.folder.iterdir()} - {"lock"}


def aged(cache: Cache, name: str, days: int) -> Path:
    entry = cache.entry(name, nothing)
    then = time.time() - days * 86400
    os.utime(entry, (then, then))
    return entry


def test_of_each_kind_those_used_last_are_kept(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    for number in range(KEEP + 3):
        aged(cache, f"module-6.1.0-{number}-amd64-abc", days=20 + number)
    aged(cache, "linux-image-6.1.0-1-amd64_6.1.1", days=400)
    cache.entry("module-6.1.0-8-rt-amd64-abc", nothing)
    kept = {f"module-6.1.0-{number}-amd64-abc" for number in range(KEEP - 1)}
    assert names(cache) == {
        *kept,
        "module-6.1.0-8-rt-amd64-abc",
        "linux-image-6.1.0-1-amd64_6.1.1",
    }


def test_what_is_used_again_is_new_again(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    for number in range(KEEP):
        aged(cache, f"module-{number}", days=20 + number)
    oldest = f"module-{KEEP - 1}"
    cache.entry(oldest, nothing)
    cache.entry("module-99", nothing)
    assert oldest in names(cache)
    assert f"module-{KEEP - 2}" not in names(cache)


def test_what_a_run_may_be_about_to_open_stays(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    now = time.time()
    for number in range(KEEP + 5):
        os.utime(cache.entry(f"module-{number}", nothing), (now, now - KEEP_S / 2))
    assert len(names(cache)) == KEEP + 5


def test_nothing_is_removed_while_all_is_there(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    for number in range(KEEP + 3):
        (tmp_path / f"module-{number}").mkdir()
        os.utime(tmp_path / f"module-{number}", (0, number))
    cache.entry("module-0", nothing)
    assert len(names(cache)) == KEEP + 3


def test_foreign_files_in_the_folder_stay(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("x")
    cache = Cache(tmp_path)
    for number in range(KEEP + 2):
        aged(cache, f"module-{number}", days=20 + number)
    assert (tmp_path / "notes.txt").read_text() == "x"


def test_a_wait_for_another_run_ends_when_told(tmp_path: Path) -> None:
    stop = threading.Event()
    cache = Cache(tmp_path, stop)
    outcome: list[str] = []

    def ask() -> None:
        try:
            cache.entry("name", nothing)
        except BenchError as error:
            outcome.append(str(error))

    with (tmp_path / "lock").open("a") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        waiting = threading.Thread(target=ask)
        waiting.start()
        stop.set()
        waiting.join(20)
        assert not waiting.is_alive()
    assert len(outcome) == 1
    assert outcome[0].startswith("the virtual bench was ended while it waited for another run")
    assert names(cache) == set()


def test_a_wait_for_a_run_that_is_killed_goes_on(tmp_path: Path) -> None:
    script = (
        "import fcntl, sys, time\n"
        f"lock = open({str(tmp_path / 'lock')!r}, 'a')\n"
        "fcntl.flock(lock, fcntl.LOCK_EX)\n"
        "print('locked', flush=True)\n"
        "time.sleep(1000)\n"
    )
    other = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    with other:
        assert other.stdout is not None
        assert other.stdout.readline() == "locked\n"
        waiting = threading.Thread(target=lambda: Cache(tmp_path).entry("name", nothing))
        waiting.start()
        other.kill()
        waiting.join(20)
        assert not waiting.is_alive()
    assert names(Cache(tmp_path)) == {"name"}


def test_an_entry_that_may_only_be_read_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = Cache(tmp_path)
    entry = cache.entry("name", nothing)

    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "utime", refuse)  # as for another user's; the tests may run as root
    assert cache.entry("name", nothing) == entry
