# SPDX-License-Identifier: GPL-3.0-or-later
"""Puts into the wheel what lies outside the packages in a checkout: fixtures, firmware, emulator.

The emulator is built if simavr's headers are there (libsimavr-dev); without it a wheel
does everything but the virtual bench. The firmware is the image shipped with its source revision
(docs/decisions/0003), so that no AVR compiler is needed.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

ROOT = Path(__file__).parent
EMULATOR = ROOT / "firmware/emulator/build/rig-emulator"


class BuildPyWithData(build_py):
    """Copies data into rig/data of the build; an editable install finds them in the checkout."""

    def run(self) -> None:
        super().run()
        if self.editable_mode:
            return
        data = Path(self.build_lib) / "rig" / "data"
        for source in (ROOT / "fixtures").glob("*.toml"):
            _copy(source, data / "fixtures")
        for source in (ROOT / "firmware" / "image").iterdir():
            _copy(source, data / "firmware")
        if Path("/usr/include/simavr").is_dir():
            subprocess.run(["make", "-C", str(ROOT / "firmware/emulator"), "all"], check=True)
            _copy(EMULATOR, data / "bin")


class PlatformWheel(bdist_wheel):
    """The wheel holds a program, so it is for one platform, but for any Python."""

    def finalize_options(self) -> None:
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self) -> tuple[str, str, str]:
        return "py3", "none", super().get_tag()[2]


def _copy(source: Path, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy2(source, folder)


setup(cmdclass={"build_py": BuildPyWithData, "bdist_wheel": PlatformWheel})
