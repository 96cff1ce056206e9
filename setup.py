# SPDX-License-Identifier: GPL-3.0-or-later
"""Puts into the wheel what lies outside the packages in a checkout: fixtures, firmware, emulator,
agent and kernel module.

The emulator is built if simavr's headers are there (libsimavr-dev); without it a wheel
does everything but the virtual bench. Edge extraction, the lines of the bracket test and the
codes of edges are compiled if there is a C compiler; without it numpy does the same, slower
(docs/decisions/0008, 0034, 0035). The firmware is the image shipped with its source revision
(docs/decisions/0003), so that no AVR compiler is needed.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

ROOT = Path(__file__).parent
EMULATOR = ROOT / "firmware/emulator/build/rig-emulator"
TARGETS = ROOT / "targets"
NATIVE = {
    Path("rig/capture/native"): "librig-edges.so",
    Path("rig/analysis/native"): "librig-lines.so",
    Path("rig/record/native"): "librig-distances.so",
}
"""Folders of C sources, and the library that each is compiled to."""
NATIVE_FLAGS = ["-std=c11", "-O3", "-fPIC", "-shared", "-fvisibility=hidden"]


class BuildPyWithData(build_py):
    """Copies data into rig/data of the build; an editable install finds them in the checkout."""

    def run(self) -> None:
        super().run()
        into = ROOT if self.editable_mode else Path(self.build_lib)
        for folder, name in NATIVE.items():
            _compile_native(folder, into / folder / "build" / name)
        if self.editable_mode:
            return
        data = Path(self.build_lib) / "rig" / "data"
        for folder in ("fixtures", "fixtures/boards"):
            for source in (ROOT / folder).glob("*.toml"):
                _copy(source, data / folder)
        for source in (ROOT / "firmware" / "image").iterdir():
            _copy(source, data / "firmware")
        if Path("/usr/include/simavr").is_dir():
            subprocess.run(["make", "-C", str(ROOT / "firmware/emulator"), "all"], check=True)
            _copy(EMULATOR, data / "bin")
        _build_for_targets(data)

    def get_source_files(self) -> list[str]:
        """What a source distribution must hold beside the modules."""
        return [*super().get_source_files(), *map(str, _all_native_sources())]


class PlatformDistribution(Distribution):
    """The wheel holds a program, so it is for one platform."""

    def has_ext_modules(self) -> bool:
        return True


class AnyPythonWheel(bdist_wheel):
    """The program knows nothing of Python: the wheel is for any version of it."""

    def get_tag(self) -> tuple[str, str, str]:
        return "py3", "none", super().get_tag()[2]


def _build_for_targets(data: Path) -> None:
    """Sources of agent and module, and, where there is a compiler, the agent and QEMU's plugin."""
    for folder in ("agent", "module"):
        ignored = shutil.ignore_patterns("build", "tests")
        shutil.copytree(
            TARGETS / folder, data / "targets" / folder, ignore=ignored, dirs_exist_ok=True
        )
    _copy(TARGETS / "qemu/init", data / "targets/qemu")
    for folder, program in (("agent", "rig-agent"), ("qemu", "rig-qemu.so")):
        made = subprocess.run(["make", "-C", str(TARGETS / folder), "all"], check=False)
        if made.returncode == 0:
            _copy(TARGETS / folder / "build" / program, data / "bin")
        else:
            print(f"{program} was not built: the virtual bench's real kernels need it")


def _all_native_sources() -> list[Path]:
    return [path for folder in NATIVE for path in _native_sources(folder, "*.[ch]")]


def _native_sources(folder: Path, pattern: str) -> list[Path]:
    return sorted(path.relative_to(ROOT) for path in (ROOT / folder).glob(pattern))


def _compile_native(folder: Path, library: Path) -> None:
    """Leave the library beside its loader, or no such file if it cannot be compiled."""
    library.parent.mkdir(parents=True, exist_ok=True)
    library.unlink(missing_ok=True)
    fresh = library.with_suffix(".new")  # nobody may load half a library
    sources = [str(ROOT / path) for path in _native_sources(folder, "*.c")]
    compiler = shlex.split(os.environ.get("CC", "cc"))
    try:
        subprocess.run([*compiler, *NATIVE_FLAGS, "-o", str(fresh), *sources], check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"{library.name} was not built, numpy will be used: {error}")
        return
    fresh.replace(library)


def _copy(source: Path, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy2(source, folder)


setup(
    distclass=PlatformDistribution,
    cmdclass={"build_py": BuildPyWithData, "bdist_wheel": AnyPythonWheel},
    exclude_package_data={".".join(folder.parts): ["*.[ch]"] for folder in NATIVE},
)
