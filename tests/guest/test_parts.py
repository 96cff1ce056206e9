# SPDX-License-Identifier: GPL-3.0-or-later
"""What a guest is made of: packages, cache, kernel image, first files, console."""

from __future__ import annotations

import io
import lzma
import os
import shutil
import struct
import subprocess
import tarfile
import threading
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.errors import BenchError, InputError
from rig.virtual.guest.cache import Cache
from rig.virtual.guest.commands import ProgramRunner
from rig.virtual.guest.console import Console
from rig.virtual.guest.initrd import archive
from rig.virtual.guest.kernel import kernel, vmlinux_of
from rig.virtual.guest.packages import Package, Packages

# --- commands ------------------------------------------------------------------------------------


def test_a_missing_program_names_its_package() -> None:
    with pytest.raises(InputError) as error:
        ProgramRunner(threading.Event()).run(["no-such-program-here"], "some-package")
    assert str(error.value) == (
        "no-such-program-here not found, a guest needs it; "
        "install it with `apt-get install some-package`"
    )


def test_a_failing_program_tells_its_last_words() -> None:
    with pytest.raises(BenchError, match=r"`sh -c` failed with exit status 3: one; two"):
        ProgramRunner(threading.Event()).run(
            ["sh", "-c", "echo one >&2; echo two >&2; exit 3"], "dash"
        )


def test_stop_ends_a_program_and_its_children(tmp_path: Path) -> None:
    stop = threading.Event()
    pid_file = tmp_path / "pid"

    def stop_when_running() -> None:
        while not (pid_file.is_file() and pid_file.read_text().endswith("\n")):
            stop.wait(0.01)
        stop.set()

    watcher = threading.Thread(target=stop_when_running)
    watcher.start()
    with pytest.raises(BenchError, match="ended while its guest was being made"):
        ProgramRunner(stop).run(["sh", "-c", f"sleep 1000 & echo $! >{pid_file}; wait"], "dash")
    watcher.join()
    child = int(pid_file.read_text())
    while psutil.pid_exists(child) and psutil.Process(child).status() != psutil.STATUS_ZOMBIE:
        threading.Event().wait(0.01)


# --- packages ------------------------------------------------------------------------------------


@pytest.fixture
def fake_apt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is all of PATH, but for a shell; what it holds is up to the test."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def program(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def packages() -> Packages:
    return Packages(ProgramRunner(threading.Event()))


def test_without_apt_it_says_what_to_install(fake_apt: Path) -> None:
    with pytest.raises(InputError, match=r"apt-cache not found, .* `apt-get install apt`"):
        packages().find("linux-image-amd64")


@pytest.mark.parametrize("script", ["echo 'E: No packages found' >&2; exit 100", "exit 0"])
def test_an_unknown_package_is_one_line(fake_apt: Path, script: str) -> None:
    program(fake_apt, "apt-cache", script)
    with pytest.raises(BenchError, match=r"apt does not know the package linux-.*`apt-get update`"):
        packages().find("linux-image-amd64")


def test_fields_of_a_package(fake_apt: Path) -> None:
    program(
        fake_apt,
        "apt-cache",
        "printf 'Package: a\\nVersion: 1:6.1-2\\nDepends: b (= 1) | c, d:any, e\\n"
        "Description: x\\n Version: 9\\n\\nPackage: a\\nVersion: 2\\n'",
    )
    package = packages().find("a")
    assert package == Package("a", "1:6.1-2", ("b", "d", "e"))
    assert package.folder_name == "a_1-6.1-2"


def test_a_failed_download_is_told_and_leaves_nothing(fake_apt: Path, tmp_path: Path) -> None:
    program(fake_apt, "apt-cache", "printf 'Version: 1\\nDepends: linux-image-6-amd64\\n'")
    program(fake_apt, "apt-get", "echo 'E: Failed to fetch' >&2; exit 100")
    cache = Cache(tmp_path / "cache")
    with pytest.raises(BenchError, match=r"cannot be downloaded \(.*Failed to fetch\); is the net"):
        kernel("debian", packages(), cache, lambda _text: None)
    assert [path.name for path in cache.folder.iterdir()] == ["lock"]


def write_archive(path: Path, members: dict[str, bytes]) -> None:
    with tarfile.open(path, "w") as tar:
        for name, data in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))


def test_only_what_is_wanted_is_unpacked_and_nothing_outside(
    fake_apt: Path, tmp_path: Path
) -> None:
    hostile = {"./a/wanted": b"1", "../wanted": b"2", "/tmp/rig-wanted": b"3", "./a/other": b"4"}  # noqa: S108
    write_archive(tmp_path / "contents.tar", hostile)
    program(fake_apt, "apt-get", ": > package.deb")
    program(fake_apt, "dpkg-deb", f"exec /bin/cat {tmp_path}/contents.tar")
    into = tmp_path / "x" / "into"
    into.parent.mkdir()
    packages().unpack(Package("a", "1", ()), into, lambda path: path.endswith("wanted"))
    assert (into / "a" / "wanted").read_bytes() == b"1"
    assert sorted(p.name for p in tmp_path.rglob("*wanted*")) == ["wanted"]
    assert not Path("/tmp/rig-wanted").exists()  # noqa: S108
    assert [p for p in into.rglob("*") if p.is_file()] == [into / "a" / "wanted"]


def test_a_package_without_what_is_wanted_is_told(fake_apt: Path, tmp_path: Path) -> None:
    write_archive(tmp_path / "contents.tar", {"./other": b""})
    program(fake_apt, "apt-get", ": > package.deb")
    program(fake_apt, "dpkg-deb", f"exec /bin/cat {tmp_path}/contents.tar")
    with pytest.raises(BenchError, match="a 1 does not hold what is expected of it"):
        packages().unpack(Package("a", "1", ()), tmp_path / "into", lambda path: path == "x")


# --- cache ---------------------------------------------------------------------------------------


def test_an_entry_is_made_once_and_whole(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "deep" / "cache")
    made: list[Path] = []

    def make(folder: Path) -> None:
        made.append(folder)
        (folder / "file").write_text("x")

    for _ in range(2):
        assert (cache.entry("name", make) / "file").read_text() == "x"
    assert len(made) == 1
    (cache.folder / "making-of-a-killed-run").mkdir()
    cache.entry("other", make)
    assert sorted(p.name for p in cache.folder.iterdir()) == ["lock", "name", "other"]


def test_what_fails_leaves_no_entry(tmp_path: Path) -> None:
    cache = Cache(tmp_path)

    def fail(folder: Path) -> None:
        (folder / "half").write_text("x")
        raise BenchError("no")

    with pytest.raises(BenchError):
        cache.entry("name", fail)
    assert [p.name for p in tmp_path.iterdir()] == ["lock"]


def test_several_runs_make_an_entry_once(tmp_path: Path) -> None:
    made = []
    barrier = threading.Barrier(4)

    def make(folder: Path) -> None:
        made.append(folder)

    def ask() -> None:
        barrier.wait()
        Cache(tmp_path).entry("name", make)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1


def test_the_cache_is_where_xdg_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert Cache.of_user().folder == tmp_path / "latency-rig" / "guest"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert Cache.of_user().folder == Path.home() / ".cache" / "latency-rig" / "guest"


def test_a_cache_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=r"the guest's cache cannot be written .*XDG_CACHE_HOME"):
        Cache(tmp_path / "file" / "x").entry("name", lambda _folder: None)


# --- kernel --------------------------------------------------------------------------------------

ELF = b"\x7fELF" + bytes(range(256)) * 40


def bz_image(payload: bytes, sectors: int = 27) -> bytes:
    """As the boot protocol lays it out, with something behind the payload."""
    setup = bytearray((sectors + 1) * 512)
    setup[0x1F1] = sectors
    setup[0x202:0x206] = b"HdrS"
    struct.pack_into("<II", setup, 0x248, 100, len(payload))
    return bytes(setup) + bytes(100) + payload + b"\xfd7zXZ\0 behind"


def test_the_kernel_comes_out_of_its_image() -> None:
    assert vmlinux_of(bz_image(lzma.compress(ELF)), "vmlinuz") == ELF


@pytest.mark.parametrize(
    ("image", "problem"),
    [
        (b"", "not a bzImage"),
        (bytes(100_000), "not a bzImage"),
        (bz_image(b"\x28\xb5\x2f\xfd" + bytes(100)), "not compressed with xz"),
        (bz_image(lzma.compress(ELF)[:-100]), "damaged kernel"),
        (bz_image(lzma.compress(b"MZ")), "holds no ELF file"),
    ],
)
def test_what_is_no_kernel_is_told(image: bytes, problem: str) -> None:
    with pytest.raises(BenchError, match=f"vmlinuz: .*{problem}"):
        vmlinux_of(image, "vmlinuz")


@given(st.data())
def test_a_damaged_image_is_told_or_taken(data: st.DataObject) -> None:
    image = bytearray(bz_image(lzma.compress(ELF), sectors=4))
    at = data.draw(st.integers(0, len(image) - 1))
    image[at : at + 4] = data.draw(st.binary(max_size=8))
    with suppress(BenchError):
        vmlinux_of(bytes(image[: data.draw(st.integers(0, len(image)))]), "vmlinuz")


# --- first files ---------------------------------------------------------------------------------


@pytest.mark.skipif(not shutil.which("busybox"), reason="busybox reads the archive")
def test_another_reader_finds_what_was_archived(tmp_path: Path) -> None:
    files = {"init": b"#!/bin/sh\n", "bin/odd": b"12345", "bin/none": b""}
    packed = archive(("bin", "dev"), files, {"bin/sh": "odd"})
    subprocess.run(["busybox", "cpio", "-i"], input=packed, cwd=tmp_path, check=True, timeout=20)
    assert {n: (tmp_path / n).read_bytes() for n in files} == files
    assert (tmp_path / "dev").is_dir()
    assert (tmp_path / "bin" / "sh").readlink() == Path("odd")
    assert os.access(tmp_path / "init", os.X_OK)


# --- console -------------------------------------------------------------------------------------


def console(text: bytes) -> Console:
    heard = Console(io.BytesIO(text))
    heard.last_words(5)
    return heard


def test_the_console_is_watched() -> None:
    assert console(b"[    0.1] x\r\nrig-guest: ready on 6.1\r\n").ready
    assert not console(b"nothing\n").ready
    assert console(b"rig-guest: failed: no port\n\nend\n").fault == "no port"
    panic = b"[    2.0] Kernel panic - not syncing: a\n[    2.1] Kernel panic - not syncing: b\n"
    assert console(panic).fault == "Kernel panic - not syncing: a"
    assert console(b"\x1b[1;31mlast \xff words\r\n\r\n").last_words(0) == "last \ufffd words"


@given(st.binary(max_size=20_000))
def test_the_console_survives_anything(text: bytes) -> None:
    assert isinstance(console(text).last_words(0), str)
