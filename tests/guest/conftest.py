# SPDX-License-Identifier: GPL-3.0-or-later
"""The plugin, and a QEMU to load it into that is none."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from rig.virtual.guest.image import GuestImage
from rig.virtual.guest.machine import QEMU, Machine

HERE = Path(__file__).parent
PLUGIN_SOURCE = HERE.parents[1] / "targets" / "qemu"
NO_IMAGE = GuestImage("none", Path("/dev/null"), b"", "")

FakeStart = Callable[..., Machine]


@pytest.fixture(scope="session")
def plugin() -> Path:
    """Built once a session."""
    subprocess.run(["make", "--silent", "-C", PLUGIN_SOURCE], check=True, timeout=60)
    return PLUGIN_SOURCE / "build" / "rig-qemu.so"


def compile_fake(folder: Path, *options: str) -> Path:
    """A folder with a program called as QEMU is."""
    flags = ["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-rdynamic", *options]
    command = ["cc", *flags, "-o", str(folder / QEMU), str(HERE / "fake_qemu.c"), "-ldl"]
    subprocess.run(command, check=True, timeout=60)
    return folder


@pytest.fixture(scope="session")
def fake_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Holds the stand-in for QEMU."""
    return compile_fake(tmp_path_factory.mktemp("fake"))


@pytest.fixture
def start_fake(
    plugin: Path, fake_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[FakeStart]:
    """Start a machine whose guest is a script; ended after the test."""
    with ExitStack() as stack:

        def begin(script: str = "", log: Path | None = None, folder: Path | None = None) -> Machine:
            monkeypatch.setenv("PATH", str(folder or fake_folder))
            monkeypatch.setenv("FAKE_SCRIPT", script)
            monkeypatch.setenv("FAKE_LOG", str(log or "/dev/null"))
            return stack.enter_context(Machine.start(NO_IMAGE, plugin))

        yield begin
