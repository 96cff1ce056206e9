# SPDX-License-Identifier: GPL-3.0-or-later
"""Debian packages, looked up and downloaded by apt, unpacked but never installed."""

from __future__ import annotations

import re
import shutil
import subprocess
import tarfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from rig.errors import BenchError
from rig.virtual.guest.commands import Commands, missing_program

_NAME = re.compile(r"[a-z0-9][a-z0-9.+-]*")


@dataclass(frozen=True)
class Package:
    """What apt's lists say of the version that would be installed."""

    name: str
    version: str
    depends: tuple[str, ...]
    """Names only, the first of each set of alternatives."""

    @property
    def folder_name(self) -> str:
        """Name and version, fit for a file name."""
        return f"{self.name}_{self.version}".replace(":", "-").replace("/", "-")


class Packages:
    """apt, as any user may use it."""

    def __init__(self, commands: Commands) -> None:
        self._commands = commands

    def find(self, name: str) -> Package:
        """Look up a package. Raises InputError without apt, BenchError if it knows none."""
        command = ["apt-cache", "show", "--no-all-versions", name]
        try:
            text = self._commands.run(command, "apt")
        except BenchError:
            text = ""
        fields = _fields(text)
        if "Version" not in fields:
            raise BenchError(
                f"apt does not know the package {name}, which the guest is made of; run "
                "`apt-get update`, on Debian 12 or a system with its package sources"
            )
        return Package(name, fields["Version"], tuple(_names(fields.get("Depends", ""))))

    def unpack(self, package: Package, into: Path, wanted: Callable[[str], bool]) -> None:
        """Download a package and write the files whose path in it is `wanted`.

        Raises BenchError, also if there is no such file in it.
        """
        into.mkdir(exist_ok=True)
        try:
            self._commands.run(
                ["apt-get", "download", "-q", f"{package.name}={package.version}"], "apt", into
            )
        except BenchError as error:
            raise BenchError(
                f"{package.name} {package.version} cannot be downloaded ({error}); is the network "
                "there, and are apt's lists fresh (`apt-get update`)?"
            ) from None
        archive = next(into.glob("*.deb"))
        with _contents(archive) as contents:
            count = _extract(contents, into, wanted)
        archive.unlink()
        if not count:
            raise BenchError(
                f"{package.name} {package.version} does not hold what is expected of it; this rig "
                "was made for Debian 12"
            )


def _fields(text: str) -> dict[str, str]:
    """Fields of the first paragraph of a control file."""
    fields = {}
    for line in text.split("\n\n", maxsplit=1)[0].splitlines():
        key, separator, value = line.partition(": ")
        if separator and not line.startswith(" "):
            fields[key] = value.strip()
    return fields


def _names(depends: str) -> Iterator[str]:
    for part in depends.split(","):
        if match := _NAME.match(part.strip()):
            yield match[0]


@contextmanager
def _contents(archive: Path) -> Iterator[tarfile.TarFile]:
    """The files of a .deb as a stream."""
    command = ["dpkg-deb", "--fsys-tarfile", str(archive)]
    try:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
    except FileNotFoundError:
        raise missing_program("dpkg-deb", "dpkg") from None
    with process:
        assert process.stdout is not None  # noqa: S101 - it was asked for as a pipe
        try:
            with tarfile.open(fileobj=process.stdout, mode="r|") as contents:
                yield contents
        except tarfile.TarError as error:
            raise BenchError(f"{archive.name}: damaged package ({error})") from None
        finally:
            process.kill()


def _extract(contents: tarfile.TarFile, into: Path, wanted: Callable[[str], bool]) -> int:
    count = 0
    for member in contents:
        path = PurePosixPath(member.name)
        if path.is_absolute() or ".." in path.parts or not wanted(str(path)):
            continue
        place = into / path
        data = contents.extractfile(member) if member.isfile() else None
        if data is None and not member.issym():
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        if data is None:
            place.symlink_to(member.linkname)
        else:
            with place.open("wb") as file:
                shutil.copyfileobj(data, file)
            place.chmod(0o755 if member.mode & 0o100 else 0o644)
        count += 1
    return count
