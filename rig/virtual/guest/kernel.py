# SPDX-License-Identifier: GPL-3.0-or-later
"""A Debian kernel as QEMU starts it, with the modules and headers that belong to it."""

from __future__ import annotations

import lzma
import re
import struct
from dataclasses import dataclass
from pathlib import Path

from rig.errors import BenchError
from rig.virtual.guest.board import BOARDS
from rig.virtual.guest.cache import Cache
from rig.virtual.guest.commands import Say
from rig.virtual.guest.packages import Packages

META_PACKAGES = {
    "debian": "linux-image-amd64",
    "debian-rt": "linux-image-rt-amd64",
    "debian-arm64": "linux-image-arm64",
    "debian-arm64-rt": "linux-image-rt-arm64",
}
"""Debian's packages that depend on the newest kernel of each kind."""

_VMLINUX = "vmlinux"
_XZ_MAGIC = b"\xfd7zXZ\0"
_BOOT_MAGIC = b"HdrS"
_BOOT_MAGIC_AT, _SETUP_SECTORS_AT, _PAYLOAD_AT = 0x202, 0x1F1, 0x248
_HEADER_BYTES = _PAYLOAD_AT + 8
_SECTOR_BYTES = 512
_ARM64_MAGIC, _ARM64_MAGIC_AT = b"ARM\x64", 0x38
_VMLINUX_MAX_BYTES = 1 << 28
_HEADER_PACKAGES = re.compile(r"linux-(headers|kbuild)-.*")
"""Common headers and build programs; the compiler is the system's."""


@dataclass(frozen=True)
class Kernel:
    """Unpacked files of one kernel."""

    release: str
    """The release as `uname -r` prints it."""
    vmlinux: Path
    """The kernel that QEMU loads."""
    modules: tuple[Path, ...]
    """The modules of the board's pins, in the order in which they are loaded."""


def kernel(kind: str, packages: Packages, cache: Cache, say: Say) -> Kernel:
    """The newest kernel of a kind of META_PACKAGES, out of packages of its architecture.

    Raises BenchError, InputError.
    """
    meta = META_PACKAGES[kind]
    names = [name for name in packages.find(meta).depends if name.startswith("linux-image-")]
    if len(names) != 1:
        raise BenchError(f"{meta} does not depend on one kernel; this rig was made for Debian 12")
    package = packages.find(names[0])
    architecture = meta.rpartition("-")[2]
    modules = BOARDS[architecture].modules
    unpacked = {"amd64": vmlinux_of, "arm64": arm64_image_of}[architecture]

    def make(folder: Path) -> None:
        say(f"downloading {package.name} {package.version}")
        packages.unpack(package, folder, lambda path: _wanted_of_kernel(path, modules))
        say("unpacking the kernel")
        (image,) = folder.glob("boot/vmlinuz-*")
        (folder / _VMLINUX).write_bytes(unpacked(image.read_bytes(), image.name))
        image.unlink()

    folder = cache.entry(package.folder_name, make)
    return Kernel(
        release=package.name.removeprefix("linux-image-").removesuffix("-unsigned"),
        vmlinux=folder / _VMLINUX,
        modules=tuple(_only(folder, f"**/{name}.ko*") for name in modules),
    )


def headers(release: str, packages: Packages, own: Packages, cache: Cache, say: Say) -> Path:
    """Folder to give to the kernel's build system as its KDIR. Raises BenchError, InputError."""
    first = packages.find(f"linux-headers-{release}")

    def make(folder: Path) -> None:
        say(f"downloading {first.name} {first.version}")
        for name in filter(_HEADER_PACKAGES.fullmatch, first.depends):
            # The programs of the build run on this system, whatever they build for.
            source = own if name.startswith("linux-kbuild-") else packages
            source.unpack(source.find(name), folder, _wanted_of_headers)
        packages.unpack(first, folder, _wanted_of_headers)
        _unroot(_only(folder, f"usr/src/{first.name}/Makefile"))

    folder = cache.entry(first.folder_name, make)
    return folder / "usr/src" / first.name


def _unroot(makefile: Path) -> None:
    """Debian's Makefile includes the common one by its installed path: make that a relative one."""
    here = "$(dir $(abspath $(lastword $(MAKEFILE_LIST))))"
    text = makefile.read_text(encoding="utf-8")
    makefile.write_text(text.replace("/usr/src/", f"{here}../"), encoding="utf-8")


def _wanted_of_kernel(path: str, modules: tuple[str, ...]) -> bool:
    if path.startswith("boot/vmlinuz-"):
        return True
    return Path(path).name.split(".ko")[0] in modules and ".ko" in path


def _wanted_of_headers(path: str) -> bool:
    return path.startswith(("usr/src/", "usr/lib/linux-kbuild"))


def _only(folder: Path, pattern: str) -> Path:
    found = list(folder.glob(pattern))
    if len(found) != 1:
        raise BenchError(
            f"{folder}: {len(found)} files like {pattern}, not one; remove the folder, it is made "
            "again"
        )
    return found[0]


def vmlinux_of(image: bytes, name: str) -> bytes:
    """The kernel proper, an ELF file, out of a compressed bzImage.

    The payload's place is in the header that the x86 boot protocol describes (2.08 and later,
    Documentation/arch/x86/boot.rst). Raises BenchError.
    """
    magic = image[_BOOT_MAGIC_AT : _BOOT_MAGIC_AT + len(_BOOT_MAGIC)]
    if magic != _BOOT_MAGIC or len(image) < _HEADER_BYTES:
        raise BenchError(f"{name}: not a bzImage")
    sectors = image[_SETUP_SECTORS_AT] or 4
    offset, length = struct.unpack_from("<II", image, _PAYLOAD_AT)
    start = (sectors + 1) * _SECTOR_BYTES + offset
    payload = image[start : start + length]
    if not payload.startswith(_XZ_MAGIC):
        raise BenchError(f"{name}: its kernel is not compressed with xz, as Debian's are")
    stream = lzma.LZMADecompressor()
    try:
        kernel_elf = stream.decompress(payload, _VMLINUX_MAX_BYTES)
    except lzma.LZMAError as error:
        raise BenchError(f"{name}: damaged kernel ({error})") from None
    if not stream.eof:
        raise BenchError(f"{name}: damaged kernel (it is cut off, or too large)")
    if not kernel_elf.startswith(b"\x7fELF"):
        raise BenchError(f"{name}: holds no ELF file")
    return kernel_elf


def arm64_image_of(image: bytes, name: str) -> bytes:
    """The kernel proper, which Debian's arm64 packages hold as it is.

    Its header is described in the kernel's Documentation/arch/arm64/booting.rst. Raises BenchError.
    """
    if image[_ARM64_MAGIC_AT : _ARM64_MAGIC_AT + len(_ARM64_MAGIC)] != _ARM64_MAGIC:
        raise BenchError(f"{name}: not a plain arm64 kernel, as Debian 12's are")
    return image
