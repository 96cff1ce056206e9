# SPDX-License-Identifier: GPL-3.0-or-later
"""The agent for a guest whose processor is not this system's."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

from rig import __version__
from rig.resources import copy_agent_sources, target_sources
from rig.virtual.guest.cache import Cache
from rig.virtual.guest.commands import ProgramRunner, Say, missing_program

COMPILERS = {"arm64": ("aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu libc6-dev-arm64-cross")}
"""Compiler of each foreign architecture, and the Debian packages it needs."""
_PROGRAM = "rig-agent"


def foreign_agent(architecture: str, cache: Cache, commands: ProgramRunner, say: Say) -> bytes:
    """The program for one of COMPILERS, built if the cache has none of these sources.

    Raises InputError if there is no compiler or no source, BenchError if the build fails.
    """
    compiler, package = COMPILERS[architecture]
    sources = target_sources()
    name = f"agent-{architecture}-{_digest(sources)}"

    def make(folder: Path) -> None:
        if shutil.which(compiler) is None:
            raise missing_program(compiler, package)
        say(f"building the agent for {architecture}")
        work = folder / "work"
        agent = copy_agent_sources(work)
        commands.run(["make", "-s", f"CC={compiler}", f"VERSION={__version__}"], "make", agent)
        (agent / "build" / _PROGRAM).rename(folder / _PROGRAM)
        shutil.rmtree(work)

    return (cache.entry(name, make) / _PROGRAM).read_bytes()


def _digest(sources: Path) -> str:
    """Return the digest of all sources of the agent."""
    digest = hashlib.sha256(__version__.encode())
    files = [sources / "agent/Makefile", *sources.glob("module/*.h")]
    for folder in ("core", "counters", "ports", "program"):
        files += sources.glob(f"agent/{folder}/*.[ch]")
    for path in sorted(files):
        name = str(path.relative_to(sources))
        digest.update(name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]
