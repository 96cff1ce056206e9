# SPDX-License-Identifier: GPL-3.0-or-later
"""All that a guest consists of: kernel, modules, agent and the script that starts them."""

from __future__ import annotations

import hashlib
import lzma
import re
import shutil
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from rig.config.virtual.bench import VirtualGuest
from rig.errors import BenchError, InputError
from rig.resources import agent_binary, guest_init, module_sources
from rig.virtual.guest.agent import foreign_agent
from rig.virtual.guest.board import PC, PC_SERIAL_MODULE, MachineBoard, board_of
from rig.virtual.guest.cache import Cache
from rig.virtual.guest.commands import ProgramRunner, Say
from rig.virtual.guest.initrd import archive
from rig.virtual.guest.kernel import headers, kernel
from rig.virtual.guest.packages import Packages
from rig.virtual.guest.programs import programs

MODULE_PORTS = ("kmod", "kmod-serial")
US_PS = 10**6
_MODULE = "latency_rig.ko"
_MAKE_PATH = r"[A-Za-z0-9_.+@/-]+"
"""Paths that are safe in the recipes of a makefile, which are a shell's texts."""
_BUSYBOX_PACKAGE, _BUSYBOX = "busybox-static", "bin/busybox"
_SETSERIAL_PACKAGE, _SETSERIAL = "setserial", "bin/setserial"
"""It makes the kernel's driver let go of a serial port."""
_FOLDERS = ("bin", "dev", "lib", "proc", "sys", "tmp")
_PROGRAMS = ("cat", "dd", "insmod", "mount", "poweroff", "sh", "sleep", "stty", "uname")
"""The programs that are Busybox by other names."""


@dataclass(frozen=True)
class GuestImage:
    """What QEMU starts."""

    release: str
    vmlinux: Path
    initrd: bytes
    options: str
    """The options on the kernel's command line, for the guest's first process."""
    board: MachineBoard = PC
    """The machine it is for."""
    processors: int = 1
    stall_us: tuple[int, int] = (0, 0)
    """The interval at which time is taken from the guest, and how much; 0: never."""


def build_image(guest: VirtualGuest, stop: threading.Event, say: Say) -> GuestImage:
    """Look up, download and build what is not in the cache, and pack it.

    Raises InputError for a missing program, BenchError if apt or a build fails or `stop` is set.
    """
    commands, cache = ProgramRunner(stop), Cache.of_user(stop)
    board = board_of(guest.architecture, guest.port)
    packages = own = Packages(commands)
    if guest.architecture == "amd64":
        agent = agent_binary().read_bytes()
    else:
        agent = foreign_agent(guest.architecture, cache, commands, say)
        packages, own = packages.foreign(guest.architecture, cache, say), packages
    parts = kernel(guest.kernel, packages, cache, say)
    files = {
        "init": guest_init().read_bytes(),
        "rig-agent": agent,
        _BUSYBOX: _program(_BUSYBOX_PACKAGE, _BUSYBOX, packages, cache, say),
    }
    files |= {_module_path(path): _unpacked(path) for path in parts.modules}
    files |= _programs(packages, cache, say)
    if board is PC_SERIAL_MODULE:
        files[_SETSERIAL] = _program(_SETSERIAL_PACKAGE, _SETSERIAL, packages, cache, say)
    if guest.port in MODULE_PORTS:
        kdir = headers(parts.release, packages, own, cache, say)
        files[f"boot/config-{parts.release}"] = (kdir / ".config").read_bytes()
        files[f"lib/{_MODULE}"] = _module(kdir, parts.release, board, cache, commands, say)
    return GuestImage(
        release=parts.release,
        vmlinux=parts.vmlinux,
        initrd=archive(_folders(files), files, {f"bin/{name}": "busybox" for name in _PROGRAMS}),
        options=_options(guest, board),
        board=board,
        processors=guest.processors,
        stall_us=(guest.stall_every_ps // US_PS, guest.stall_ps // US_PS),
    )


def _folders(files: Iterable[str]) -> list[str]:
    """Return the folders of the files and the empty ones, each behind the one it is in."""
    parents = {str(parent) for path in files for parent in PurePosixPath(path).parents}
    return sorted({*_FOLDERS, *parents} - {"."})


def _options(guest: VirtualGuest, board: MachineBoard) -> str:
    """Return the options for the guest's first process."""
    words = {
        "port": guest.port,
        "load": guest.load,
        "console": board.console,
        "tty": board.agent_tty,
        "modules": ",".join(board.modules),
        "pins": board.agent_pins,
        "kmod": board.module_words,
        "counter": "monotonic_raw" if board.clock_counts else "",
        "irq": "driver" if guest.driver_irq else "free",
    }
    return " ".join([*(f"rig.{name}={value}" for name, value in words.items()),
                     *([guest.kernel_options] if guest.kernel_options else [])])  # fmt: skip


def _program(name: str, place: str, packages: Packages, cache: Cache, say: Say) -> bytes:
    """Return one program of a package. `place`: its path, below /usr or not."""
    package = packages.find(name)

    def make(folder: Path) -> None:
        say(f"downloading {package.name} {package.version}")
        packages.unpack(package, folder, lambda path: path.removeprefix("usr/") == place)

    (program,) = cache.entry(package.folder_name, make).glob(f"**/{place}")
    return program.read_bytes()


def _programs(packages: Packages, cache: Cache, say: Say) -> dict[str, bytes]:
    """Return the programs, none if they cannot be had: what needs one then reports it missing."""
    try:
        return programs(packages, cache, say)
    except BenchError as error:
        say(f"the guest goes without some programs: {error}")
        return {}


def _module_path(path: Path) -> str:
    return f"lib/{path.name.split('.')[0]}.ko"


def _unpacked(path: Path) -> bytes:
    """Read a kernel module: Debian 12's are plain, later ones compressed."""
    return lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()


def _module(
    kdir: Path,
    release: str,
    board: MachineBoard,
    cache: Cache,
    commands: ProgramRunner,
    say: Say,
) -> bytes:
    """Return the rig's own kernel module, built for this kernel."""
    sources = module_sources()
    digest = hashlib.sha256(" ".join(board.make_words).encode())
    for path in sources:
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")

    def make(folder: Path) -> None:
        if not re.fullmatch(_MAKE_PATH, f"{kdir}{folder}"):
            raise InputError(
                f"{str(folder)!a}: the kernel's build takes no path like that; set "
                "XDG_CACHE_HOME to a folder of letters, digits and _ . + @ - / alone"
            )
        say(f"building the kernel module for {release}")
        for path in sources:
            shutil.copy(path, folder)
        make = ["make", "-s", "-C", str(kdir), f"M={folder}", *board.make_words, "modules"]
        commands.run(make, "make gcc")
        if not (folder / _MODULE).is_file():
            raise BenchError(f"the build for {release} left no {_MODULE}")

    folder = cache.entry(f"module-{release}-{digest.hexdigest()[:16]}", make)
    return (folder / _MODULE).read_bytes()
