# SPDX-License-Identifier: GPL-3.0-or-later
"""Debian's programs for a guest: what they need is found in packages, and nothing else is taken."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import tarfile
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.errors import BenchError
from rig.virtual.guest.cache import Cache
from rig.virtual.guest.commands import ProgramRunner
from rig.virtual.guest.elf import needs_of
from rig.virtual.guest.packages import Packages
from rig.virtual.guest.programs import PROGRAMS, programs

SHELL = Path("/bin/sh").resolve()


def by_readelf(path: Path) -> tuple[str, tuple[str, ...]]:
    """The same by binutils."""
    words = ["readelf", "--wide", "--dynamic", "--program-headers", str(path)]
    text = subprocess.run(words, capture_output=True, text=True, check=True, timeout=60).stdout
    interpreter = re.search(r"interpreter: (.*)\]", text)
    return interpreter[1] if interpreter else "", tuple(re.findall(r"NEEDED.*\[(.*)\]", text))


def local_files() -> list[Path]:
    names = ("sh", "python3", "gcc", "qemu-system-x86_64", "tar")
    found = [Path(path).resolve() for name in names if (path := shutil.which(name))]
    return [path for path in found if path.read_bytes().startswith(b"\x7fELF")]


@pytest.mark.parametrize("path", local_files(), ids=lambda path: path.name)
def test_what_a_program_needs_is_what_readelf_says(path):
    found = needs_of(path.read_bytes(), path.name)
    assert (found.interpreter, found.libraries) == by_readelf(path)


@pytest.mark.parametrize("data", [b"", b"#!/bin/sh\n", b"\x7fELF\x01\x01", b"\x7fELF\x02\x01"])
def test_what_is_no_program_is_said(data):
    with pytest.raises(BenchError, match=r"^x: (not an ELF file of 64 bits|damaged ELF file)"):
        needs_of(data, "x")


@given(st.data())
def test_a_damaged_program_is_said_or_read_in_bounds(data):
    whole = bytearray(SHELL.read_bytes()[:4096])
    for _ in range(data.draw(st.integers(1, 8))):
        whole[data.draw(st.integers(6, len(whole) - 1))] = data.draw(st.integers(0, 255))
    cut = bytes(whole[: data.draw(st.integers(0, len(whole)))])
    try:
        needs_of(cut, "x")
    except BenchError as error:
        assert str(error).startswith("x: ")  # noqa: PT017 - either is right


# --- out of packages ----------------------------------------------------------------------------


def compiled(folder: Path, name: str, *options: str) -> bytes:
    path = folder / name
    source = "int one(void); int one(void) { return 1; } int main(void) { return 0; }"
    words = ["cc", "-x", "c", "-", "-o", str(path), *options]
    subprocess.run(words, input=source, text=True, check=True, timeout=60)
    return path.read_bytes()


@pytest.fixture(scope="module")
def debian(tmp_path_factory) -> Path:
    """A folder with apt and dpkg-deb of the test's own, and packages: each program needs libone,
    which needs libtwo, of two packages, and the C library of a third."""
    folder = tmp_path_factory.mktemp("debian")
    two = compiled(folder, "libtwo.so.2", "-shared", "-Wl,-soname,libtwo.so.2")
    link = [f"-L{folder}", "-Wl,--no-as-needed"]
    one = compiled(folder, "libone.so.1", "-shared", "-Wl,-soname,libone.so.1", *link,
                   "-l:libtwo.so.2")  # fmt: skip
    main = compiled(folder, "main", *link, "-l:libone.so.1", f"-Wl,-rpath-link,{folder}")
    libraries = "usr/lib/x86_64-linux-gnu"
    contents: dict[str, tuple[str, dict[str, bytes]]] = {
        "libone": ("libc6, libtwo", {f"{libraries}/libone.so.1": one}),
        "libtwo": ("libc6", {f"{libraries}/libtwo.so.2": two, "usr/share/doc/two": b"words"}),
        "libunused": ("", {f"{libraries}/libunused.so.1": two}),
        "libc6": ("libunused", _c_library()),
    }
    for package, names in PROGRAMS.items():
        files = {f"usr/bin/{name}": main for name in (*names, "other")}
        contents[package] = ("python3, libc6 (>= 2), libone | libnone", files)
    for package, (depends, files) in contents.items():
        _write(folder, package, depends, files)
    return folder


def _c_library() -> dict[str, bytes]:
    needs = needs_of(SHELL.read_bytes(), "sh")
    loader = Path(needs.interpreter)
    found = subprocess.run(["ldd", SHELL], capture_output=True, text=True, check=True, timeout=60)
    path = re.search(r"libc\.so\.6 => (\S+)", found.stdout)
    assert path is not None
    return {
        "lib/x86_64-linux-gnu/libc.so.6": Path(path[1]).read_bytes(),
        f"lib/x86_64-linux-gnu/{loader.name}": loader.read_bytes(),
    }


def _write(folder: Path, package: str, depends: str, files: dict[str, bytes]) -> None:
    (folder / f"{package}.control").write_text(
        f"Package: {package}\nVersion: 1-1\nDepends: {depends}\n"
    )
    with tarfile.open(folder / f"{package}.tar", "w") as tar:
        for name, data in files.items():
            member = tarfile.TarInfo(f"./{name}")
            member.size, member.mode = len(data), 0o755
            tar.addfile(member, io.BytesIO(data))


@pytest.fixture
def packages(debian: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Packages:
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    scripts = {
        "apt-cache": f'shift 2; for name; do /bin/cat "{debian}/$name.control"; echo; done',
        "apt-get": 'for word; do name=$word; done; echo "${name%=*}" >"${name%=*}.deb"',
        "dpkg-deb": f'read -r name <"$2"; exec /bin/cat "{debian}/$name.tar"',
    }
    for name, script in scripts.items():
        path = bin_folder / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
    monkeypatch.setenv("PATH", str(bin_folder))
    return Packages(ProgramRunner(threading.Event()))


def test_programs_come_with_all_that_they_need_and_no_more(packages, tmp_path):
    said: list[str] = []
    found = programs(packages, Cache(tmp_path / "cache"), said.append)
    loader = needs_of(SHELL.read_bytes(), "sh").interpreter.lstrip("/")
    assert set(found) == {
        *(f"usr/bin/{name}" for names in PROGRAMS.values() for name in names),
        "usr/lib/libone.so.1",
        "usr/lib/libtwo.so.2",
        "usr/lib/libc.so.6",
        loader,
    }
    assert said == [f"downloading {', '.join(PROGRAMS)}"]
    assert programs(packages, Cache(tmp_path / "cache"), said.append) == found
    assert len(said) == 1


def test_a_library_that_no_package_holds_is_told_and_leaves_nothing(packages, tmp_path, debian):
    control = debian / "libone.control"
    whole = control.read_text()
    control.write_text(whole.replace("libtwo", "libunused"))
    try:
        with pytest.raises(BenchError, match=r"libtwo\.so\.2"):
            programs(packages, Cache(tmp_path / "cache"), lambda _text: None)
    finally:
        control.write_text(whole)
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["lock"]
