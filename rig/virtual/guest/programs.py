# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs of Debian that a guest can run as any machine can, with the libraries they need."""

from __future__ import annotations

import hashlib
import shutil
from collections import deque
from collections.abc import Iterable
from pathlib import Path

from rig.errors import BenchError
from rig.virtual.guest.cache import Cache
from rig.virtual.guest.commands import Say
from rig.virtual.guest.elf import needs_of
from rig.virtual.guest.packages import Package, Packages

PROGRAMS = {
    "rt-tests": ("cyclictest", "signaltest", "ptsematest", "pi_stress", "hackbench"),
    "rtla": ("rtla",),
    "stress-ng": ("stress-ng",),
}
"""The programs of each package, found in /usr/bin."""

_PACKAGES_MAX = 80
"""The most packages that are unpacked, should none hold what is looked for."""


def programs(packages: Packages, cache: Cache, say: Say) -> dict[str, bytes]:
    """Return the files of PROGRAMS, by their paths in the guest without a slash in front.

    Raises BenchError, InputError.
    """
    wanted = packages.find_all(tuple(PROGRAMS))
    names = " ".join([*(package.folder_name for package in wanted), *sum(PROGRAMS.values(), ())])
    digest = hashlib.sha256(names.encode()).hexdigest()[:16]

    def make(folder: Path) -> None:
        say(f"downloading {', '.join(PROGRAMS)}")
        _gather(wanted, packages, folder)

    folder = cache.entry(f"programs_{wanted[0].architecture or 'own'}_{digest}", make)
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(files)}


def _gather(wanted: list[Package], packages: Packages, folder: Path) -> None:
    gathering = _Gathering(packages, folder)
    for package in wanted:
        gathering.programs(package)
    gathering.libraries(name for package in wanted for name in package.depends)


class _Gathering:
    """A collection of programs and of libraries from the packages that they depend on."""

    def __init__(self, packages: Packages, folder: Path) -> None:
        self._packages, self._folder = packages, folder
        self._unpacked = folder / "unpacked"
        self._kept: set[str] = set()
        self._missing: set[str] = set()
        self._places: dict[str, str] = {}

    def programs(self, package: Package) -> None:
        paths = [f"usr/bin/{name}" for name in PROGRAMS[package.name]]
        self._packages.unpack(package, self._unpacked, paths.__contains__)
        for path in paths:
            self._keep(self._unpacked / path, path)

    def libraries(self, names: Iterable[str]) -> None:
        queue = deque(names)
        seen: set[str] = set()
        while self._missing and queue and len(seen) < _PACKAGES_MAX:
            name = queue.popleft()
            if name in seen or "lib" not in name:
                continue
            seen.add(name)
            package = self._packages.find(name)
            if self._take_from(package):
                queue.extendleft(package.depends)
        shutil.rmtree(self._unpacked)
        if self._missing:
            raise BenchError(
                f"no package holds {', '.join(sorted(self._missing))}, which "
                f"{', '.join(PROGRAMS)} need; this rig was made for Debian 12"
            )

    def _take_from(self, package: Package) -> bool:
        """Take what is missing from a package; return whether it held any of it."""
        into = self._unpacked / package.name
        self._packages.unpack(package, into, lambda _path: True)
        inside = into.resolve()
        found = {
            path.name: path
            for path in into.rglob("lib*/**/*.so*")
            if path.is_file() and path.resolve().is_relative_to(inside)
        }
        taken = False
        while wanted := self._missing & found.keys():
            for name in sorted(wanted):
                self._keep(found[name], self._places.get(name, f"usr/lib/{name}"))
            taken = True
        shutil.rmtree(into)
        return taken

    def _keep(self, found: Path, path: str) -> None:
        """Keep a file under the name by which others ask for it."""
        data = found.read_bytes()
        place = self._folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
        needs = needs_of(data, found.name)
        self._kept.add(place.name)
        if needs.interpreter:
            self._places[Path(needs.interpreter).name] = needs.interpreter.lstrip("/")
        self._missing |= {*needs.libraries, *self._places}
        self._missing -= self._kept
