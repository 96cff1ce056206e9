# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures that tables keep from one time to the next: fast, and never those of another file."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.measured_run import write_measured_run
from rig.errors import InputError
from rig.record import vetting
from rig.report.tables import figures_index, history, runs
from rig.report.tables.figures_index import FiguresIndex, FileIdentity, IndexKind, index_path
from rig.report.tables.history import ridges
from rig.report.tables.runs import records_of
from rig.session.results import store


@pytest.fixture(scope="session")
def two_runs(tmp_path_factory):
    """Two finished runs with stored figures, of unequal length."""
    folder = tmp_path_factory.mktemp("two-runs")
    for name, count in (("a", 60), ("b", 80)):
        write_measured_run(folder / f"{name}.h5", count)
        store(folder / f"{name}.h5")
    return folder


class Reading:
    """Which files were read, not taken from the index; and what was said of the index."""

    def __init__(self, folder, monkeypatch):
        self.folder, self.files, self.notes = folder, [], []

        def spied(paths, act, patience_s=vetting.PATIENCE_S):
            self.files += [path.name for path in paths]
            return vetting.each_in_child(paths, act, patience_s)

        monkeypatch.setattr(runs, "each_in_child", spied)

    def table(self):
        """The lengths of the runs, and the files that had to be read for it."""
        self.files.clear()
        found = [record.n for record in records_of([self.folder], self.notes.append)]
        return found, sorted(self.files)


@pytest.fixture
def folder(two_runs, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(figures_index, "SETTLED_NS", -(10**12))
    shutil.copytree(two_runs, tmp_path / "runs")
    return Reading(tmp_path / "runs", monkeypatch)


BOTH = ([60, 80], ["a.h5", "b.h5"])


def changed(path, act):
    """Do it until the file system's clock shows it: the clock goes in steps of milliseconds."""
    before = FileIdentity.of(path)
    while (act() or FileIdentity.of(path)) == before:
        pass


def test_what_was_read_before_is_not_read_again(folder):
    assert folder.table() == BOTH
    first = records_of([folder.folder])
    assert folder.table() == ([60, 80], [])
    assert records_of([folder.folder]) == first
    assert records_of([folder.folder / "a.h5"]) == first[:1]
    assert not folder.notes


def test_a_history_is_not_read_again_either(folder, monkeypatch):
    read = []

    def spied(paths, act):
        read.extend(path.name for path in paths)
        return vetting.each_in_child(paths, act)

    monkeypatch.setattr(history, "each_in_child", spied)
    folder.table()
    first = ridges([folder.folder])
    assert sorted(read) == ["a.h5", "b.h5"]  # a table's rows are no history
    again = ridges([folder.folder])
    assert len(read) == 2
    for one, other in zip(first, again, strict=True):
        assert (one.name, one.created, one.unit_us) == (other.name, other.created, other.unit_us)
        assert one.latency_us.tolist() == other.latency_us.tolist()
        assert one.counts.tolist() == other.counts.tolist()
    changed(folder.folder / "a.h5", (folder.folder / "a.h5").touch)
    ridges([folder.folder])
    assert read[2:] == ["a.h5"]
    assert folder.table() == ([60, 80], ["a.h5"])
    assert not folder.notes


def test_a_relative_path_is_the_same_file(folder, monkeypatch):
    folder.table()
    monkeypatch.chdir(folder.folder.parent)
    folder.folder = Path("runs")
    assert folder.table() == ([60, 80], [])


def in_place(path):
    """Another content of the same size in the same file."""
    size, other = path.stat().st_size, (path.parent / "b.h5").read_bytes()
    with path.open("r+b") as file:
        file.write(other[:size].ljust(size, b"\0"))


def replaced(path):
    """Another file of that name, size and time of modification."""
    found, new = path.stat(), path.with_suffix(".new")
    shutil.copyfile(path, new)
    in_place_of = new.replace(path)
    os.utime(in_place_of, ns=(found.st_atime_ns, found.st_mtime_ns))


def time_restored(path):
    """Changed in place, and its time of modification put back."""
    found = path.stat()
    in_place(path)
    os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns))


@pytest.mark.parametrize("change", [in_place, replaced, time_restored, Path.touch])
def test_a_changed_file_is_read_again(folder, change):
    assert folder.table() == BOTH
    path = folder.folder / "a.h5"
    changed(path, lambda: change(path))
    if change in (in_place, time_restored):  # the file is damaged now: that must show
        with pytest.raises(InputError, match=r"a\.h5"):
            folder.table()
        assert folder.files == ["a.h5"]
    else:
        assert folder.table() == ([60, 80], ["a.h5"])


def test_other_runs_under_known_names(folder):
    folder.table()
    a, b, c = (folder.folder / name for name in ("a.h5", "b.h5", "c"))
    for old, new in ((a, c), (b, a), (c, b)):
        old.rename(new)
    assert folder.table()[0] == [80, 60]


def test_deleted_and_new_files(folder):
    folder.table()
    (folder.folder / "a.h5").unlink()
    assert folder.table() == ([80], [])
    shutil.copyfile(folder.folder / "b.h5", folder.folder / "c.h5")
    assert folder.table() == ([80, 80], ["c.h5"])


def test_figures_computed_again(folder):
    folder.table()
    store(folder.folder / "a.h5")
    assert folder.table() == ([60, 80], ["a.h5"])


def test_a_hostile_file_ends_it_with_a_line_and_keeps_what_was_read(folder):
    (folder.folder / "c.h5").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(200))
    with pytest.raises(InputError, match=r"c\.h5"):
        folder.table()
    (folder.folder / "c.h5").unlink()
    assert folder.table() == ([60, 80], [])


def test_a_file_changed_just_now_is_not_kept(folder, monkeypatch):
    monkeypatch.setattr(figures_index, "SETTLED_NS", 10**12)
    assert folder.table() == BOTH
    assert folder.table() == BOTH


def test_a_run_without_stored_figures_is_computed_each_time(folder):
    write_measured_run(folder.folder / "c.h5", 50)
    for _ in range(2):
        lengths, read = folder.table()
        assert lengths == [60, 80, 50]
        assert "c.h5" in read


def garbage(path):
    path.write_bytes(b"no database" * 1000)


def cut(path):
    path.write_bytes(path.read_bytes()[:5000])


def overwritten_pages(path):
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    path.write_bytes(data)


def another_table(path):
    path.unlink()
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE figures (path, stamp, records)")
    database.close()


def a_digit(path):
    """One byte of one figure."""
    data = path.read_bytes()
    assert data.count(b'"n":60') == 1
    path.write_bytes(data.replace(b'"n":60', b'"n":61'))


@pytest.mark.parametrize("damage", [garbage, cut, overwritten_pages, another_table, a_digit])
def test_a_damaged_index_shows_nothing_wrong_and_is_made_anew(folder, damage):
    folder.table()
    damage(index_path())
    assert folder.table()[0] == [60, 80]
    assert len(folder.notes) == 1
    assert "damaged" in folder.notes[0]
    folder.table()
    assert folder.table() == ([60, 80], [])
    assert len(folder.notes) == 1


def test_the_index_of_an_older_rig_is_no_damage(folder):
    folder.table()
    another_table(index_path())
    with sqlite3.connect(index_path()) as database:
        database.execute("PRAGMA user_version = 7")
    database.close()
    assert folder.table() == BOTH
    assert folder.table() == ([60, 80], [])
    assert not folder.notes


def test_another_version_begins_anew(folder, monkeypatch):
    folder.table()
    monkeypatch.setattr(figures_index, "__version__", "another")
    assert folder.table() == BOTH
    assert not folder.notes


def not_a_folder(cache):
    cache.write_text("")


def a_link(cache):
    index = cache / "latency-rig" / "figures.sqlite3"
    index.parent.mkdir(parents=True)
    index.symlink_to(cache.parent / "elsewhere")


def a_folder_in_its_place(cache):
    (cache / "latency-rig" / "figures.sqlite3").mkdir(parents=True)


@pytest.mark.parametrize("hinder", [not_a_folder, a_link, a_folder_in_its_place])
def test_without_an_index_all_is_the_same(folder, hinder, tmp_path):
    hinder(tmp_path / "cache")
    assert folder.table() == BOTH
    assert folder.table() == BOTH
    assert not folder.notes
    assert not (tmp_path / "elsewhere").exists()


def test_another_writer_holds_it(folder, monkeypatch):
    folder.table()
    monkeypatch.setattr(figures_index, "_WAIT_S", 0.05)
    shutil.copyfile(folder.folder / "b.h5", folder.folder / "c.h5")
    other = sqlite3.connect(index_path(), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert folder.table() == ([60, 80, 80], ["c.h5"])
    other.execute("ROLLBACK")
    other.close()
    assert folder.table() == ([60, 80, 80], ["c.h5"])
    assert folder.table() == ([60, 80, 80], [])


def test_a_writer_that_is_killed(folder):
    folder.table()
    script = (
        "import os, sqlite3, sys\n"
        "database = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "database.execute('PRAGMA cache_spill = 1')\n"
        "database.execute('BEGIN IMMEDIATE')\n"
        "database.execute('DELETE FROM figures')\n"
        "os._exit(9)\n"
    )
    subprocess.run([sys.executable, "-c", script, index_path()], check=False)
    assert folder.table() == ([60, 80], [])
    assert not folder.notes


def test_it_stays_small_and_loses_what_was_not_used(tmp_path, monkeypatch):
    monkeypatch.setattr(figures_index, "SETTLED_NS", -(10**12))
    monkeypatch.setattr(figures_index, "ROWS_MAX", 3)
    stamps = {}
    for number in range(6):
        path = tmp_path / f"{number}.h5"
        path.write_bytes(b"")
        stamps[path] = FileIdentity.of(path)
    index = tmp_path / "index" / "figures.sqlite3"
    for day, path in enumerate(stamps):
        monkeypatch.setattr(figures_index, "_DAY_S", 10**9 // (day + 1))
        with FiguresIndex(index, pytest.fail) as found:
            found.add(IndexKind.RECORDS, path, stamps[path], "[]")
    with FiguresIndex(index, pytest.fail) as found:
        assert [path.name for path in found.find(IndexKind.RECORDS, stamps)] == [
            "3.h5",
            "4.h5",
            "5.h5",
        ]


def test_a_child_that_dies_names_its_file(tmp_path):
    paths = [tmp_path / name for name in ("good.h5", "deadly.h5", "later.h5")]
    answers = vetting.each_in_child(paths, lambda path: _dies_of_deadly(path))
    assert next(answers) == b"good.h5"
    with pytest.raises(InputError, match=r"deadly\.h5.*SIGKILL"):
        next(answers)


def _dies_of_deadly(path):
    if path.stem == "deadly":
        os.kill(os.getpid(), 9)
    return path.name.encode()


def test_many_children_for_many_files(tmp_path, monkeypatch):
    monkeypatch.setattr(vetting, "FILES_A_CHILD", 2)
    paths = [tmp_path / f"{number}.h5" for number in range(5)]
    found = list(vetting.each_in_child(paths, lambda path: f"{path.stem} {os.getpid()}".encode()))
    assert [answer.split()[0] for answer in found] == [b"0", b"1", b"2", b"3", b"4"]
    assert len({answer.split()[1] for answer in found}) == 3


def test_a_child_that_hangs(tmp_path):
    def hangs(_path):
        while True:
            os.read(reading, 1)

    reading, writing = os.pipe()
    try:
        with pytest.raises(InputError, match="in time"):
            list(vetting.each_in_child([tmp_path / "a.h5"], hangs, 0.1))
    finally:
        os.close(reading)
        os.close(writing)
