# SPDX-License-Identifier: GPL-3.0-or-later
"""Debian packages, looked up and downloaded by apt, unpacked but never installed."""

from __future__ import annotations

import re
import shutil
import subprocess
import tarfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from rig.errors import BenchError
from rig.virtual.guest.cache import Cache
from rig.virtual.guest.commands import ProgramRunner, Say, missing_program

_NAME = re.compile(r"[a-z0-9][a-z0-9.+-]*")


@dataclass(frozen=True)
class Package:
    """What apt's lists say of the version that would be installed."""

    name: str
    version: str
    depends: tuple[str, ...]
    """Names only, the first of each set of alternatives."""
    architecture: str = ""
    """Debian's name of it; "" is this system's own."""

    @property
    def folder_name(self) -> str:
        """Name, version and foreign architecture, fit for a file name."""
        name = "_".join(filter(None, (self.name, self.version, self.architecture)))
        return name.replace(":", "-").replace("/", "-")


class Packages:
    """apt, as any user may use it."""

    def __init__(self, commands: ProgramRunner) -> None:
        self._commands = commands
        self._architecture = ""
        self._options: tuple[str, ...] = ()
        self._renew = "run `apt-get update`, on Debian 12 or a system with its package sources"

    def foreign(self, architecture: str, cache: Cache, say: Say) -> Packages:
        """Return the packages of another architecture, with lists of their own beside the system's.

        The lists are downloaded when this system's know another kernel than at the last time.
        Raises InputError without apt, BenchError if the lists cannot be had.
        """
        own = self._commands.run(["dpkg", "--print-architecture"], "dpkg").strip()
        if own == architecture:
            return self
        newest = self.find(f"linux-image-{own}").version
        name = f"apt-{architecture}_{newest}".replace(":", "-")

        def make(folder: Path) -> None:
            say(f"downloading the package lists of {architecture}")
            (folder / "lists" / "partial").mkdir(parents=True)
            options = _foreign_options(architecture, folder)
            self._commands.run(["apt-get", *options, "update", "-q"], "apt")

        try:
            folder = cache.entry(name, make)
        except BenchError as error:
            raise BenchError(
                f"the package lists of {architecture} cannot be downloaded ({error}); is the "
                "network there, and is this Debian 12?"
            ) from None
        packages = Packages(self._commands)
        packages._architecture = architecture
        packages._options = _foreign_options(architecture, folder)
        packages._renew = f"remove {folder}, the lists of {architecture} are downloaded again"
        return packages

    def find(self, name: str) -> Package:
        """Look up a package. Raises InputError without apt, BenchError if it knows none."""
        command = ["apt-cache", *self._options, "show", "--no-all-versions", name]
        try:
            text = self._commands.run(command, "apt")
        except BenchError:
            text = ""
        fields = _fields(text)
        if "Version" not in fields:
            raise BenchError(
                f"apt does not know the package {name}, which the guest is made of; {self._renew}"
            )
        return self._package(name, fields)

    def find_all(self, names: Sequence[str]) -> list[Package]:
        """Look up several at once, which takes no longer than one. Raises as `find`."""
        command = ["apt-cache", *self._options, "show", "--no-all-versions", *names]
        try:
            text = self._commands.run(command, "apt")
        except BenchError:
            text = ""
        known: dict[str, Package] = {}
        for paragraph in text.split("\n\n"):
            fields = _fields(paragraph)
            if "Package" in fields and "Version" in fields:
                known.setdefault(fields["Package"], self._package(fields["Package"], fields))
        return [known[name] if name in known else self.find(name) for name in names]

    def _package(self, name: str, fields: Mapping[str, str]) -> Package:
        depends = tuple(_names(fields.get("Depends", "")))
        return Package(name, fields["Version"], depends, self._architecture)

    def unpack(self, package: Package, into: Path, wanted: Callable[[str], bool]) -> None:
        """Download a package and write the files whose path in it is `wanted`.

        Raises BenchError, also if there is no such file in it.
        """
        into.mkdir(exist_ok=True)
        try:
            self._commands.run(
                [
                    *("apt-get", *self._options, "download", "-q"),
                    f"{package.name}={package.version}",
                ],
                "apt",
                into,
            )
        except BenchError as error:
            raise BenchError(
                f"{package.name} {package.version} cannot be downloaded ({error}); is the network "
                f"there, and are apt's lists fresh? If they are old, {self._renew}"
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


def _foreign_options(architecture: str, folder: Path) -> tuple[str, ...]:
    """The system's sources, but lists in a folder of our own and nothing installed."""
    settings = {
        "APT::Architecture": architecture,
        "APT::Architectures": architecture,
        "Dir::State": folder,
        "Dir::State::status": "/dev/null",
        "Dir::Cache": folder,
        "Dir::Cache::pkgcache": "",
        "Dir::Cache::srcpkgcache": "",
        "Acquire::Languages": "none",
        "Acquire::IndexTargets::deb::DEP-11::DefaultEnabled": "false",
    }
    return tuple(word for key, value in settings.items() for word in ("-o", f"{key}={value}"))


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
